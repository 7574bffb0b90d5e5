"""Loading weights with transformers: from the hub, a folder or a GGUF file, onto a device."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fairlint.backends import shipped
from fairlint.backends.adapters import merge_adapter
from fairlint.backends.extras import need
from fairlint.backends.model import ModelError, ModelOptions
from fairlint.backends.weights import DTYPES, revision_of, unloadable
from fairlint.support.records import Record

EXTRA = "bench"


class Weights(Record):
    """A model with its tokenizer, as transformers has them."""

    model: Any
    tokenizer: Any
    path: str
    """Where they were read from: a hub id or a folder, of a GGUF file the converted one."""
    masked: bool
    """Whether the model says what stands at a mask, and does not write on."""
    revision: str
    """What tells these very weights from others of their name."""


def load_weights(where: str, options: ModelOptions, *, masked_too: bool = False) -> Weights:
    """Return the causal model of a hub id, a folder or a GGUF file, or, if asked for, a masked one.

    Raises ModelError where it cannot be had.
    """
    torch, transformers = need("torch", EXTRA), need("transformers", EXTRA)
    device, spread = _select_device(torch, options)
    dtype = _select_dtype(torch, options.dtype, device)
    path, revision = where, options.revision
    if where.lower().endswith(".gguf"):
        path, revision = str(shipped.convert_gguf(Path(where))), ""
    source: dict[str, Any] = {"trust_remote_code": options.trust_remote_code}
    if revision:
        source["revision"] = revision
    if Path(path).is_dir():
        source["local_files_only"] = True
    placed: dict[str, Any] = {}
    if spread:
        need("accelerate", EXTRA)
        placed = {"device_map": "auto", "max_memory": _free_memory_by_card(torch, options.cards)}
    try:
        with _quiet_loading(transformers):
            masked = is_masked_model(transformers.AutoConfig.from_pretrained(path, **source))
            if masked and not masked_too:
                raise _WritesNothingError
            kind = transformers.AutoModelForMaskedLM if masked else transformers.AutoModelForCausalLM
            tokenizer = transformers.AutoTokenizer.from_pretrained(path, **source)
            model, told = kind.from_pretrained(
                path, dtype=dtype, output_loading_info=True, **source, **placed
            )
            if not spread:
                model = model.to(device)
    except _WritesNothingError:
        raise ModelError(
            f"{where} fills in masks and does not write: `fairlint model score --model {where}` measures it"
        ) from None
    except Exception as error:
        raise unloadable(torch, where, error, options) from error
    if told["missing_keys"]:  # transformers fills them with random numbers
        some = sorted(told["missing_keys"])
        raise ModelError(f"{where} lacks {len(some)} of its weights, such as {some[0]}: get it again")
    model.eval()
    told_by = revision_of(where, path, getattr(model.config, "_commit_hash", None))
    if options.adapter:
        model, adapter = merge_adapter(model, Path(options.adapter), where)
        told_by = f"{told_by}+{adapter}"
    return Weights(model, tokenizer, path, masked, told_by)


def tokenizer_on_disk(where: str) -> Any:
    """Return the tokenizer of a model on this machine or in the hub's cache; None where it has none that
    loads.

    Nothing is downloaded or converted for it. Raises ModelError where transformers is missing.
    """
    transformers = need("transformers", EXTRA)
    path = shipped.find_conversion(Path(where)) if where.lower().endswith(".gguf") else where
    if path is None:
        return None
    try:
        with _quiet_loading(transformers):
            return transformers.AutoTokenizer.from_pretrained(path, local_files_only=True)
    except Exception:  # whatever it is, tokens are then estimated
        return None


class _WritesNothingError(Exception):
    """These are the weights of a masked model, and one that writes is asked for."""


def is_masked_model(config: Any) -> bool:
    """Return whether the files of a model say that it fills in masks.

    What was saved from pretraining, or says no architecture, is told by its type: BERT and its like fill in
    masks unless they are decoders.
    """
    from transformers.models.auto import modeling_auto as auto  # noqa: PLC0415 (an extra)

    named = [str(name) for name in config.architectures or ()]
    if any(name.endswith("ForMaskedLM") for name in named):
        return True
    if any(name.endswith(("ForCausalLM", "LMHeadModel", "ForConditionalGeneration")) for name in named):
        return False
    return config.model_type in auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES and not getattr(
        config, "is_decoder", False
    )


@contextmanager
def _quiet_loading(transformers: Any) -> Iterator[None]:
    """Without warnings and bars of the loading, nor the hub's word for each try; bars of a download stay."""
    logging, hub = transformers.utils.logging, need("huggingface_hub.utils.logging", EXTRA)
    before, bars, hub_before = logging.get_verbosity(), logging.is_progress_bar_enabled(), hub.get_verbosity()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    hub.set_verbosity_error()
    try:
        yield
    finally:
        hub.set_verbosity(hub_before)
        logging.set_verbosity(before)
        if bars:
            logging.enable_progress_bar()


def _select_device(torch: Any, options: ModelOptions) -> tuple[str, bool]:
    """Return the device, and whether the model is spread over several cards."""
    if options.device == "auto":
        if torch.cuda.is_available():
            cards = options.cards or torch.cuda.device_count()
            return "cuda", cards > 1
        return ("mps" if torch.backends.mps.is_available() else "cpu"), False
    try:
        torch.empty(1, device=options.device)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = " ".join(str(error).split())
        raise ModelError(f"--device {options.device} cannot be used here: {reason[:200]}") from None
    return options.device, False


def _free_memory_by_card(torch: Any, cards: int) -> dict[int, int]:
    """Return the free bytes of the first `cards` accelerators, or of all: no others get a part of
    the model.
    """
    return {card: torch.cuda.mem_get_info(card)[0] for card in range(cards or torch.cuda.device_count())}


def _select_dtype(torch: Any, wanted: str, device: str) -> Any:
    """Return what the weights are computed in: float32 on a CPU, where answers then do not depend on the
    batch.
    """
    if wanted != "auto":
        if wanted not in DTYPES:
            raise ModelError(f"--dtype must be auto or one of {', '.join(DTYPES)}, not '{wanted}'")
        return getattr(torch, wanted)
    if device.startswith("cuda"):
        return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
    return torch.float16 if device.startswith("mps") else torch.float32
