"""Packages that only some backends need: the error for one that is missing says how to install it."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from fairlint.backends.model import ModelError


def need(module: str, extra: str) -> ModuleType:
    """Return the module, imported. `extra` is the extra of fairlint that brings it, such as `bench`.

    Raises ModelError with the command that installs it, or with the reason why it cannot be imported.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        if error.name == package:
            raise ModelError(f'{package} is not installed: pip install "fairlint[{extra}]"') from None
        raise _import_failure_error(module, extra, error) from error
    except ImportError as error:
        raise _import_failure_error(module, extra, error) from error


def _import_failure_error(module: str, extra: str, error: ImportError) -> ModelError:
    reason = " ".join(str(error).split())
    return ModelError(
        f"{module} is installed but cannot be imported ({reason}): "
        f'pip install --upgrade "fairlint[{extra}]" may mend it'
    )
