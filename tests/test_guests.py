"""Plugins are guests: what one does wrong is a line that names it, and everything else goes on."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fairlint import Settings, check_paths, check_source
from fairlint.cli import main
from fairlint.plugins import manager
from fairlint.reporters import registry
from fairlint.reporters.registry import reporters

SCORES = (
    "def rate(person):\n    if person.gender == 'f':\n        person.score += 5\n    return person.score\n"
    "def note(person):\n    if person.gender == 'f':\n        person.title = 'Ms'\n    return person\n"
)

GOOD = """
    from fairlint.detectors import Detector
    from fairlint.syntax.tree import Gap, Span

    def all_of_them(context):
        size = len(context.source.data)
        yield Gap(Span(size - 1, size), "seen by the good plugin")

    def fairlint_detectors():
        return [Detector("good", observe_file=all_of_them)]

    def fairlint_reporters():
        return {"good": lambda report, options: ["told"]}
"""
HEAD = """
    import os, sys, time
    from fairlint.detectors import Detector
    from fairlint.detectors.use_builder import make_use
    from fairlint.syntax.language import Language
    from fairlint.support.records import replace
    from fairlint.syntax.tree import Call, Gap, Name, Span, Tree
    from fairlint.findings.uses import GroupPoints, Step

    class Hostile:
        def _broken(self, *_): raise RuntimeError("hostile")
        __eq__ = __hash__ = __repr__ = __str__ = __bool__ = __len__ = __iter__ = __getattr__ = _broken

    class Text(str):
        def __eq__(self, other): raise RuntimeError("hostile")
        __hash__ = str.__hash__

    class Broken(Exception):
        def __str__(self): raise RuntimeError("hostile")

    def use(site, naming, context, **changes):
        made = make_use(site, naming, context, kind="score-update", effect="show", shape="read",
                        event=site.events[0], target="x")
        return replace(made, **changes)

    def forever():
        while True:
            yield Gap(Span(0, 1), "again")

"""


@pytest.fixture(autouse=True)
def forget_plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    manager._plugin_manager.cache_clear()
    yield
    manager._plugin_manager.cache_clear()
    manager._TROUBLES.clear()


Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Installs the good plugin, and one that has a fault."""

    def installed(code: str) -> None:
        folder = tmp_path / "packages"
        for name, text in (
            ("good", textwrap.dedent(GOOD)),
            ("bad", textwrap.dedent(HEAD) + textwrap.dedent(code)),
        ):
            module = f"{name}_of_{tmp_path.name}"
            metadata = folder / f"{name}-1.0.dist-info"
            metadata.mkdir(parents=True)
            (folder / f"{module}.py").write_text(text)
            (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
            (metadata / "entry_points.txt").write_text(f"[fairlint]\n{name} = {module}\n")
        monkeypatch.syspath_prepend(str(folder))

    return installed


def detector(kind: str, body: str) -> str:
    arguments = "context" if kind == "observe_file" else "site, naming, context"
    made = f"def fault({arguments}):\n    {body}\n"
    return made + f"def fairlint_detectors():\n    return [Detector('faulty', {kind}=fault)]\n"


DETECTORS = [
    ("observe_file", "1 / 0", "its detector 'faulty' raised ZeroDivisionError: division by zero"),
    ("observe_file", "sys.exit(0)", "its detector 'faulty' asked to exit"),
    ("observe_file", "raise Broken", "its detector 'faulty' raised Broken"),
    ("observe_file", "return 5", "its detector 'faulty' raised TypeError: 'int' object is not iterable"),
    ("observe_file", "return Hostile()", "its detector 'faulty' raised RuntimeError: hostile"),
    ("observe_file", "return [5]", "what its detector 'faulty' gives is a int, not Use"),
    ("observe_file", "return [Hostile()]", "what its detector 'faulty' gives is a Hostile, not Use"),
    ("observe_file", "return [Gap(Span(0, 10**9), 'x')]", "is no place of the file: 0 to 1000000000"),
    ("observe_file", "return [Gap(Span(-1, 1), 'x')]", "is no place of the file: -1 to 1"),
    ("observe_file", "return [Gap(5, 'x')]", "wrong: `span` is a int, not Span"),
    ("observe_file", "return [Gap(Span(0, 1), Hostile())]", "wrong: `reason` is a Hostile, not str"),
    ("observe_file", "return [Gap(Span(0, 1), 'x', 'whim')]", "wrong: `cause` is a str, not one of syntax"),
    ("observe_file", "return forever()", "gives more than 10,000 Uses"),
    ("observe_file", "def f(): f()\n    f()", "raised RecursionError"),
    ("observe_site", "1 / 0", "its detector 'faulty' raised ZeroDivisionError"),
    ("observe_site", "sys.exit(3)", "its detector 'faulty' asked to exit"),
    ("observe_site", "return 'junk'", "is a str, not Use"),
    ("observe_site", "return Hostile()", "is a Hostile, not Use"),
    ("observe_site", "return use(site, naming, context, span=Span(5, 2))", "is no place of the file: 5 to 2"),
    ("observe_site", "return use(site, naming, context, attribute='shoe')", "is about 'shoe', which is no attribute"),
    ("observe_site", "return use(site, naming, context, attribute=Text('gender'))", "`attribute` is a Text, not str"),
    ("observe_site", "return use(site, naming, context, kind='whim')", "`kind` is a str, not one of decision"),
    ("observe_site", "return use(site, naming, context, effect=Text('score'))", "`effect` is a Text, not one of"),
    ("observe_site", "return use(site, naming, context, groups=['male'])", "`groups` is a list, not tuple"),
    ("observe_site", "return use(site, naming, context, groups=(5,))", "`groups` is a int, not str"),
    ("observe_site", "return use(site, naming, context, outcomes={5: 'x'})", "`outcomes` is a int, not str"),
    ("observe_site", "return use(site, naming, context, evidence=None)", "`evidence` is a NoneType, not tuple"),
    ("observe_site", "return use(site, naming, context, tags={'x'})", "`tags` is a set, not frozenset"),
    ("observe_site", "return use(site, naming, context, flow=(Step(Span(0, 10**6), 'x'),))", "no place of the file"),
    (
        "observe_site",
        "return use(site, naming, context, points=GroupPoints('add', {'male': float('nan')}, None))",
        "has points that are no finite numbers",
    ),
    (
        "observe_site",
        "return use(site, naming, context, points=GroupPoints('add', {'male': '5'}, None))",
        "`points.by_group` is a str, not float",
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "body", "told"), DETECTORS, ids=[f"{one[0]}: {one[1]}" for one in DETECTORS]
)
def test_a_detector_that_fails_is_named_and_the_others_go_on(
    install: Install, kind: str, body: str, told: str
) -> None:
    install(detector(kind, body))
    report = check_source(SCORES, path="rate.py")
    assert [finding.rule for finding in report.findings] == ["FL201"]
    assert report.failed
    (wrong,) = [gap for gap in report.not_analysed if gap.cause == "plugin"]
    assert wrong.path == "rate.py"
    assert wrong.reason.startswith("plugin 'bad': ")
    assert told in wrong.reason
    assert "\n" not in wrong.reason
    assert "seen by the good plugin" in {gap.reason for gap in report.not_analysed}


def test_the_summary_says_that_a_plugin_failed(
    install: Install, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    install(detector("observe_file", "1 / 0"))
    (tmp_path / "rate.py").write_text(SCORES)
    assert main(["rate.py"]) == 2
    shown = capsys.readouterr().out
    assert "a plugin failed" in shown
    assert "fairlint itself" not in shown


def test_a_line_is_explained_although_a_plugin_fails(
    install: Install, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    install(detector("observe_file", "1 / 0"))
    (tmp_path / "rate.py").write_text(SCORES)
    assert main(["explain", "rate.py:2"]) == 0
    shown = capsys.readouterr().out
    assert "FL201" in shown
    assert "not analysed: plugin 'bad': its detector 'faulty' raised ZeroDivisionError" in shown


HOOKS = [
    ("1 / 0", "loading raised ZeroDivisionError"),
    ("sys.exit(0)", "loading asked to exit"),
    ("raise Broken", "loading raised Broken"),
    ("import nowhere", "loading raised ModuleNotFoundError"),
    ("def fairlint_whims(): return []", "loading raised PluginValidationError"),
    ("def fairlint_reporters(): 1 / 0", "fairlint_reporters raised ZeroDivisionError"),
    ("def fairlint_detectors(): sys.exit(0)", "fairlint_detectors asked to exit"),
    ("def fairlint_detectors(): return Hostile()", "fairlint_detectors"),
    ("def fairlint_detectors(): return [Hostile()]", "must give Detector objects, not Hostile"),
    ("def fairlint_detectors(): return [Detector(Hostile(), observe_file=print)]", "whose name is no text"),
    ("def fairlint_detectors(): return [Detector('labels', observe_file=print)]", "already taken"),
    ("def fairlint_detectors(): return forever()", "gives more than 10,000 things"),
    ("def fairlint_reporters(): return {Hostile: print}", "must give a table of names"),
    ("def fairlint_reporters(): return {Text('x'): print}", "must give a table of names"),
    ("def fairlint_attributes(): return [Hostile()]", "must give TOML files or tables, not Hostile"),
    ("def fairlint_attributes(): return [{'attributes': 5}]", "gives what cannot be used"),
    ("def fairlint_attributes(): return [{'attributes': {'x': {'core': Hostile()}}}]", "holds a Hostile"),
    ("def fairlint_attributes(): return ['/dev/zero']", "not a regular file"),
    ("def fairlint_library_models(): return [{'colour': 1}]", "unknown key 'colour'"),
    ("def fairlint_rule_folders(): return [os.path.dirname(__file__)]", "EX1.md"),
    ("def fairlint_languages(): return [Language('c', ('.zz',), print)]", "already taken"),
    ("def fairlint_languages(): return [Language('z', ('.py',), print)]", "already taken"),
    ("def fairlint_languages(): return [Language('z', '.zz', print)]", "`suffixes` is wrong"),
    ("def fairlint_languages(): return [Language('z', (Hostile(),), print)]", "fairlint_languages"),
    ("def fairlint_languages(): return [Language('z', ('.zz',), 5)]", "whose `parse` is no function"),
    ("def fairlint_languages(): return [Language('z', ('.zz',), print, conventions=5)]", "`conventions` is no"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "told"), HOOKS, ids=[one[0] for one in HOOKS])
def test_a_hook_that_fails_is_named_and_the_others_go_on(
    install: Install, tmp_path: Path, capsys: pytest.CaptureFixture[str], code: str, told: str
) -> None:
    install(code)
    (tmp_path / "packages" / "EX1.md").write_text("no rule page")
    reporters()
    report = check_source(SCORES, path="rate.py")
    assert [finding.rule for finding in report.findings] == ["FL201"]
    assert report.failed
    wrong = {gap.path: gap.reason for gap in report.not_analysed if gap.cause == "plugin"}
    assert list(wrong) == ["<plugin bad>"]
    assert wrong["<plugin bad>"].startswith("plugin 'bad': ")
    assert told in wrong["<plugin bad>"]
    assert "seen by the good plugin" in {gap.reason for gap in report.not_analysed}
    (tmp_path / "rate.py").write_text(SCORES)
    assert main(["--format", "concise", "rate.py"]) == 2
    shown = capsys.readouterr().out
    assert "rate.py:2:8: FL201 error" in shown
    assert shown.count("plugin 'bad'") == 1


def test_other_commands_name_a_broken_plugin(install: Install, capsys: pytest.CaptureFixture[str]) -> None:
    install("def fairlint_rule_folders(): 1 / 0")
    assert main(["rule", "FL201"]) == 2
    shown = capsys.readouterr()
    assert "points-by-group" in shown.out
    assert shown.err.splitlines() == [
        "fairlint: plugin 'bad': fairlint_rule_folders raised ZeroDivisionError: division by zero"
    ]


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("1 / 0", "raised ZeroDivisionError"),
        ("sys.exit(0)", "asked to exit"),
        ("return 5", "raised TypeError"),
        ("return ['a', 5]", "must give texts, not int"),
        ("return [Hostile()]", "must give texts, not Hostile"),
    ],
)
def test_a_format_that_fails_leaves_the_old_report(
    install: Install,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    body: str,
    told: str,
) -> None:
    install(f"def fault(report, options):\n    {body}\ndef fairlint_reporters(): return {{'mine': fault}}\n")
    (tmp_path / "rate.py").write_text(SCORES)
    (tmp_path / "report").write_text("old")
    assert main(["--format", "mine", "--output", "report", "rate.py"]) == 2
    assert (tmp_path / "report").read_text() == "old"
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("fairlint: error: plugin 'bad': its format 'mine' ")
    assert told in line


def test_a_format_without_end_is_named(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(registry, "LONGEST_REPORT", 1000)
    install("def fairlint_reporters(): return {'mine': lambda *_: iter(str, 5)}\n")
    (tmp_path / "rate.py").write_text(SCORES)
    assert main(["--format", "mine", "rate.py"]) == 2
    told = "fairlint: error: plugin 'bad': its format 'mine' gives more than 1,000 characters\n"
    assert capsys.readouterr().err == told


LANGUAGES = [
    ("return 5", "must give a Tree, not int"),
    ("1 / 0", "raised ZeroDivisionError"),
    ("return Tree([], ())", "is wrong: `body` is a list, not tuple"),
    ("return Tree((5,), ())", "is wrong: `body` is a int, not Node"),
    ("return Tree((Name(Span(0, 10**9), 'x'),), ())", "no place of the file"),
    ("return Tree((Name(Span(0, 1), Hostile()),), ())", "`body.id` is a Hostile, not str"),
    ("return Tree((Call(Span(0, 1), None, ()),), ())", "`body.function` is a NoneType, not Node"),
    ("a = Name(Span(0, 1), 'x')\n    for _ in range(9999): a = Call(Span(0, 1), a, ())\n    return Tree((a,), ())",
     "is nested too deeply"),
]  # fmt: skip


@pytest.mark.parametrize(("body", "told"), LANGUAGES, ids=[one[0] for one in LANGUAGES])
def test_a_parser_that_fails_costs_its_own_files(
    install: Install, tmp_path: Path, body: str, told: str
) -> None:
    install(
        f"def parse(data, keep=None):\n    {body}\n"
        "def fairlint_languages(): return [Language('z', ('.zz',), parse)]\n"
    )
    (tmp_path / "a.zz").write_text("gender gender\n")
    (tmp_path / "b.py").write_text(SCORES)
    report = check_paths(["."], Settings(extend_exclude=("packages",)))
    assert [finding.path for finding in report.findings] == ["b.py"]
    assert report.failed
    (wrong,) = [gap for gap in report.not_analysed if gap.cause == "plugin"]
    assert wrong.path == "a.zz"
    assert wrong.reason.startswith("plugin 'bad': its language 'z' ")
    assert told in wrong.reason


@pytest.mark.parametrize("field", ["encoding", "outline", "signs", "cell"])
def test_any_part_of_a_language_may_fail(install: Install, tmp_path: Path, field: str) -> None:
    install(
        "def fault(*_): 1 / 0\n"
        f"def fairlint_languages(): return [Language('z', ('.zz',), lambda data, keep: Tree((), ()), {field}=fault)]\n"
    )
    (tmp_path / "a.zz").write_text("gender gender\n")
    (tmp_path / "b.py").write_text(SCORES)
    report = check_paths(["."], Settings(extend_exclude=("packages",)))
    assert [finding.path for finding in report.findings] == ["b.py"]
    wrong = [(gap.path, gap.reason) for gap in report.not_analysed if gap.cause == "plugin"]
    told = "plugin 'bad': its language 'z' raised ZeroDivisionError: division by zero"
    assert wrong == [("a.zz", told)] * (field in {"encoding", "outline"})


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("1 / 0", "raised ZeroDivisionError"),
        ("sys.exit(0)", "asked to exit"),
        ("return 5", "must give a Value or None, not int"),
    ],
)
def test_a_function_of_a_library_model_may_fail(
    install: Install, tmp_path: Path, body: str, told: str
) -> None:
    table = {
        "package": "risk",
        "python": f"bad_of_{tmp_path.name}",
        "functions": {"go": {"does": "keeps", "python": "go"}},
    }
    install(f"def go(call):\n    {body}\ndef fairlint_library_models(): return [{table!r}]\n")
    (tmp_path / "a.py").write_text("import risk\nrisk.go(5)\n" + SCORES)
    (tmp_path / "b.py").write_text(SCORES)
    report = check_paths(["a.py", "b.py"])
    assert "b.py" in [finding.path for finding in report.findings]
    (wrong,) = [gap for gap in report.not_analysed if gap.cause == "plugin"]
    assert wrong.path == "a.py"
    assert wrong.reason.startswith("plugin 'bad': the function 'go' of its library model ")
    assert told in wrong.reason
    assert report.failed


# -------------------------------------------------------------------------------------------------- hangs


def alone(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A run of the command in a process without the threads that other tests leave."""
    code = "import sys; sys.path.insert(0, 'packages'); from fairlint.cli import main; sys.exit(main(sys.argv[1:]))"
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False, timeout=60
    )


@pytest.mark.parametrize("kind", ["observe_file", "observe_site"])
@pytest.mark.parametrize("hang", ["time.sleep(100)", "all(iter(int, 1)) or any(iter(int, 1))"])
def test_a_detector_that_hangs_is_named(install: Install, tmp_path: Path, kind: str, hang: str) -> None:
    install(detector(kind, hang))
    (tmp_path / "rate.py").write_text(SCORES)
    done = alone("--file-timeout", "1", "--format", "json", "rate.py")
    (wrong,) = json.loads(done.stdout)["not_analysed"]
    assert wrong["cause"] == ("plugin" if "sleep" in hang else "time")  # nothing interrupts a loop in C
    assert ("in the plugin 'bad'" in wrong["reason"]) == ("sleep" in hang)
    spent = (
        ("10 s on the clock",) if "sleep" in hang else ("1 s (the setting file-timeout)", "10 s on the clock")
    )
    assert any(
        limit in wrong["reason"] for limit in spent
    )  # a busy machine may reach the clock's limit first


def test_a_language_that_hangs_is_named(install: Install, tmp_path: Path) -> None:
    install(
        "def encoding(data): time.sleep(100)\n"
        "def fairlint_languages(): return [Language('z', ('.zz',), print, encoding=encoding)]\n"
    )
    (tmp_path / "a.zz").write_text("gender gender\n")
    (tmp_path / "b.py").write_text(SCORES)
    report = check_paths(["."], Settings(extend_exclude=("packages",), file_timeout=1.0))
    assert [finding.path for finding in report.findings] == ["b.py"]
    assert [gap.path for gap in report.not_analysed if "in the plugin 'bad'" in gap.reason] == ["a.zz"]
    assert report.failed


@pytest.mark.parametrize(
    "code",
    [
        "time.sleep(100)",
        "def fairlint_detectors(): time.sleep(100)",
        "def fairlint_reporters(): return {'mine': lambda *_: time.sleep(100)}",
    ],
)
def test_a_hook_that_hangs_is_named(
    install: Install,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    code: str,
) -> None:
    monkeypatch.setattr(manager, "PATIENCE", 0.5)
    install(code)
    (tmp_path / "rate.py").write_text(SCORES)
    form = "mine" if "mine" in code else "concise"
    assert main(["--format", form, "rate.py"]) == 2
    shown = "".join(capsys.readouterr())
    assert "plugin 'bad'" in shown
    assert "takes longer than 0.5 s" in shown


def test_what_a_plugin_prints_is_not_in_the_report(tmp_path: Path, install: Install) -> None:
    install("print('at load')\n" + detector("observe_file", "print('in a file')\n    return []"))
    (tmp_path / "rate.py").write_text(SCORES)
    done = alone("--format", "json", "rate.py")
    assert done.stdout.startswith("{")
    assert "in a file" in done.stderr


def test_a_model_of_a_plugin_that_cannot_be_loaded_is_named(
    install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    install("def load(where, options): 1 / 0\ndef fairlint_models(): return {'mine': load}\n")
    assert main(["bench", "--model", "mine:x", "--output", "out"]) == 2
    assert "plugin 'bad': its model 'mine' raised ZeroDivisionError" in capsys.readouterr().err


MODEL = """
from fairlint.backends.model import Response, Sampling

class Model:
    name = "mine"
    revision = "1"
    settings = {{"backend": "mine"}}

    def sampling(self, wanted):
        return Sampling(10, 0.0, 1.0)

    def answer(self, requests, sampling, finished):
        first, *rest = requests
        yield [Response(first, "def f(p): return 5", "", "end")]
        {body}

    def close(self):
        pass

{rest}

def fairlint_models():
    return {{"mine": lambda where, options: Model()}}
"""


@pytest.mark.parametrize(
    ("body", "rest", "told"),
    [
        ("1 / 0", "", "raised ZeroDivisionError: division by zero"),
        ("sys.exit(0)", "", "asked to exit"),
        ("yield [Response(first, 'x', '', 'end')]", "", "answers what it was not asked, or twice"),
        ("yield [5]", "", "must give Responses to Requests, not int"),
        ("yield 5", "", "raised TypeError"),
        ("yield [Response(rest[0], Hostile(), '', 'end')]", "", "gives a Hostile as its `text`"),
        ("yield [Response(rest[0], 'x', '', 'end', new_tokens='many')]", "", "`new_tokens` is no whole number"),
        ("", "Model.name = Hostile()", "gives a Hostile as its `name`"),
        ("", "Model.settings = {'x': Hostile()}", "holds a Hostile"),
        ("", "Model.sampling = lambda *_: None", "gives a NoneType for its Sampling"),
        ("", "Model = int", "which answers nothing"),
    ],
)  # fmt: skip
def test_a_model_of_a_plugin_that_fails_ends_the_run_with_a_line(
    install: Install, capsys: pytest.CaptureFixture[str], body: str, rest: str, told: str
) -> None:
    install(MODEL.format(body=body, rest=rest))
    assert (
        main(
            ["bench", "--model", "mine:x", "--suite", "faircode:function", "--limit", "3", "--output", "out"]
        )
        == 2
    )
    shown = capsys.readouterr().err
    assert "plugin 'bad': its model " in shown
    assert told in shown
    assert "internal error" not in shown
