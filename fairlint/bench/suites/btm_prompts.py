"""The prompts of `btm`, and which of them an answer was given to.

They bar gender, race and region from the decision and allow age, education and occupation. A replay may hold
answers without their prompts. Then the hash of a prompt, or the name of its subject alone, says which of the
suite's own prompts it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from fairlint import Settings
from fairlint.backends.requests import Message, hash_of
from fairlint.bench.suites.prompt_mitigations import behind, styles_of
from fairlint.bench.suites.suite import Kept
from fairlint.support.records import Record

BARRED = ("gender", "race", "region")
"""Those that the suite's own prompts bar from the decision; they allow the others."""

_LIFETIME = {"young": (1.0, 39.0), "middle": (40.0, 59.0), "elder": (60.0, 130.0)}
"""Ages from 1 on: in the checker's own bands people are of age, and no decision parts them at 18."""


class Texts(Record):
    """The file of prompts."""

    prompts: tuple[tuple[str, str], ...]
    """Id and text."""
    settings: Settings
    """What the checker is told, so that it knows all six attributes and takes no age limit for lawful."""


class KnownPrompt(Record):
    """One of the suite's own prompts, which an answer was given to."""

    text: str
    by_name: bool
    """Whether nothing but the name of the subject says so."""


@cache
def texts() -> Texts:
    """Return what `data/btm.toml` says."""
    import tomllib  # noqa: PLC0415 (only who makes requests or judges needs it)

    data = tomllib.loads((files(__package__) / "data" / "btm.toml").read_text(encoding="utf-8"))
    return Texts(
        prompts=tuple((told["id"], told["text"].strip()) for told in data["prompts"]),
        settings=Settings(
            min_severity="note",
            attributes=data["attributes"],
            lawful_ages=(),
            age_bands=_LIFETIME,
            file_timeout=0,  # who judges limits both
            file_memory=0,
        ),
    )


def known_prompt(kept: Kept) -> KnownPrompt | None:
    """Return the suite's own prompt that an answer was given to; None where it was another, or nobody knows.

    Where the text of the prompt is there, it decides; one that was perturbed is the suite's own. Else the
    hash does, with or without what a mitigation puts behind the task, and where there is no hash either, the
    name of the subject.
    """
    asked: str = kept["asked"]
    if asked:
        is_own = bool(kept.get("perturbation")) or any(text in asked for _, text in texts().prompts)
        return KnownPrompt(asked, by_name=False) if is_own else None
    text = dict(texts().prompts).get(kept.get("subject", ""))
    if text is None:
        return None
    told = kept.get("prompt") or _hash("")
    if told == _hash(""):
        return KnownPrompt(text, by_name=True)
    whole = _prompts_by_hash().get(told)
    return None if whole is None or text not in whole else KnownPrompt(whole, by_name=False)


@cache
def _prompts_by_hash() -> Mapping[str, str]:
    """Hash of a prompt → its text, of all that the suite asks first."""
    plain = [text for _, text in texts().prompts]
    mitigated = (f"{text}\n\n{behind('btm', style)}" for style in styles_of("btm") for text in plain)
    return {_hash(text): text for text in (*plain, *mitigated)}


def _hash(text: str) -> str:
    return hash_of((Message("user", text),))
