"""Where the links of a terminal's report lead: to files, and to the pages of rules."""

from __future__ import annotations

import os
from functools import cached_property

from fairlint.reporters import ReportOptions
from fairlint.reporters.uris import file_uri
from fairlint.rules.loading import is_shipped
from fairlint.support.about import rule_page


class Links:
    """The addresses of one report; none for what is not there."""

    def __init__(self, options: ReportOptions) -> None:
        self._options = options

    def file(self, path: str) -> str:
        """Return a file's address, empty where there is no such file."""
        whole = os.path.normpath(os.path.join(self._options.root, path))  # noqa: PTH118 (names need not be text)
        return file_uri(whole) if os.path.isfile(whole) else ""  # noqa: PTH113 (as above)

    def rule(self, code: str) -> str:
        """Return the address of a rule's page: on the project's site, or else on this machine."""
        return self._rule_links.get(code, "")

    @cached_property
    def _rule_links(self) -> dict[str, str]:
        return {
            rule.code: (rule_page(rule.code, rule.name) if is_shipped(rule) else "") or file_uri(rule.path)
            for rule in self._options.load_rules()
            if os.path.isabs(rule.path)  # noqa: PTH117 (as above)
        }
