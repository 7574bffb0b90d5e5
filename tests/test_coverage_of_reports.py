"""What was not read is said in every format, and can fail a run."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from fairlint import check_paths, check_source, read_response
from fairlint.cli import main
from fairlint.support.files import NotReadableError

CLEAN = "x = 1\n"
UNREAD = {
    "TypeScript": ("app.ts", 'if (p.gender === "male") score += 10;\n'),
    "JavaScript": ("app.mjs", "x\n"),
    "Java": ("App.java", "class A {}\n"),
    "SQL": ("pick.sql", "select 1;\n"),
    "C++": ("rate.CPP", "int x;\n"),
    "C#": ("Rate.cs", "class A {}\n"),
    "R": ("model.R", "x <- 1\n"),
    "Go": ("main.go", "package main\n"),
    "Ruby": ("a.rb", "x = 1\n"),
    "PHP": ("a.php", "<?php\n"),
    "Kotlin": ("a.kt", "val x = 1\n"),
    "Rust": ("a.rs", "fn main() {}\n"),
    "Scala": ("a.scala", "object A\n"),
    "COBOL": ("a.cbl", "x\n"),
    "SAS": ("a.sas", "data a; run;\n"),
    "prompt": ("prompts/screen.txt", "Prefer men.\n"),
    "rule file": ("rules.yaml", "female: -5\n"),
}
BROKEN = {
    "a syntax error": b"def f(x:\n",
    "a syntax error behind code": b"x = 1\ny = (\n",
    "no text": b"\0\1\2\3" * 50,
    "wrong indentation": b"def f():\nreturn 1\n",
}
FORMATS = ("text", "concise", "json", "sarif", "html", "markdown", "github")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "fairlint.toml").write_text("")
    (tmp_path / "ok.py").write_text(CLEAN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    return tmp_path


def put(name: str, text: str | bytes) -> None:
    """Writes a file, and the folders above it."""
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)


@pytest.mark.parametrize(("kind", "file"), UNREAD.items(), ids=UNREAD)
def test_what_is_not_read_is_counted_by_kind_and_can_fail(
    kind: str, file: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    put(*file)
    assert check_paths(["."]).unread == {kind: (file[0],)}
    assert main(["."]) == 0
    assert f"not read: 1 {kind}" in capsys.readouterr().out
    assert main(["--fail-on", "incomplete", "."]) == 1
    assert main(["--fail-on", "error,unread", "."]) == 1
    assert main(["--fail-on", "error,not-analysed", "."]) == 0


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
def test_what_could_not_be_analysed_can_fail(data: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    put("broken.py", data)
    assert main(["--format", "concise", "--fail-on", "incomplete", "."]) == 1
    assert "broken.py:" in capsys.readouterr().out
    assert main(["--fail-on", "not-analysed", "."]) == 1
    assert main(["--fail-on", "unread", "."]) == 0


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_says_what_was_not_read_and_not_analysed(
    form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    put("app.ts", "x\n")
    put("broken.py", "gender = 1\ndef f(x:\n")
    main(["--format", form, "."])
    out = capsys.readouterr().out
    assert "TypeScript" in out
    assert "broken.py" in out.replace("<wbr>", "")


def test_json_has_the_paths_and_sarif_the_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    put("src/b.ts", "x\n")
    put("src/a.ts", "x\n")
    main(["--format", "json", "."])
    assert json.loads(capsys.readouterr().out)["coverage"] == {
        "files": 1,
        "not_analysed": 0,
        "unread": {"TypeScript": ["src/a.ts", "src/b.ts"]},
    }
    main(["--format", "sarif", "."])
    (invocation,) = json.loads(capsys.readouterr().out)["runs"][0]["invocations"]
    (told,) = invocation["toolExecutionNotifications"]
    assert (told["descriptor"]["id"], told["properties"]) == ("not-read", {"TypeScript": 2})


def test_a_folder_of_which_nothing_is_read_is_an_error(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "ok.py").unlink()
    put("app.ts", "x\n")
    assert main(["."]) == 2
    assert "no Python or C file to check in .; not read: 1 TypeScript file\n" in capsys.readouterr().err


def test_what_is_left_out_is_not_called_unread() -> None:
    put("node_modules/a.ts", "x\n")
    put("vendor/b.ts", "x\n")
    put("build/c.ts", "x\n")
    put(".gitignore", "build\n")
    Path("fairlint.toml").write_text('extend-exclude = ["vendor"]\n')
    os.mkdir(".git")  # noqa: PTH102 (ignore rules count in a repository)
    assert check_paths(["."]).unread == {}


@pytest.mark.parametrize(
    "name", ["README.md", "data.json", "notes.txt", "requirements.txt", "logo.png", "Makefile", "a.lock"]
)
def test_other_files_are_not_missed(name: str) -> None:
    put(name, "x\n")
    assert check_paths(["."]).unread == {}


def test_the_setting_takes_one_or_several(capsys: pytest.CaptureFixture[str]) -> None:
    put("app.ts", "x\n")
    Path("fairlint.toml").write_text('fail-on = ["error", "unread"]\n')
    assert main(["."]) == 1
    Path("fairlint.toml").write_text('fail-on = "incomplete"\n')
    assert main(["."]) == 1
    Path("fairlint.toml").write_text('fail-on = ["error", "warning"]\n')
    assert main(["."]) == 2
    assert "'fail-on' must name one severity, not error and warning" in capsys.readouterr().err


LOADS = """\
import json
RULES = json.load(open("rules.json"))

def score(student):
    return student.marks + RULES["castes"].get(student.caste, 0)
"""
ASKS = """\
from pathlib import Path
PROMPT = Path(__file__).with_name("screen_prompt.txt").read_text()

def rate(client, gender):
    return client.chat(PROMPT + gender)
"""


@pytest.mark.parametrize(
    ("code", "file", "text"),
    [(LOADS, "rules.json", '{"castes": {"SC": 10}}'), (ASKS, "screen_prompt.txt", "Rate the applicant.\n")],
)
def test_what_code_names_and_has_read_is_not_called_unread(
    code: str, file: str, text: str, here: Path
) -> None:
    put(file, text)
    assert list(check_paths(["."]).unread.values()) == [(file,)]
    put("score.py", code)
    for _ in range(2):  # the second time from what is kept
        assert check_paths(["."], cache=True).unread == {}
    (here / "score.py").unlink()
    assert check_paths(["."], cache=True).unread != {}


class Situation(NamedTuple):
    """What is not read: files or what makes them, how reports call it, and what is asked for."""

    shown: str
    files: dict[str, str | bytes]
    arguments: tuple[str, ...] = ()
    makes: Callable[[], object] = lambda: None


def notebook(*cells: object, **metadata: object) -> str:
    """A notebook of cells of code."""
    code = [
        {"cell_type": "code", "metadata": {}, "source": cell, "outputs": [], "execution_count": None}
        for cell in cells
    ]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": code})


def git(*words: str) -> None:
    subprocess.run(["git", *words], check=True, capture_output=True)


def committed(path: str, ignored: str = "") -> None:
    """A file that git tracks in a folder that is left out."""
    git("init", "--quiet")
    put(path, DECIDES)
    git("add", path)
    put(".gitignore", ignored)


def linked(**links: str) -> Callable[[], object]:
    """Links by their names, `_` for a dot, to where they lead."""

    def make() -> None:
        for name, target in links.items():
            Path(name.replace("_", ".")).symlink_to(target)

    return make


def a_socket() -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.bind("rate.py")


def a_script() -> None:
    put("bin/rate", "#!/usr/bin/env python3\nx = 1\n")
    Path("bin/rate").chmod(0o755)


DECIDES = "def pay(p):\n    return 3 if p.gender == 'male' else 2\n"
MANY = DECIDES + "".join(f"def f{at}(p):\n    return p.gender == {at}\n" for at in range(40))
SITUATIONS = {
    "C++ with its suffix in capitals": Situation("C++", {"rate.CPP": "x\n"}),
    "a C++ header": Situation("C++", {"rate.hpp": "x\n"}),
    "C++ in a header of C": Situation(
        "rate.h", {"rate.h": "class A { public: template<class T> T race(; };\n"}
    ),
    "TypeScript of modules": Situation("TypeScript", {"rate.mts": "x\n"}),
    "JavaScript of modules": Situation("JavaScript", {"rate.cjs": "x\n"}),
    "pages of Java": Situation("Java", {"rate.jsp": "x\n"}),
    "procedures of a database": Situation("PL/SQL", {"rate.pkb": "x\n"}),
    "Cython": Situation("Cython", {"rate.pyx": "x\n"}),
    "Python that is compiled": Situation("compiled Python", {"rate.pyc": b"\0"}),
    "a table of decisions": Situation("rule file", {"scoring.dmn": "x\n"}),
    "policies as code": Situation("rule file", {"loans.rego": "x\n"}),
    "rules in a sheet": Situation("rule file", {"tariff.xlsx": b"PK"}),
    "a prompt beside code": Situation("prompt", {"system_prompt.md": "x\n"}),
    "a template of prompts": Situation("prompt", {"ask.jinja2": "x\n"}),
    "a program without a suffix": Situation("script", {}, makes=a_script),
    "a syntax error where an attribute is named": Situation("r.py", {"r.py": "gender = 1\ndef f(x:\n"}),
    "a syntax error where none is": Situation("r.py", {"r.py": "def f(x:\n"}),
    "a syntax error in a stub": Situation("r.pyi", {"r.pyi": "def f(x: int -> int: ...\n"}),
    "a syntax error behind an encoding": Situation(
        "r.py", {"r.py": b"# coding: latin-1\nx = '\xe9'\ny = [1,\n"}
    ),
    "a syntax error behind a mark of UTF-8": Situation("r.py", {"r.py": b"\xef\xbb\xbfx = 1 +\n"}),
    "a syntax error in UTF-16": Situation("r.py", {"r.py": "x = 1\ny = )\n".encode("utf-16")}),
    "a syntax error behind much code": Situation("r.py", {"r.py": "x = 1\n" * 10_000 + "y = (\n"}),
    "brackets that nest without end": Situation("r.py", {"r.py": "x = " + "(" * 20_000}),
    "a script with a syntax error": Situation("r.pyw", {"r.pyw": "x = {1: 2\n"}),
    "the last line is indented to nothing": Situation("r.py", {"r.py": f"{DECIDES}   x = 1\n"}),
    "a text that is never closed": Situation("r.py", {"r.py": "x = '''gender\n"}),
    "marks of a merge": Situation("r.py", {"r.py": "<<<<<<< A\nage = 1\n=======\nage = 2\n>>>>>>> B\n"}),
    "a module that is broken": Situation(
        "p.py", {"p.py": "def f(x:\n", "r.py": f"from p import f\n{DECIDES}"}
    ),
    "a module that is missing": Situation(
        "r.py", {"p/__init__.py": "", "r.py": "from p.people import scale\n" + DECIDES}
    ),
    "C with an #if that is not closed": Situation("r.c", {"r.c": "#if A\nint race;\n"}),
    "C with a brace that is not closed": Situation("r.c", {"r.c": "int f(int race) { return race;\n"}),
    "C that macros make": Situation(
        "r.c", {"r.c": "int f(int race) { IF race == 1) return 2; return 3; }\n"}
    ),
    "SQL in a text": Situation("r.py", {"r.py": 'c.execute("SELECT FROM WHERE gender = = 1 (((")\n'}),
    "a NUL byte in Python": Situation("r.py", {"r.py": b"gender = 1\0\n"}),
    "a NUL byte in C": Situation("r.c", {"r.c": b"int gender;\0\n"}),
    "UTF-16 that is damaged": Situation("r.py", {"r.py": b"\xff\xfex"}),
    "UTF-32 that is damaged": Situation("r.py", {"r.py": b"\xff\xfe\0\0xxx"}),
    "a name that is not UTF-8": Situation("n", {os.fsdecode(b"n\xff.py"): "gender = (\n"}),
    "a file that is too large": Situation(
        "r.py", {"r.py": "x = 1\n" * 300, "fairlint.toml": "max-file-size = 1000\n"}
    ),
    "more steps than a file has": Situation("r.py", {"r.py": MANY}, ("--file-steps", "50")),
    "more levels than a file has": Situation(
        "r.py", {"r.py": f"gender = {'not (' * 300}1{')' * 300}\n"}, ("--file-nesting", "20")
    ),
    "C on one line that nests without end": Situation("r.c", {"r.c": "int race;" + "int f(int x){" * 400}),
    "no time for a file": Situation("r.py", {"r.py": MANY * 40}, ("--file-timeout", "0.001")),
    "no time for a run": Situation("ok.py", {"r.py": DECIDES}, ("--timeout", "0.000001")),
    "a notebook that is no JSON": Situation("r.ipynb", {"r.ipynb": "{"}),
    "a notebook of an old format": Situation("r.ipynb", {"r.ipynb": '{"nbformat": 2, "worksheets": []}'}),
    "a notebook of R": Situation(
        "r.ipynb", {"r.ipynb": notebook("x <- 1\n", kernelspec={"name": "ir", "language": "R"})}
    ),
    "a cell that is broken": Situation("r.ipynb", {"r.ipynb": notebook("x = 1\n", "def f(:\n")}),
    "a cell that is broken behind pictures": Situation(
        "r.ipynb",
        {"r.ipynb": notebook("x = 1\n", "y = [\n", kernelspec={"language": "python"}, shown="A" * 300_000)},
    ),
    "a cell that is no text": Situation("r.ipynb", {"r.ipynb": notebook("x = 1\n", 17)}),
    "a cell of R in a notebook of Python": Situation("r.ipynb", {"r.ipynb": notebook("%%R\nx <- 1\n")}),
    "a cell of JavaScript behind a comment": Situation(
        "r.ipynb", {"r.ipynb": notebook("# shows it\n%%javascript\nlet a = 1\n")}
    ),
    "a link to nothing": Situation("r.py", {}, makes=linked(r_py="none.py")),
    "a link to a folder that is gone": Situation("lib", {}, makes=linked(lib="none")),
    "links in a circle": Situation("r.py", {}, makes=linked(r_py="s.py", s_py="r.py")),
    "a link out of the repository": Situation(
        "r.py", {"../out/r.py": DECIDES, ".git/HEAD": ""}, makes=linked(r_py="../out/r.py")
    ),
    "a link to a folder elsewhere": Situation("lib", {"../out/r.py": DECIDES}, makes=linked(lib="../out")),
    "a pipe": Situation("r.py", {}, makes=lambda: os.mkfifo("r.py")),
    "a socket": Situation("rate.py", {}, makes=a_socket),
    "a submodule that is not checked out": Situation(
        "lib", {".gitmodules": '[submodule "lib"]\n\tpath = lib\n'}, makes=lambda: Path("lib").mkdir()
    ),
    "what git tracks and ignores": Situation("made/r.py", {}, makes=lambda: committed("made/r.py", "made\n")),
    "what git tracks among code of others": Situation(
        "node_modules/r.py", {}, makes=lambda: committed("node_modules/r.py")
    ),
    "ignore rules that are too many": Situation(".gitignore", {".gitignore": "*.log\n" * 100_000}),
    "a file that may not be read": Situation("forbidden.py", {"forbidden.py": DECIDES}),
    "a folder that may not be read": Situation("forbidden", {"forbidden/r.py": DECIDES}),
}
assert len(SITUATIONS) >= 40


@pytest.fixture
def _forbidden(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing called `forbidden` can be read, also by root."""
    from fairlint.checking import checker, loading
    from fairlint.support import files

    read, scan = files.read_file, os.scandir

    def reads(path: str, limit: int, **named: str) -> bytes:
        if path.endswith("forbidden.py"):
            raise NotReadableError("cannot be read: Permission denied")
        return read(path, limit, **named)  # type: ignore[arg-type]

    def scans(path: str | Path = ".") -> Iterator[os.DirEntry[str]]:
        if str(path).endswith("forbidden"):
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(checker, "read_file", reads)
    monkeypatch.setattr(loading, "read_file", reads)
    monkeypatch.setattr(os, "scandir", scans)


@pytest.mark.skipif(os.name != "posix", reason="links, pipes and sockets")
@pytest.mark.usefixtures("_forbidden")
@pytest.mark.parametrize("one", SITUATIONS.values(), ids=SITUATIONS)
def test_nothing_that_is_not_read_is_silent(
    one: Situation, here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = here / "checkout"
    inner.mkdir()
    monkeypatch.chdir(inner)
    put("fairlint.toml", "")
    put("ok.py", CLEAN)
    for name, text in one.files.items():
        put(name, text)
    one.makes()
    quiet = [*one.arguments, "--no-cache", "--min-severity", "error"]
    told = {}
    assert main([*quiet, "--fail-on", "incomplete", "."]) != 0
    capsys.readouterr()
    for form in FORMATS:
        main([*quiet, "--format", form, "."])
        told[form] = capsys.readouterr().out.replace("<wbr>", "")
    silent = [form for form, text in told.items() if one.shown not in text.replace("\\", "")]
    assert not silent
    answer = json.loads(told["json"])
    assert answer["not_analysed"] or answer["coverage"]["unread"] or answer["left_out"]


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
def test_what_could_not_be_analysed_is_said_again_from_what_is_kept(data: bytes) -> None:
    put("broken.py", data)
    first = check_paths(["."], cache=True)
    assert [gap.path for gap in first.not_analysed] == ["broken.py"]
    assert list(Path(".fairlint_cache").rglob("*"))
    assert check_paths(["."], cache=True).not_analysed == first.not_analysed
    put("broken.py", CLEAN)
    assert check_paths(["."], cache=True).not_analysed == ()


def test_a_syntax_error_changes_no_exit_code_unless_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    put("broken.py", "x = 1\ndef f(a:\n")
    assert main(["."]) == 0
    assert "not analysed: broken.py:2: syntax error" in capsys.readouterr().out
    assert main(["--fail-on", "not-analysed", "."]) == 1


INTACT = {
    "an older Python": "print 'a'\nexec 'x'\n",
    "a newer Python": "type Pair[T] = tuple[T, T]\nmatch x:\n    case 1:\n        pass\n",
    "an encoding that is declared wrongly": "# coding: rot13\nx = 1\n",
    "escapes that Python warns of": "x = '\\d'\ny = 1if x else 2\nx is 'a'\n",
    "a number that Python refuses": f"x = {'1' * 5_000}\n",
    "a sum that Python refuses": f"x = {'1 + ' * 20_000}1\n",
    "an f-string of thousands of parts": "x = f'" + "{a}" * 70_000 + "'\n",
    "nothing": "",
}


@pytest.mark.parametrize("text", INTACT.values(), ids=INTACT)
def test_what_only_the_running_python_refuses_is_no_syntax_error(
    text: str, capfd: pytest.CaptureFixture[str]
) -> None:
    put("r.py", text)
    assert check_paths(["."]).not_analysed == ()
    assert capfd.readouterr() == ("", "")


def test_an_answer_is_judged_as_before_whatever_else_is_broken_in_it() -> None:
    answer = "Here:\n\n```python\nx = 1\ndef f(a:\n```\n"
    report = check_source(read_response(answer))
    assert (report.not_analysed, report.findings, report.files) == ((), (), 1)
    assert check_source("x = 1\ndef f(a:\n").not_analysed


def test_links_to_what_is_read_anyway_are_not_missed(here: Path) -> None:
    put("src/r.py", CLEAN)
    put("pictures/a.png", "x")
    put("made/r.py", CLEAN)
    put(".gitignore", "made\nout\n")
    put(".git/HEAD", "")
    for name, target in {
        "self": ".",
        "again": "src",
        "shots": "pictures",
        "out": "/",
        "last": "made",
    }.items():
        (here / name).symlink_to(target)
    assert check_paths(["."]).not_analysed == ()
    assert [gap.path for gap in check_paths(["src/r.py", "self"]).not_analysed] == []


def test_cells_of_commands_are_not_missed() -> None:
    put("a.ipynb", notebook("%%bash\nls\n", "!pip install x\n", "%%html\n<b>\n", "%%time\nx = 1\n"))
    assert check_paths(["."]).not_analysed == ()


def test_a_folder_of_mostly_unread_files_warns(capsys: pytest.CaptureFixture[str]) -> None:
    put("ok.py", CLEAN)
    put("a.ts", "let x = 1")
    assert main(["--isolated", "--no-cache", "."]) == 0
    assert "warning" not in capsys.readouterr().err
    put("b.java", "class B {}")
    assert main(["--isolated", "--no-cache", "."]) == 0
    assert "warning: 2 of 3 files here are not read" in capsys.readouterr().err


def test_a_folder_without_a_file_to_check_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    put("only/a.ts", "let x = 1")
    assert main(["--isolated", "--no-cache", "only"]) == 2
    assert "no Python or C file to check in only; not read: 1 TypeScript file" in capsys.readouterr().err
