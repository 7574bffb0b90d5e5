"""Plugins: found by their entry point, named when they are broken, and free when there are none."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import venv
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fairlint import check_source
from fairlint.detectors import observation
from fairlint.detectors.registry import detectors
from fairlint.plugins import manager
from fairlint.reporters import SHIPPED
from fairlint.reporters.registry import reporters
from fairlint.rules.loading import load_rules, rule_folders
from fairlint.semantics.execution import execute
from fairlint.syntax.registry import languages

ROOT = Path(__file__).parent.parent


@pytest.fixture(autouse=True)
def forget_plugins() -> Iterator[None]:
    manager._plugin_manager.cache_clear()
    yield
    manager._plugin_manager.cache_clear()


Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Put a module with hooks and its entry point on the path, as an installer would."""

    def installed(code: str, name: str = "trial", value: str | None = None) -> None:
        folder = tmp_path / "packages"
        module = f"{name}_of_{tmp_path.name}"
        metadata = folder / f"{name}-1.0.dist-info"
        metadata.mkdir(parents=True)
        (folder / f"{module}.py").write_text(textwrap.dedent(code))
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (metadata / "entry_points.txt").write_text(f"[fairlint]\n{name} = {value or module}\n")
        monkeypatch.syspath_prepend(str(folder))

    return installed


FORMATS = list(SHIPPED)


def test_without_plugins_there_is_what_fairlint_ships() -> None:
    assert list(reporters()) == FORMATS
    assert {name: language.suffixes for name, language in languages().items()} == {
        "python": (".py", ".pyi", ".pyw"),
        "c": (".c", ".h"),
    }
    assert manager.names() == ()
    assert "FL201" in {rule.code for rule in load_rules()}


def test_the_page_on_usage_has_a_row_for_each_format() -> None:
    usage = (ROOT / "docs/usage.md").read_text("utf-8")
    section = usage[usage.index("\n## Formats\n") :].split("\n\n")[1]
    rows = [line.split("|")[1] for line in section.splitlines()[2:]]
    assert sorted(name.strip(" `") for row in rows for name in row.split(",")) == sorted(FORMATS)


def test_a_plugin_adds_to_what_is_shipped(install: Install, tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    (tmp_path / "extra.toml").write_text("[attributes.handedness]\ntitle = 'handedness'\n")
    install(
        f"""
        def fairlint_reporters():
            return {{"mine": lambda report, options: ["told"]}}

        def fairlint_rule_folders():
            return [{str(tmp_path / "pages")!r}]

        def fairlint_attributes():
            return [{str(tmp_path / "extra.toml")!r}, {{"attributes": {{}}}}]
        """
    )
    assert manager.names() == ("trial",)
    assert list(reporters()) == [*FORMATS, "mine"]
    assert rule_folders()[1:] == (tmp_path / "pages",)
    assert manager.attribute_tables() == (
        {"attributes": {"handedness": {"title": "handedness"}}},
        {"attributes": {}},
    )


@pytest.mark.parametrize(
    ("code", "ask", "message"),
    [
        (
            "from fairlint.uses import Use",
            reporters,
            "imports fairlint.uses, which is now fairlint.findings.uses",
        ),
        (
            "from fairlint.plugins import Language",
            reporters,
            "imports fairlint.plugins.Language, which is now fairlint.syntax.language.Language",
        ),
        ("import nowhere_at_all", reporters, "loading raised ModuleNotFoundError"),
        ("def fairlint_reporter(): ...", reporters, "unknown hook 'fairlint_reporter'"),
        ("def fairlint_reporters(colour): ...", reporters, "loading raised PluginValidationError"),
        (
            "def fairlint_reporters(): 1 / 0",
            reporters,
            "fairlint_reporters raised ZeroDivisionError: division by zero",
        ),
        (
            "def fairlint_reporters(): return [1]",
            reporters,
            "must give a table of names, each a text",
        ),
        ("def fairlint_reporters(): return {'x': 1}", reporters, "must give functions, not int"),
        (
            "def fairlint_reporters(): return {'json': print}",
            reporters,
            "the format 'json', which is already taken",
        ),
        ("def fairlint_rule_folders(): return 'x'", rule_folders, "must give a list, not str"),
        ("def fairlint_rule_folders(): return ['/no']", rule_folders, "does not exist: /no"),
        (
            "def fairlint_rule_folders(): return [3]",
            rule_folders,
            "must give paths of folders, not int",
        ),
        (
            "def fairlint_attributes(): return ['/no.toml']",
            manager.attribute_tables,
            "/no.toml: cannot be read",
        ),
        ("def fairlint_attributes(): return [__file__]", manager.attribute_tables, "is not valid TOML"),
        (
            "def fairlint_languages(): return ['rust']",
            languages,
            "must give Language objects, not str",
        ),
        (
            "def fairlint_detectors(): return ['x']",
            detectors,
            "must give Detector objects, not str",
        ),
        (
            "from fairlint.detectors import Detector\ndef fairlint_detectors(): return [Detector('x')]",
            detectors,
            "fairlint_detectors must give 'x' one function, observe_file or observe_site",
        ),
        (
            "from fairlint.detectors import SHIPPED\ndef fairlint_detectors(): return SHIPPED",
            detectors,
            "is already taken",
        ),
        ("raise SystemExit(0)", detectors, "loading asked to exit"),
    ],
)
def test_a_broken_plugin_is_one_clear_line(
    install: Install, code: str, ask: Callable[[], Iterable[object]], message: str
) -> None:
    before = list(ask())
    manager._plugin_manager.cache_clear()
    install(code)
    assert len(list(ask())) == len(before)
    (plugin, told), *_ = manager.troubles()
    assert plugin == "trial"
    assert told.startswith("plugin 'trial': ")
    assert message in told
    assert "\n" not in told


def test_two_plugins_are_asked_in_the_order_of_their_names(install: Install) -> None:
    install("def fairlint_reporters(): return {'b': print}", name="bbb")
    install("def fairlint_reporters(): return {'a': print}", name="aaa")
    assert list(reporters())[-2:] == ["a", "b"]


def test_without_plugins_nothing_heavy_is_imported() -> None:
    code = (
        "import sys; from fairlint.reporters.registry import reporters;"
        "from fairlint.rules.loading import rule_folders; reporters(); rule_folders();"
        "print([name for name in ('pluggy', 'importlib.metadata', 'email') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
def test_the_example_plugin_works_when_it_is_installed(tmp_path: Path) -> None:
    venv.create(tmp_path / "venv", with_pip=True, symlinks=os.name != "nt")
    scripts = tmp_path / "venv" / ("Scripts" if os.name == "nt" else "bin")
    environment = {
        name: text for name, text in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}
    }

    def ran(*command: str | Path, expect: int = 0) -> str:
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == expect, done.stdout + done.stderr
        return done.stdout

    ran(scripts / "python", "-m", "pip", "install", "--quiet", ROOT, ROOT / "fixtures" / "plugin")
    code = tmp_path / "hire.py"
    code.write_text(
        "def hire_candidate(candidate):\n"
        "    score = candidate.years_experience\n"
        '    if candidate.handedness == "left":\n'
        "        score -= 2\n"
        "    return score\n"
    )
    assert "# EX101 decision-by-handedness" in ran(scripts / "fairlint", "rule", "EX101")
    assert "left handed" in ran(scripts / "fairlint", "attributes", "handedness")
    told = ran(scripts / "fairlint", "--format", "csv", "hire.py", expect=1)
    assert told.splitlines()[0] == "path,line,rule,severity,attribute,group,amount"
    assert "hire.py,3,EX101,warning,handedness,left,-2.0" in told.splitlines()
    (tmp_path / "ask.py").write_text(
        "def register(person):\n    person.handedness = input('Your handedness [right]: ')\n"
    )
    told = ran(scripts / "fairlint", "--format", "csv", "ask.py", "--min-severity", "note")
    assert "ask.py,2,EX102,note,handedness,," in told.splitlines()
    rules = json.loads(ran(scripts / "fairlint", "rule", "--all", "--format", "json"))
    assert {"EX101", "EX102", "FL201"} <= {rule["code"] for rule in rules}


DETECTORS = """
    from fairlint.detectors import Detector
    from fairlint.detectors.use_builder import make_use, plain_use
    from fairlint.support.records import replace
    from fairlint.syntax.tree import Gap

    def seen(site, naming, context):
        return make_use(
            site, naming, context, kind="read", effect="{effect}", shape="read", event=site.events[0],
            target="the plugin's"
        )

    def all_of_them(context):
        yield from ()
        yield Gap(context.body[0].span, f"seen by a plugin: {{len(context.execution.sites)}} sites")

    def fairlint_detectors():
        return [Detector("seen", observe_site=seen), Detector("all of them", observe_file=all_of_them)]
"""

STORES = "def note(person):\n    if person.gender == 'f':\n        person.title = 'Ms'\n    return person\n"
SCORES = (
    "def rate(person):\n    if person.gender == 'f':\n        person.score += 5\n    return person.score\n"
)


@pytest.mark.parametrize(
    ("code", "effect", "target"),
    [
        (STORES, "show", "the plugin's"),
        (STORES, "decide", "the plugin's"),
        (SCORES, "decide", "person.score"),
    ],
    ids=["more than a read", "an outcome", "the shipped ones come first"],
)
def test_a_plugin_is_asked_about_the_sites(install: Install, code: str, effect: str, target: str) -> None:
    install(DETECTORS.format(effect=effect))
    report = check_source(code)
    assert [use.target for _, use in report.uses] == [target]
    assert [gap.reason for gap in report.not_analysed] == ["seen by a plugin: 1 sites"]


def test_a_file_is_executed_once_for_all_detectors(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    install(DETECTORS.format(effect="show"))
    executed = []

    def counted(*arguments: Any) -> Any:
        executed.append(arguments)
        return execute(*arguments)

    monkeypatch.setattr(observation, "execute", counted)
    check_source(SCORES)
    assert len(executed) == 1


@pytest.mark.parametrize(
    ("failing", "reason"),
    [
        ("1 / 0", "plugin 'trial': its detector 'failing' raised ZeroDivisionError: division by zero"),
        ("sys.exit(0)", "plugin 'trial': its detector 'failing' asked to exit"),
    ],
)
@pytest.mark.parametrize("kind", ["observe_file", "observe_site"])
def test_a_detector_that_fails_is_named(install: Install, failing: str, reason: str, kind: str) -> None:
    install(
        f"""
        import sys
        from fairlint.detectors import Detector

        def failing(*arguments):
            {failing}

        def fairlint_detectors():
            return [Detector("failing", {kind}=failing)]
        """
    )
    report = check_source(STORES)
    assert report.failed
    assert [gap.reason for gap in report.not_analysed] == [reason]
