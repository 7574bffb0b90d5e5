"""Which models fill in masks: told by what their files say, and never read as models that write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import transformers
from random_models import tiny

from fairlint.backends import loading
from fairlint.backends.loading import is_masked_model
from fairlint.backends.model import ModelError, ModelOptions
from fairlint.backends.names import resolve
from fairlint.cli import (
    model_ablate,
    model_debias,
    model_distribution,
    model_locate,
    model_probe,
    model_score,
)

COMMANDS: tuple[Any, ...] = (
    model_ablate,
    model_debias,
    model_distribution,
    model_locate,
    model_probe,
    model_score,
)


def bert(folder: Path, architectures: list[str] | None) -> Path:
    """A saved BERT that fills in masks, whose configuration names these architectures."""
    vocabulary = folder / "vocab.txt"
    folder.mkdir()
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *"the a nurse chef said he she was kind .".split()]
    vocabulary.write_text("\n".join(words) + "\n")
    transformers.BertTokenizer(str(vocabulary)).save_pretrained(folder)
    tiny("bert", vocabulary=len(words)).float().save_pretrained(folder)
    told = json.loads((folder / "config.json").read_text())
    told.pop("architectures")
    if architectures is not None:
        told["architectures"] = architectures
    (folder / "config.json").write_text(json.dumps(told))
    return folder


@pytest.mark.parametrize("architectures", [["BertForMaskedLM"], ["BertForPreTraining"], [], None])
def test_a_bert_is_read_as_masked_whatever_its_file_names(
    tmp_path: Path, architectures: list[str] | None
) -> None:
    folder = bert(tmp_path / "bert", architectures)
    found = loading.load_weights(str(folder), ModelOptions(device="cpu"), masked_too=True)
    assert (found.masked, type(found.model).__name__) == (True, "BertForMaskedLM")


@pytest.mark.parametrize(
    ("kind", "more", "masked"),
    [
        ("BertConfig", {"architectures": ["BertLMHeadModel"]}, False),
        ("BertConfig", {"is_decoder": True}, False),
        ("DistilBertConfig", {}, True),
        ("ModernBertConfig", {"architectures": ["ModernBertModel"]}, True),
        ("LlamaConfig", {}, False),
        ("GPT2Config", {"architectures": ["GPT2Model"]}, False),
    ],
)
def test_decoders_and_models_that_write_are_not(kind: str, more: dict[str, Any], masked: bool) -> None:
    assert is_masked_model(getattr(transformers, kind)(**more)) is masked


def test_who_wants_a_model_that_writes_is_told_that_this_one_does_not(tmp_path: Path) -> None:
    folder = bert(tmp_path / "bert", None)
    with pytest.raises(ModelError, match="fills in masks and does not write") as error:
        loading.load_weights(str(folder), ModelOptions(device="cpu"))
    assert "\n" not in str(error.value)


def test_models_that_help_names_are_found() -> None:
    """What stands behind `--model` in the help of a command is taken by that command."""
    found = []
    for command in COMMANDS:
        words = (command.COMMAND.epilog or "").split()
        found += [resolve(words[place + 1]).where for place, word in enumerate(words) if word == "--model"]
    assert "google-bert/bert-base-uncased" in found
    assert "openai-community/gpt2" in found


@pytest.mark.parametrize(
    ("text", "hub", "licence", "kind"),
    [
        ("gpt2-medium", "openai-community/gpt2-medium", "MIT", "completion"),
        ("gpt2-large", "openai-community/gpt2-large", "MIT", "completion"),
        ("gpt-neo-125M", "EleutherAI/gpt-neo-125m", "MIT", "completion"),
        ("bert-base-uncased", "google-bert/bert-base-uncased", "Apache-2.0", "masked"),
        ("bert_large", "google-bert/bert-large-uncased", "Apache-2.0", "masked"),
        ("distilbert-base-uncased", "distilbert/distilbert-base-uncased", "Apache-2.0", "masked"),
        ("roberta-base", "FacebookAI/roberta-base", "MIT", "masked"),
        ("llama3.2_3B_Instruct", "meta-llama/Llama-3.2-3B-Instruct", "Llama 3.2", "chat"),
        ("qwen2.5_72B_Instruct", "Qwen/Qwen2.5-72B-Instruct", "Qwen", "chat"),
    ],
)
def test_names_of_studies_are_found_without_a_slash(text: str, hub: str, licence: str, kind: str) -> None:
    found = resolve(text)
    assert found.where == hub
    assert found.known is not None
    assert (found.known.licence, found.known.kind) == (licence, kind)
