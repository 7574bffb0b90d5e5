"""How the models of a bench run are loaded and asked, as its options say."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from fairlint.backends.model import Intervention, ModelOptions, Sampling
from fairlint.bench.asking.running import sampling_of
from fairlint.bench.suites.suite import Suite
from fairlint.cli.arguments import Arguments
from fairlint.cli.option_values import above_zero, number, option_value, whole
from fairlint.engines.ray_cluster import ray_address
from fairlint.support.documents import read_json
from fairlint.support.errors import UsageError


def build_sampling(suite: Suite, options: Arguments) -> Sampling:
    """Return how answers are sampled: as the options say, or else the suite."""
    return sampling_of(
        suite,
        temperature=number(options, "--temperature", 0),
        top_p=above_zero(number(options, "--top-p", 0, 1), "--top-p"),
        top_k=whole(options, "--top-k", 0),
        max_new_tokens=whole(options, "--max-new-tokens", 1),
        early_stop=False if options.no_early_stop else None,
    )


def model_options(options: Arguments) -> ModelOptions:
    """Return how models are loaded and asked, as the options say."""
    if options.chat and options.completion:
        raise UsageError("--chat cannot be used with --completion")
    cluster = _parse_cluster(options.engine)
    devices = _parse_devices(options, is_in_cluster=cluster is not None)
    batch = 0 if options.batch_size == "auto" else whole(options, "--batch-size", 1)
    timeout = above_zero(number(options, "--timeout", 0), "--timeout")
    concurrency, retries = whole(options, "--concurrency", 1), whole(options, "--retries", 0)
    told: dict[str, Any] = {
        "device": devices[0] if len(devices) == 1 and not cluster else options.device,
        "devices": devices if len(devices) > 1 or cluster else None,
        "dtype": options.dtype,
        "batch_size": batch,
        "chat": True if options.chat else False if options.completion else None,
        "revision": options.revision,
        "trust_remote_code": bool(options.trust_remote_code),
        "base_url": options.base_url,
        "api_key": _resolve_api_key(options),
        "timeout": timeout,
        "concurrency": concurrency,
        "retries": retries,
        "cards": whole(options, "--cards", 1),
        "tensor_parallel": whole(options, "--tensor-parallel", 1),
        "pipeline_parallel": whole(options, "--pipeline-parallel", 1),
        "engine": None if cluster or options.engine == LOCAL else options.engine,
        "cluster": cluster,
        "engine_options": _engine_options(options.engine_option or ()),
        "adapter": options.adapter,
        "intervention": _read_ablation(options),
    }
    return ModelOptions(
        **{
            name: value for name, value in told.items() if value is not None or name == "chat"
        }  # what is not given is as the contract says
    )


def _parse_devices(options: Arguments, *, is_in_cluster: bool) -> tuple[str, ...]:
    """Return where the model is to be loaded whole, each; nothing where nobody says it."""
    if options.devices is None:
        return ()
    for name in ("--device", "--cards"):
        if option_value(options, name) not in {None, "auto"}:
            raise UsageError(f"--devices cannot be used with {name}")
    if is_in_cluster:
        from fairlint.backends.ray_model import wanted_devices  # noqa: PLC0415 (few have a cluster)

        return wanted_devices(options.devices)
    from fairlint.backends.devices import devices_of  # noqa: PLC0415 (few have several)

    return devices_of(options.devices)


LOCAL = "local"
"""Models in this process, or in processes of this machine."""
OF_VLLM = "mp"
"""What only vLLM runs its processes with."""


def _parse_cluster(engine: str | None) -> str | None:
    """Return the Ray that models are in; None where they are on this machine."""
    if engine is None or engine in {LOCAL, OF_VLLM}:
        return None
    if ray_address(engine) is None:
        raise UsageError(
            f"--engine must be {LOCAL}, {OF_VLLM}, ray, ray:HOST:PORT or ray://HOST:PORT, not '{engine}'"
        )
    return engine


def _engine_options(given: Iterable[str]) -> dict[str, Any]:
    """NAME=VALUE, where the value is JSON, and a text where it is none."""
    found: dict[str, Any] = {}
    for text in given:
        name, equals, value = text.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or not name.isidentifier():
            raise UsageError(f"--engine-option must be NAME=VALUE, as in max_model_len=4096, not '{text}'")
        if name in found:
            raise UsageError(f"--engine-option {name} is given twice")
        try:
            found[name] = read_json(value)
        except ValueError:
            found[name] = value
    return found


def _read_ablation(options: Arguments) -> Intervention | None:
    if options.ablate is None:
        return None
    from fairlint.model_bias.ablation_files import read  # noqa: PLC0415 (only who asks for it needs it)

    return read(options.ablate)


def _resolve_api_key(options: Arguments) -> str | None:
    if options.api_key is not None and options.api_key_env is not None:
        raise UsageError("--api-key cannot be used with --api-key-env")
    if options.api_key_env is None:
        key: str | None = options.api_key
        return key
    if not os.environ.get(options.api_key_env):
        raise UsageError(f"--api-key-env: there is no environment variable {options.api_key_env}")
    return os.environ[options.api_key_env]
