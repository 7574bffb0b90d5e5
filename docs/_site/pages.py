"""Makes the pages of the site that are kept elsewhere: README, rules, vocabulary, law, changes.

mkdocs calls the two functions that begin with `on_`. Links between files of the repository become links
between pages; what is no page of the site (a fixture, a script) stays as text.
"""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from fairlint.laws import register  # noqa: E402 (the checkout's)
from fairlint.rules.loading import load_rules  # noqa: E402
from fairlint.rules.rule import Rule  # noqa: E402
from fairlint.vocabulary import default_vocabulary  # noqa: E402 (as above)

FROM_THE_ROOT = {
    "README.md": "index.md",
    "CHANGELOG.md": "changes.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "SECURITY-REVIEW.md": "security-review.md",
}
LINK = re.compile(r"(!?)\[(?P<text>[^\]]*)\]\((?P<target>[^)\s]+)\)")
PLACES = {"us": "United States", "eu": "European Union", "uk": "United Kingdom"}


def on_files(files: Files, *, config: Any) -> Files:
    """Add the pages that are kept elsewhere or made of data."""
    made = {uri: _linked((ROOT / name).read_text("utf-8"), ".", uri) for name, uri in FROM_THE_ROOT.items()}
    for rule in load_rules():
        uri = f"rules/{posixpath.basename(rule.path)}"
        made[uri] = _linked(rule.page, "rules", uri) + _references(rule)
    made["vocabulary.md"] = "".join(_vocabulary())
    made["law.md"] = "".join(_law())
    for uri, text in made.items():
        files.append(File.generated(config, uri, content=text))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Turn the links of a page that is kept in docs/."""
    uri = page.file.src_uri
    if page.file.generated_by is not None:
        return markdown
    return _linked(markdown, posixpath.join("docs", posixpath.dirname(uri)), uri)


def _linked(text: str, folder: str, uri: str) -> str:
    """Return a file's text with its links as they are on the site; `folder` is where the file is kept."""

    def turned(link: re.Match[str]) -> str:
        target, hash_, part = link["target"].partition("#")
        if re.match(r"[a-z]+:", target) or not target:
            return link[0]
        kept = posixpath.normpath(posixpath.join(folder, target))
        there = _page(kept)
        if there is None:
            return link["text"] if not link[1] else link[0]
        way = posixpath.relpath(there, posixpath.dirname(uri) or ".")
        return f"{link[1]}[{link['text']}]({way}{hash_}{part})"

    return LINK.sub(turned, text)


def _page(kept: str) -> str | None:
    """Return the page of the site that a file of the repository is; None where it is none."""
    if kept in FROM_THE_ROOT:
        return FROM_THE_ROOT[kept]
    if kept == "rules":
        return "rules.md"
    if kept.startswith("rules/"):
        return kept
    if kept.endswith("/report.md"):  # a report of the bench is a page by itself
        kept = kept.removesuffix("md") + "html"
    if kept.startswith("docs/") and (ROOT / kept).is_file():
        return kept.removeprefix("docs/")
    return None


def _references(rule: Rule) -> str:
    lines = "".join(
        f"- [{one.title}]({one.url})\n" if one.url else f"- {one.title}\n" for one in rule.sources()
    )
    return f"\n## References\n\n{lines}" if lines else ""


def _vocabulary() -> Iterator[str]:
    yield "# Vocabulary\n\nThe attributes that fairlint knows, and the groups in their tables.\n"
    yield "`fairlint attributes NAME` tells all names of one in code; the setting `attributes` extends,\n"
    yield "renames and switches them off.\n\n| attribute | is | groups |\n|---|---|---|\n"
    for attribute in default_vocabulary().attributes.values():
        groups = ", ".join(group.replace("_", " ") for group in attribute.core_groups)
        yield f"| `{attribute.name}` | {attribute.kind} | {groups} |\n"


def _law() -> Iterator[str]:
    yield "# Law\n\nThe register of laws that rules, attributes and advice refer to. This is no legal\n"
    yield "advice: laws have exceptions, and change. The setting `jurisdiction` chooses whose law is shown.\n"
    yield "Of a law that is *not verified*, no source was found on the day of the check.\n"
    yield "[As evidence](evidence.md) says what a report shows of what they ask for.\n"
    for place in dict.fromkeys(law.place for law in register().values()):
        yield f"\n## {place}\n\n| id | law | applies from | status | checked |\n|---|---|---|---|---|\n"
        for law in (one for one in register().values() if one.place == place):
            state = " ".join(filter(None, (law.status, law.repealed)))
            checked = law.checked_on if law.verified else f"{law.checked_on}, not verified"
            note = f" {law.note}" if law.note else ""
            title = f"[{law.title}]({law.url}).{note}"
            yield f"| `{law.id}` | {title} | {law.applies_from} | {state} | {checked} |\n"
    yield "\n## By attribute\n\nWhich laws name an attribute, as far as fairlint's vocabulary knows.\n\n"
    yield f"| attribute | {' | '.join(PLACES.values())} |\n|---|{'---|' * len(PLACES)}\n"
    for attribute in default_vocabulary().attributes.values():
        cells = [", ".join(f"`{id_}`" for id_ in attribute.laws.get(place, ())) for place in PLACES]
        yield f"| {attribute.title} | {' | '.join(cells)} |\n"
