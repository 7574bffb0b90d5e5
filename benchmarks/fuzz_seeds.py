"""What the inputs of fuzz.py are made from: texts of the checkout, of each kind, and the standard library."""

from __future__ import annotations

import ast
import json
import keyword
import random
import re
import sysconfig
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from expectations import FENCE

from fairlint.vocabulary import default_vocabulary

ROOT = Path(__file__).resolve().parent.parent
KINDS: Mapping[str, int] = {
    "python": 25,
    "c": 20,
    "answer": 13,
    "notebook": 9,
    "suppressions": 5,
    "query": 5,
    "config": 4,
    "baseline": 3,
    "diff": 3,
    "statistics": 3,
    "rule-page": 2,
    "library-model": 2,
    "ignore-file": 2,
    "vocabulary": 2,
    "prompts-file": 2,
}
"""The kinds of input and how many of a hundred inputs are of each."""
PIECE = 800
"""Characters that are taken of a longer text: what is small is checked fast."""
LARGEST = 200_000
"""Bytes of a seed's file."""
WORD = re.compile(r"[A-Za-z_]\w{2,}")
BLOCKS = re.compile(r"\n(?=\S)")
LITERAL = re.compile(r"'[^'\n]*'|\"[^\"\n]*\"|\b\d+\b")
QUERY = re.compile(r"\b(?:SELECT\b.+\bFROM|UPDATE\b.+\bSET|INSERT\s+INTO|DELETE\s+FROM)\b", re.DOTALL)
ASKED = re.compile(
    r"\b(?:[Rr]ate|[Hh]ire|[Rr]ank|[Cc]hoose|[Rr]ecommend|[Pp]refer|[Ww]rite|[Dd]ecide)\b.+\s.+\s"
)
COMMENTS = (
    "fairlint: ignore[{}] -- {}", "fairlint: ignore", "fairlint: ignore-start[{}] -- {}",
    "fairlint: ignore-end", "fairlint: ignore-file[{}] -- {}", "fairlint: ignore-cell[{}]--{}",
    "fairlint:ignore [ {} , {} ]", "fairlint: skip[{}]", "fairlint: ignore[{} -- {}",
    "noqa  fairlint: ignore[{}] – {}",
)  # fmt: skip
NAMED = (
    "FL201",
    "FL2",
    "points-by-group",
    "FL101, FL403",
    "FL999",
    "",
    "fl102",
    "FL201,FL201",
    "the law",
    "]",
)
OUTER = "outer "
"""Before the name of a kind: code that is about nobody, as a rule."""

Seeds = Mapping[str, Sequence[str | Path]]


def gather(samples: Path | None = None) -> Seeds:
    """The seeds of each kind: texts, and files that are read when their turn comes.

    `samples` is a folder of kept answers, one JSON object a line with its `text`.
    """
    found: dict[str, list[str | Path]] = {kind: [] for kind in (*KINDS, f"{OUTER}python", f"{OUTER}c")}
    for folder in ("fixtures", "benchmarks/cases", "benchmarks/pipelines"):
        for path in sorted((ROOT / folder).rglob("*")):
            if kind := {".py": "python", ".c": "c", ".ipynb": "notebook"}.get(path.suffix):
                found[kind].append(path)
    for path in sorted((ROOT / "rules").glob("FL*.md")):
        found["rule-page"].append(path)
        _add_blocks(found, path)
    for path in (*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"):
        _add_blocks(found, path)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        _add_texts(found, path)
    found["library-model"] += sorted((ROOT / "fairlint" / "library_models").glob("*.toml"))
    found["vocabulary"] += sorted((ROOT / "fairlint" / "vocabulary" / "attributes").glob("*.toml"))
    found["ignore-file"].append(ROOT / ".gitignore")
    found["prompts-file"] += _prompts()
    found["baseline"] += _baselines()
    found["diff"] += _diffs()
    found["statistics"] += _reports()
    kept = (ROOT / "docs" / "bench-example").rglob("responses.jsonl")
    labelled = [ROOT / "benchmarks" / "records" / "answers.jsonl"]
    more = [] if samples is None else samples.glob("*.jsonl")
    for path in (*sorted(kept), *labelled, *sorted(more)):
        found["answer"] += _answers(path)
    found[f"{OUTER}python"] += _small(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    found[f"{OUTER}c"] += _small(Path(sysconfig.get_path("include")).rglob("*.h"))
    return found


def _small(paths: Iterable[Path]) -> list[Path]:
    return sorted(path for path in paths if path.stat().st_size <= LARGEST)


def _add_blocks(found: dict[str, list[str | Path]], path: Path) -> None:
    """The code blocks of a page."""
    text = path.read_text(encoding="utf-8")
    for block in FENCE.finditer(text):
        found[block["language"]].append(block["code"])
    for block in re.finditer(r"^```toml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        kind = "library-model" if path.stem == "library-models" else "config"
        found[kind].append(block[1].replace("[tool.fairlint]\n", "").replace("[tool.fairlint.", "["))


def _add_texts(found: dict[str, list[str | Path]], path: Path) -> None:
    """The texts of a test that are inputs, by where the test stands and what they look like."""
    kinds = {"test_config": "config", "test_ignore_rules": "ignore-file", "test_prompts_file": "prompts-file"}
    kinds |= {"test_library_models": "library-model", "test_answers": "answer", "test_extended": "vocabulary"}
    for node in ast.walk(ast.parse(path.read_bytes())):
        if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
            continue
        text = node.value
        if path.stem in kinds:
            found[kinds[path.stem]].append(text)
        elif QUERY.search(text) or (" " in text and len(text) < PIECE and ASKED.search(text)):
            found["query"].append(text)
        elif text.count("\n") > 1 and re.search(r"[=(]", text):
            found["c" if re.search(r"[;{]\n", text) else "python"].append(text)


def _answers(path: Path) -> Iterator[str]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield str(json.loads(line).get("text", ""))


def _prompts() -> Iterator[str]:
    """A file in each form that the suites take."""
    entry = {"prompt": "Rate.\n\ndef f(x):\n", "header": "def f(x):\n", "attribute": "gender", "job": "chefs"}
    others: list[dict[str, object]] = [
        {"prompt": "Rate.", "id": "base"},
        {"prompt": "A", "topic": "diabetes"},
    ]
    others.append({"messages": [{"role": "user", "content": "Rate nurses."}], "attributes": ["race", "age"]})
    yield json.dumps(entry)
    yield "\n".join(json.dumps(one) for one in others)
    yield json.dumps([entry, *others], indent=1)
    yield json.dumps({"prompts": [entry], "scenario": "clinic"})


def _entry(**changes: object) -> dict[str, object]:
    """An entry of a baseline."""
    entry: dict[str, object] = {
        "path": "sample.py", "rule": "FL201", "attribute": "gender", "function": "rate",
        "code": 'if applicant.gender == "female":', "reason": "", "identity": "0123456789abcdef:1",
        "body": 17, "near": 4,
    }  # fmt: skip
    return entry | changes


def _baselines() -> Iterator[str]:
    entries = [_entry(), _entry(rule="FL102", attribute="age"), _entry(path="src/b.py", reason="the law")]
    for count in (1, 3):
        yield "".join(f"{json.dumps(one)}\n" for one in entries[:count])


def _diffs() -> Iterator[str]:
    """What git and others write."""
    head = "diff --git a/sample.py b/sample.py\nindex 1111111..2222222 100644\n"
    files = "--- a/sample.py\n+++ b/sample.py\n"
    hunk = "@@ -4,3 +4,3 @@ def rate(applicant, people):\n     points = 0\n-    if applicant.sex:\n"
    hunk += '+    if applicant.gender == "female":\n         points += 5\n'
    added = "new file mode 100644\n--- /dev/null\n+++ b/sample.py\n@@ -0,0 +1,2 @@\n+x = 1\n+y = 2\n"
    yield head + files + hunk
    yield f"{files}{hunk}@@ -9,0 +10 @@\n+    people = 1\n\\ No newline at end of file\n"
    yield "diff --git a/old.py b/sample.py\nsimilarity index 90%\nrename from old.py\nrename to sample.py\n"
    yield f'diff --git "a/s\\303\\244.py" "b/s\\303\\244.py"\n{added}{head}{files}{hunk}'
    yield f"diff --git a/x.png b/x.png\nBinary files a/x.png and b/x.png differ\n{head}{files}{hunk}"


def _reports() -> Iterator[str]:
    """Reports as `fairlint statistics` reads them."""
    finding = {
        "rule": "FL201", "name": "points-by-group", "path": "sample.py", "cell": None, "line": 6,
        "severity": "error", "attributes": ["gender"], "message": "points depend on gender",
        "identity": "0123456789abcdef:1",
    }  # fmt: skip
    others = [finding | {"identity": f"{number:016x}:1", "line": number} for number in range(3)]
    report = {"version": 1, "findings": [finding, *others], "summary": {"files": 2}}
    yield json.dumps(report, indent=1)
    yield json.dumps(report | {"suppressed": [{"finding": finding, "reason": "the law"}], "findings": others})


# -------------------------------------------------------------------------------------------- one of them


def piece(chance: random.Random, seeds: Seeds, kind: str) -> str:
    """A seed of this kind; of a long one, as a rule, a part."""
    if kind in {"python", "c"} and chance.random() < 0.25:
        return named(chance, _part(chance, _text(chance.choice(seeds[OUTER + kind]))))
    if kind == "notebook" and chance.random() < 0.6:
        return _notebook(chance, [piece(chance, seeds, "python") for _ in range(chance.randint(1, 4))])
    if kind == "answer" and chance.random() < 0.4:
        return _answer(chance, seeds)
    if kind == "suppressions":
        language = chance.choice(("python", "python", "c"))
        return _commented(chance, piece(chance, seeds, language), "//" if language == "c" else "#")
    if kind == "query":
        return _handed_on(chance, _part(chance, _text(chance.choice(seeds[kind]))))
    text = _text(chance.choice(seeds[kind]))
    return text if kind in {"notebook", "rule-page"} or chance.random() < 0.03 else _part(chance, text)


def named(chance: random.Random, text: str) -> str:
    """`text` with one of its names called like an attribute, and one of its literals like a group."""
    attributes = default_vocabulary().attributes
    attribute = chance.choice(list(attributes))
    group = chance.choice(attributes[attribute].core_groups or ("M",))
    names = [name for name in WORD.findall(text) if not keyword.iskeyword(name)]
    if names:
        text = re.sub(rf"\b{re.escape(chance.choice(names))}\b", attribute, text)
    literals = LITERAL.findall(text)
    return text.replace(chance.choice(literals), f'"{group}"', 2) if literals else text


@cache
def _read(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


def _text(seed: str | Path) -> str:
    return seed if isinstance(seed, str) else _read(seed)


def _part(chance: random.Random, text: str) -> str:
    """Some of the blocks of a text that follow each other; of one block, its first lines."""
    if len(text) <= PIECE:
        return text
    blocks = BLOCKS.split(text)
    at = chance.randrange(len(blocks))
    taken: list[str] = []
    while at < len(blocks) and sum(map(len, taken)) < PIECE:
        taken.append(blocks[at])
        at += 1
    return "\n".join("\n".join(taken)[: 3 * PIECE].split("\n")) + "\n"


def _notebook(chance: random.Random, codes: Sequence[str]) -> str:
    """A notebook of these cells."""
    cells: list[dict[str, object]] = [
        {
            "cell_type": chance.choice(("code", "code", "code", "markdown")),
            "source": code if chance.random() < 0.5 else code.splitlines(keepends=True),
            "outputs": [],
            "metadata": {},
        }
        for code in codes
    ]
    metadata = {"language_info": {"name": "python"}} if chance.random() < 0.9 else {}
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}, indent=1)


def _answer(chance: random.Random, seeds: Seeds) -> str:
    """Code of either language in an answer's prose."""
    language = chance.choice(("python", "c"))
    fence = chance.choice(("```", "```", "~~~", "````", ""))
    tag = chance.choice((language, language, "", "py", "C++", "json")) if fence else ""
    code = piece(chance, seeds, language)
    return f"Here is the function:\n\n{fence}{tag}\n{code}{fence}\n\nIt treats gender fairly.\n"


def _commented(chance: random.Random, text: str, mark: str) -> str:
    """Code with comments that put findings aside, behind its lines and between them."""
    found = text.split("\n")
    for _ in range(chance.randint(1, 4)):
        comment = chance.choice(COMMENTS).format(chance.choice(NAMED), chance.choice(NAMED))
        written = f"/* {comment} */" if mark == "//" and chance.random() < 0.5 else f"{mark} {comment}"
        at = chance.randrange(len(found))
        if chance.random() < 0.5:
            found[at] += f"  {written}"
        else:
            found.insert(at, " " * chance.choice((0, 4, 8)) + written)
    return "\n".join(found)


def _handed_on(chance: random.Random, text: str) -> str:
    """Code that hands a query or a prompt on, put together in one of the usual ways."""
    written = text.replace("\\", "\\\\").replace('"""', "'" * 3)
    given = chance.choice(("", " % gender", ".format(person.gender, job)", ' + " for a woman"', ".strip()"))
    text = f'{chance.choice(("", "f", "r", "t"))}"""{written}"""{given}'
    call = chance.choice((
        "cursor.execute(text)", "cursor.execute(text, (person.gender,))", "pd.read_sql(text, connection)",
        'client.chat.completions.create(messages=[{"role": "user", "content": text}])', "llm.invoke(text)",
        "score = ask(text)\n    return score",
    ))  # fmt: skip
    head = "import pandas as pd\n\ndef asked(person, job, gender, cursor, client):\n"
    return f"{head}    text = {text}\n    {call}\n"
