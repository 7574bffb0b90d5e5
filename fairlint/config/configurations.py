"""Which configuration file is in force where, and what a run has once."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fairlint.config.settings import BASELINE, NAMES, RUN_WIDE, Settings, key_of
from fairlint.support.records import replace

if TYPE_CHECKING:  # start-up: a run without a configuration file needs no paths
    from pathlib import Path


def load_settings(
    paths: Sequence[str | Path] = (),
    *,
    config: str | Path | None = None,
    isolated: bool = False,
    untrusted: bool = False,
) -> Settings:
    """Return the settings in force for a path; for several, those of the folder that holds them all.

    `config` names the file to read; otherwise it is the nearest `fairlint.toml`, or `pyproject.toml` with a
    `[tool.fairlint]` table, in or above the path (the current folder without paths).
    `isolated` reads none. A file that was not named may be a stranger's, like the code beside it: neither it
    nor what it names may lead out of its repository. `untrusted` says that the authors of the repositories
    around the paths have no say at all: none of their files is read, and `config` may name none of them.
    """
    configurations = Configurations(paths, config=config, isolated=isolated, untrusted=untrusted)
    return configurations.of(_common_folder(paths))


def find_config(start: str | Path) -> Path | None:
    """Return the configuration file in force for `start`: the nearest, `fairlint.toml` before
    `pyproject.toml`.
    """
    folder = os.path.realpath(start)
    while True:
        if any(map(os.path.lexists, _candidate_files(folder))):
            from fairlint.config.reading import file_in  # noqa: PLC0415 (start-up)

            if (found := file_in(folder)) is not None:
                return found.path
        above = os.path.dirname(folder)  # noqa: PTH120 (start-up)
        if above == folder:
            return None
        folder = above


def read_config(path: Path, *, is_named: bool = True) -> Settings:
    """Return the settings written in one file. Anything wrong with it is a UsageError that names file and
    key.

    `is_named` says that a person has asked for it, and so for all files that it names.
    """
    from fairlint.config.reading import read  # noqa: PLC0415 (start-up)

    return read(path, is_named=is_named)


class Configurations:
    """The settings in force for each folder that a run comes to.

    They are those of the nearest configuration file in or above the folder, with what `changes` replaces:
    the values of options by the names of fields, None for none. What a run has once (`RUN_WIDE`) is said
    where the run starts; where nothing is in force there, by what is for the folder that holds all `paths`.
    Neither hangs on the order of the paths. Above `within` no file is looked for, and what is found there may
    name no file that leads out of it, and none of an installed package.
    """

    def __init__(
        self,
        paths: Iterable[str | os.PathLike[str]] = (),
        *,
        config: str | os.PathLike[str] | None = None,
        isolated: bool = False,
        untrusted: bool = False,
        within: str = "",
        changes: Mapping[str, Any] | None = None,
    ) -> None:
        self._paths = [os.fspath(path) for path in paths]
        self._within = os.path.realpath(within) if within else ""
        self._changes = dict(changes or {})
        self._nearest: dict[str, Settings] = {}
        self._whole: dict[int, Settings] = {}
        self._run: Settings | None = None
        self._fixed: Settings | None = None
        self._default = Settings().with_changes(**self._changes)
        if config is not None:
            from pathlib import Path  # noqa: PLC0415 (start-up)

            self._fixed = read_config(Path(config)).with_changes(**self._changes)
        elif isolated or untrusted:
            self._fixed = self._default
        if untrusted and self._fixed is not None:
            from fairlint.config.untrusted import check, checkouts  # noqa: PLC0415 (start-up)

            self._fixed = replace(self._fixed, untrusted=checkouts(self._paths))
            check(self._fixed, config)

    @classmethod
    def of_settings(cls, settings: Settings) -> Configurations:
        """Return the same settings everywhere, as they are."""
        made = cls()
        made._fixed = made._run = made._whole[id(settings)] = settings
        return made

    @property
    def run(self) -> Settings:
        """The settings of the run itself."""
        if self._run is None:
            found = self._settings_of_folder(os.path.realpath(os.getcwd()))  # noqa: PTH109 (start-up)
            if found.source is None and self._paths:
                found = self._settings_of_folder(_common_folder(self._paths))
            self._run = self._whole[id(found)] = found.as_told()
        return self._run

    @property
    def is_one(self) -> bool:
        """Whether the same settings are in force everywhere."""
        return self._fixed is not None

    def of(self, folder: str) -> Settings:
        """Return the settings in force for what lies in a folder, which is given without symbolic links."""
        run, found = self.run, self._settings_of_folder(folder)
        whole = self._whole.get(id(found))
        if whole is None:
            wide = {name: getattr(run, name) for name in RUN_WIDE}
            origins = {key: origin for key, origin in found.origins.items() if key not in _RUN_WIDE_KEYS}
            origins |= {key: origin for key, origin in run.origins.items() if key in _RUN_WIDE_KEYS}
            whole = self._whole[id(found)] = replace(found, **wide, origins=origins).as_told()
        return whole

    def of_file(self, path: str) -> Settings:
        """As `of`, for a file by any of its names."""
        return self.of(os.path.dirname(os.path.realpath(path)))  # noqa: PTH120 (start-up)

    def inside(self, settings: Settings, folder: str, names: Collection[str]) -> Settings:
        """As `of`, for a folder in one that has `settings`, when it is known which `names` are in it."""
        if self._fixed is not None or not any(name in names for name in NAMES):
            return settings
        return self.of(folder)

    def above(self, settings: Settings) -> Settings | None:
        """Return the settings in force above the configuration file of some; None where that is another
        repository's or nobody's.
        """
        if self._fixed is not None or settings.source is None:
            return None
        from fairlint.support.files import leads_out, repository_of  # noqa: PLC0415 (start-up)

        root = os.path.realpath(settings.root)
        folder = os.path.dirname(root)  # noqa: PTH120 (start-up)
        if root == self._within:
            return None
        return None if folder == root or leads_out(folder, repository_of(root)) else self.of(folder)

    def baseline_of(self, settings: Settings) -> str:
        """Return the baseline for files under some settings: what they name, else the usual one beside their
        file or the nearest above it in the repository, else the run's; empty where there is none.
        """
        if settings.untrusted:
            from fairlint.config.untrusted import checkout_of  # noqa: PLC0415 (start-up)

            if checkout_of(usual_baseline(settings), settings.untrusted):
                return ""
        some: Settings | None = settings
        while some is not None:
            if some.baseline is not None or os.path.lexists(usual_baseline(some)):
                return usual_baseline(some) if some.baseline != "" else ""
            some = self.above(some)
        file = usual_baseline(self.run)
        is_there = self.run.baseline != "" and os.path.lexists(file)
        return file if is_there and self._is_below(settings) else ""

    def _is_below(self, settings: Settings) -> bool:
        """Return whether the files of some settings lie below those of the run."""
        return _is_below(os.path.realpath(settings.root), os.path.realpath(self.run.root))

    def changed(self, **changes: Any) -> Configurations:
        """Return the same with other values of some fields everywhere."""
        if self._fixed is not None:
            return Configurations.of_settings(replace(self.run, **changes))
        return Configurations(self._paths, within=self._within, changes={**self._changes, **changes})

    def _settings_of_folder(self, folder: str) -> Settings:
        """Return what the nearest configuration file says, with the changes."""
        if self._fixed is not None:
            return self._fixed
        if self._within and not _is_below(folder, self._within):
            return self._default
        passed = []
        while (found := self._nearest.get(folder)) is None:
            passed.append(folder)
            file = None
            if any(map(os.path.lexists, _candidate_files(folder))):
                from fairlint.config.reading import file_in, read  # noqa: PLC0415 (start-up)

                file = file_in(folder, self._within)
            if file is not None:
                settings = read(file.path, is_named=False, data=file.data, within=self._within)
                found = settings.with_changes(**self._changes)
                break
            above = os.path.dirname(folder)  # noqa: PTH120 (start-up)
            if folder in {above, self._within}:
                found = self._default
                break
            folder = above
        self._nearest.update(dict.fromkeys(passed, found))
        return found


def _is_below(folder: str, top: str) -> bool:
    """Return whether a folder is another or lies in it; both are given without symbolic links."""
    return f"{folder}{os.sep}".startswith(top.rstrip(os.sep) + os.sep)


_RUN_WIDE_KEYS = frozenset(map(key_of, RUN_WIDE))


def usual_baseline(settings: Settings) -> str:
    """Return where the baseline of some settings is, whether or not it is there."""
    return os.path.join(settings.root, settings.baseline or BASELINE)  # noqa: PTH118 (start-up)


def _candidate_files(folder: str) -> list[str]:
    return [os.path.join(folder, name) for name in NAMES]  # noqa: PTH118 (start-up)


def _common_folder(paths: Iterable[str | os.PathLike[str]]) -> str:
    """Return the folder that holds all of some paths, without symbolic links; the current one
    without paths.
    """
    real = [os.path.realpath(path) for path in paths]
    try:
        return os.path.commonpath(real) if real else os.path.realpath(os.getcwd())  # noqa: PTH109 (start-up)
    except ValueError:  # on several drives
        return os.path.realpath(os.getcwd())  # noqa: PTH109 (as above)
