"""The state of one run: checkers by settings, and what they share."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from fairlint.checking.checker import Checker
from fairlint.checking.file_result import Candidate, FileResult
from fairlint.config import Configurations, Settings
from fairlint.sources.files_to_check import File

if TYPE_CHECKING:
    from fairlint.checking.result_cache import ResultCache
    from fairlint.syntax.tokens import Tokens
    from fairlint.vocabulary import Vocabulary


class Session:
    """The Checkers of a run, one for each configuration that is in force for some of its files."""

    def __init__(
        self,
        configurations: Configurations,
        *,
        in_project: bool = False,
        texts: Mapping[str, bytes] | None = None,
    ) -> None:
        self.configurations = configurations
        self._texts = texts
        self.settings = configurations.run
        """Those that the run has once."""
        self.in_project = in_project
        self.until = time.monotonic() + self.settings.timeout if self.settings.timeout else math.inf
        self.seconds_each = self.settings.file_timeout or math.inf
        """When the time for all sources is up."""
        self.vocabularies: dict[str, Vocabulary] = {}
        """By what extends them: many configurations may extend them in the same way."""
        self.searches: dict[int, Callable[[bytes, Tokens | None], Sequence[int]]] = {}
        """By the identity of the vocabulary."""
        self.checkers: list[Checker] = []
        self._numbers: dict[int, int] = {}
        """By the identity of the settings."""
        self.first = self.of(self.settings)
        self.known: ResultCache | None = None
        """Results of earlier runs, where they are kept."""

    def of(self, settings: Settings) -> Checker:
        """Return the Checker for some settings."""
        number = self._numbers.setdefault(id(settings), len(self.checkers))
        if number == len(self.checkers):
            made = Checker(settings, in_project=self.in_project, texts=self._texts, crew=self, number=number)
            self.checkers.append(made)
        return self.checkers[number]

    def of_file(self, path: str) -> Checker:
        """Return the Checker for a file."""
        return self.of(self.configurations.of_file(path))

    def load_all(self) -> None:
        """Make everything that the analysis needs."""
        for checker in self.checkers:
            checker.load_all()

    def read(self, file: File) -> FileResult | Candidate:
        """As `Checker.read`."""
        return self.of(file.settings).read(file)

    def analyse(self, pending: Candidate) -> FileResult:
        """As `Checker.analyse`."""
        return self.checkers[pending.checker].analyse(pending)

    def keep(self, result: FileResult) -> None:
        """Keep a result for later runs, where they are kept."""
        if self.known is not None:
            self.known.keep(result)
