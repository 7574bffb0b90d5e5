"""`python -m fairlint.prepare` makes the files anew that save every run the reading of TOML.

They are `lexicon/compiled.tsv`, `lexicon/prefilter.txt` and `parsed.json`. To be run after a change of
the vocabulary or of a rule's front matter; until then the TOML itself is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from fairlint import rules, toml
from fairlint.lexicon import load


def known_texts() -> Iterator[str]:
    """All TOML that comes with fairlint, but for the vocabulary."""
    for page in rules.pages(rules.rules_dir()):
        yield rules.front_matter(Path(page).read_text(encoding="utf-8"), page)[0]


def main() -> None:
    """Writes all of them."""
    load.write()
    toml.write(known_texts())


if __name__ == "__main__":
    main()
