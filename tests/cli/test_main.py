"""The command line: what each option does, exit codes, and errors of one line."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "reporters"))

import made

from fairlint import __version__
from fairlint.checking import runner
from fairlint.cli import main
from fairlint.config import Configurations
from fairlint.findings.report import Report
from fairlint.support.errors import UsageError

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def seen() -> dict[str, Any]:
    """What the runner was last asked."""
    return {}


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, seen: dict[str, Any]
) -> Run:
    """Run the command line on a runner that gives a report made by hand: exit code, output, errors."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "FAIRLINT_DEBUG", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)

    def ran(*arguments: str, report: Report | BaseException | None = None) -> tuple[int, str, str]:
        def check_paths(paths: Sequence[str], configurations: Configurations, **_: bool) -> Report:
            seen.update(paths=list(paths), settings=configurations.run)
            if isinstance(report, BaseException):
                raise report
            return made.score_report() if report is None else report

        monkeypatch.setattr(runner, "check_paths", check_paths)
        code = main(arguments)
        output, errors = capsys.readouterr()
        return code, output, errors

    return ran


def with_severity(severity: str) -> Report:
    source = made.Source("a.py", made.SCORE.encode(), "python")
    return made.report((source, made.finding(source, "points += 5", severity=severity)))  # type: ignore[arg-type]


def test_check_is_the_command_where_none_is_named(run: Run, seen: dict[str, Any]) -> None:
    assert run("a.py", "b") == run("check", "a.py", "b")
    assert seen["paths"] == ["a.py", "b"]
    code, output, _ = run("a.py")
    assert code == 1
    assert output.startswith("error[FL201]: gender: male +5, female +0, gap 5\n")


def test_without_arguments_the_current_folder_is_checked(run: Run, seen: dict[str, Any]) -> None:
    run()
    assert seen["paths"] == ["."]


def test_words_after_two_dashes_are_paths(run: Run, seen: dict[str, Any]) -> None:
    run("a.py", "-q", "--", "-b.py", "--quiet")
    assert seen["paths"] == ["a.py", "-b.py", "--quiet"]


def test_a_file_named_like_a_command_goes_by_its_folder(run: Run, seen: dict[str, Any]) -> None:
    run("./rule")
    assert seen["paths"] == ["./rule"]
    run("check", "rule", "check")
    assert seen["paths"] == ["rule", "check"]


@pytest.mark.parametrize(
    ("severity", "arguments", "code"),
    [
        ("error", [], 1),
        ("warning", [], 1),
        ("note", [], 0),
        ("note", ["--fail-on", "note"], 1),
        ("warning", ["--fail-on", "error"], 0),
        ("error", ["--fail-on", "error"], 1),
        ("error", ["--exit-zero"], 0),
    ],
)
def test_the_exit_code_follows_the_gravest_finding(
    run: Run, severity: str, arguments: list[str], code: int
) -> None:
    assert run(*arguments, report=with_severity(severity))[0] == code


def test_clean_is_zero_and_a_breakdown_is_two(run: Run) -> None:
    assert run(report=Report(files=1)) == (0, "No findings in 1 file.\n", "")
    code, output, _ = run(report=Report(files=1, failed=True))
    assert code == 2
    assert "fairlint itself broke down" in output
    assert run("--exit-zero", report=Report(files=1, failed=True))[0] == 2


def test_settings_come_from_the_options(run: Run, seen: dict[str, Any]) -> None:
    run(
        *("--select", "FL1,FL201", "--select", "points-table", "--ignore", "FL104", "--jurisdiction", "eu"),
        *("--domain", "hiring", "--min-severity", "error", "--force-exclude", "--no-gitignore", "a.py"),
    )
    settings = seen["settings"]
    assert settings.select == ("FL1", "FL201", "points-table")
    assert settings.ignore == ("FL104",)
    assert (settings.jurisdiction, settings.domain) == ("eu", "hiring")
    assert settings.force_exclude
    assert not settings.respect_gitignore


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ([], "warning"),
        (["--fail-on", "note"], "note"),
        (["--min-severity", "error"], "error"),
        (["--min-severity", "warning", "--fail-on", "note"], "warning"),
        (["--min-severity", "error", "--fail-on", "error"], "error"),
        (["--min-severity", "note"], "note"),
    ],
)
def test_what_fails_is_shown_unless_told_otherwise(
    run: Run, seen: dict[str, Any], arguments: list[str], shown: str
) -> None:
    run(*arguments)
    assert seen["settings"].min_severity == shown


def test_a_configuration_file_is_read_unless_isolated(run: Run, seen: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "fairlint.toml").write_text('domain = "credit"\n')
    (tmp_path / "other.toml").write_text('domain = "housing"\n')
    run()
    assert seen["settings"].domain == "credit"
    run("--domain", "justice")
    assert seen["settings"].domain == "justice"
    run("--config", "other.toml")
    assert seen["settings"].domain == "housing"
    run("--isolated")
    assert seen["settings"].domain == "all"


def test_formats(run: Run) -> None:
    assert run("--format", "concise")[1].startswith("hiring/score.py:6:9: FL201 error ")
    assert json.loads(run("--format", "json")[1])["version"] == 1
    log = json.loads(run("--format=sarif")[1])
    assert log["runs"][0]["invocations"][0]["exitCode"] == 1
    assert len(log["runs"][0]["tool"]["driver"]["rules"]) > 10


def test_output_goes_to_a_file_as_a_whole(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "report.json"
    target.write_text("old")
    target.chmod(0o640)
    code, output, errors = run("--format", "json", "--output", "report.json")
    assert (code, output) == (1, "")
    assert errors == "Found 1 finding (1 error) in 10 files.\n"
    assert json.loads(target.read_text())["summary"]["findings"] == 1
    assert target.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]
    assert run("--format", "json", "--output", "report.json", "--quiet")[1:] == ("", "")


def test_output_through_a_link_keeps_the_link(run: Run, tmp_path: Path) -> None:
    (tmp_path / "real.txt").write_text("old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    run("--output", "link.txt")
    assert (tmp_path / "link.txt").is_symlink()
    assert "FL201" in (tmp_path / "real.txt").read_text()


def test_one_run_writes_several_reports(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")  # both runs are of one time
    both = [
        "--also",
        "sarif=a.sarif",
        "--also=json=sub.json",
        "--format",
        "concise",
        "--color",
        "always",
        ".",
    ]
    code, out, err = run(*both)
    assert (code, err) == (1, "")
    assert "FL201" in out
    assert json.loads((tmp_path / "a.sarif").read_text())["version"] == "2.1.0"
    assert json.loads((tmp_path / "sub.json").read_text())["findings"]
    run("--format", "json", "--output", "alone.json", ".")
    assert (tmp_path / "alone.json").read_text() == (tmp_path / "sub.json").read_text()


def test_reports_besides_have_no_colours(run: Run, tmp_path: Path) -> None:
    _, out, _ = run("--also", "text=a.txt", "--format", "text", "--color", "always", ".")
    assert "\x1b[" in out
    assert "\x1b[" not in (tmp_path / "a.txt").read_text()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--also", "sarif"], "--also needs a format and a file, as sarif=fairlint.sarif, not 'sarif'"),
        (["--also", "=x"], "--also needs a format and a file, as sarif=fairlint.sarif, not '=x'"),
        (["--also", "sarf=x"], "unknown format 'sarf'"),
        (["--also", "json=x", "--output", "./x"], "two reports would be written to x"),
    ],
)
def test_reports_besides_that_cannot_be_are_usage_errors(run: Run, words: list[str], told: str) -> None:
    code, out, err = run(*words, ".")
    assert (code, out) == (2, "")
    assert told in err


def test_output_that_cannot_be_written_is_an_error(run: Run) -> None:
    code, _, errors = run("--output", "no/such/folder.txt")
    assert code == 2
    assert errors == "fairlint: error: no/such/folder.txt: cannot be written: there is no folder no/such\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--formt", "json"], "unknown option --formt; did you mean '--format'"),
        (["--selct", "FL2"], "unknown option --selct; did you mean '--select'? (see"),
        (["--format", "jsn"], "unknown format 'jsn'; did you mean 'json'"),
        (["--format", "klingon"], "unknown format 'klingon'; known are text, concise, json, sarif"),
        (
            ["--fail-on", "fatal"],
            "--fail-on must be one of note, warning, error, not-analysed, unread, incomplete, not 'fatal'",
        ),
        (["--jurisdiction", "mars"], "--jurisdiction must be one of all, us, eu, uk, not 'mars'"),
        (["--output"], "--output needs a value: FILE"),
        (["--config", "no.toml"], "no.toml: cannot be read: No such file or directory"),
        (["--config", "a", "--isolated"], "--config cannot be used with --isolated"),
        (["-", "a.py"], "- (standard input) stands alone"),
        (["--stdin-filename", "a.py"], "--stdin-filename requires the path -"),
        (["-", "--stdin-filename", "a.rs"], "its suffix tells no known language"),
        (["rule", "FL20l"], "unknown rule 'FL20l'; did you mean 'FL20"),
        (["rule", "point-by-group"], "did you mean 'points-by-group'"),
        (["rule", "xyzzy"], "unknown rule 'xyzzy'; `fairlint rule --all` lists them"),
        (["rule", "FL201", "--all"], "give a rule or --all, not both"),
        (["schema", "x"], "unexpected argument 'x' (see fairlint schema --help)"),
        (["--quiet=yes"], "--quiet takes no value"),
        (["rule", "a", "b"], "unexpected argument 'b'"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_code_two(run: Run, arguments: list[str], message: str) -> None:
    code, output, errors = run(*arguments)
    assert (code, output) == (2, "")
    assert errors.startswith("fairlint: error: ")
    assert message in errors
    assert errors.count("\n") == 1


def test_errors_of_the_runner_are_one_safe_line(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    code, output, errors = run(report=UsageError("no such file: \x1b[31mx\n\udcff"))
    assert (code, output) == (2, "")
    assert errors == "fairlint: error: no such file: \\x1b[31mx\\n\\xff\n"
    code, _, errors = run(report=RuntimeError("boom"))
    assert code == 2
    assert errors.startswith("fairlint: error: internal error: RuntimeError: boom")
    monkeypatch.setenv("FAIRLINT_DEBUG", "1")
    with pytest.raises(RuntimeError):
        run(report=RuntimeError("boom"))


def test_an_interrupt_is_130(run: Run) -> None:
    assert run(report=KeyboardInterrupt()) == (130, "", "fairlint: interrupted\n")


def test_an_interrupt_while_modules_load_is_130(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(name: str) -> None:
        raise KeyboardInterrupt(name)

    monkeypatch.setattr("fairlint.cli.import_module", interrupted)

    assert main([]) == 130
    assert capsys.readouterr().err == "fairlint: interrupted\n"


INTERRUPTED = """
import os, sys
from fairlint.__main__ import run

class Interrupt:
    left = 0
    def find_spec(self, *_):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt

codes = set()
for number in range(1, 120, 7):
    child = os.fork()
    if child == 0:
        Interrupt.left = number
        sys.meta_path.insert(0, Interrupt())
        run()
    codes.add(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    if 0 in codes or 1 in codes:  # there are no more modules to load
        break
print(*sorted(codes))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that begin alike")
@pytest.mark.parametrize(
    "words", ["score.py", "explain score.py:3", "rule --all", "attributes gender", "schema", "bench --help"]
)
def test_an_interrupt_while_any_module_loads_leaves_no_traceback(words: str, tmp_path: Path) -> None:
    code = "def rate(p):\n    if p.gender == 'f':\n        return 1\n    return 0\n"
    (tmp_path / "score.py").write_text(code)
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, *words.split()],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(runner.__file__).parent.parent)},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.stdout.splitlines()[-1] in {"130", "0 130", "1 130"}
    assert set(done.stderr.splitlines()) <= {"fairlint: interrupted"}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device here")
@pytest.mark.parametrize("words", [".", "--help", "--version", "bench --help", "rule --all", "schema"])
def test_a_full_standard_output_is_one_line(words: str, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n")
    root = Path(runner.__file__).parent.parent
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "fairlint", *words.split()],
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(root)},
            check=False,
        )

    assert done.returncode == 2
    assert done.stderr == "fairlint: error: standard output cannot be written: No space left on device\n"


def test_an_output_without_a_name_is_a_usage_error(run: Run) -> None:
    assert run("--output", "") == (2, "", "fairlint: error: --output needs the name of a file\n")


def test_colour_is_for_terminals_and_those_who_ask(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[" not in run()[1]
    assert "\x1b[" in run("--color", "always")[1]
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in run()[1]
    assert "\x1b[" not in run("--color", "never")[1]
    run("--output", "x.txt")
    assert "\x1b[" not in Path("x.txt").read_text()
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in run()[1]


def test_help_and_version(run: Run) -> None:
    code, output, _ = run("--version")
    assert (code, output) == (0, f"fairlint {__version__}\n")
    code, output, _ = run("--help")
    assert code == 0
    for part in ("exit codes:", "examples:", "--fail-on", "fairlint rule", "--stdin-filename"):
        assert part in output
    for command in ("rule", "attributes", "schema", "check"):
        assert run(command, "--help")[0] == 0


def test_a_rule_is_found_by_code_and_name(run: Run) -> None:
    code, page, _ = run("rule", "FL201")
    assert code == 0
    assert page.startswith("# FL201 points-by-group\n\nSeverity: error. Confidence: high.")
    for heading in (
        "What it flags",
        "Why it matters",
        "Example",
        "Use instead",
        "Known limits",
        "References",
    ):
        assert f"\n## {heading}\n" in page
    assert run("rule", "points-by-group")[1] == run("rule", "fl201")[1] == page
    painted = run("rule", "FL201", "--color", "always")[1]
    assert "\x1b[1mFL201 points-by-group\x1b[0m" in painted
    assert "```" not in painted


def test_all_rules_are_listed(run: Run) -> None:
    code, output, _ = run("rule", "--all")
    assert code == 0
    lines = output.splitlines()
    assert lines == sorted(lines)
    assert re.match(r"FL101  decision-by-group +error +\S", lines[0])
    assert run("rule")[1] == output
    facts = json.loads(run("rule", "--all", "--format", "json")[1])
    assert [fact["code"] for fact in facts] == [line.split()[0] for line in lines]
    assert json.loads(run("rule", "FL201", "--format", "json")[1])["name"] == "points-by-group"


def test_the_schema_is_printed(run: Run) -> None:
    code, output, _ = run("schema")
    assert code == 0
    assert json.loads(output)["properties"]["version"] == {
        "description": "The version of this format.",
        "const": 1,
    }


ROOT = Path(__file__).parent.parent.parent


def fairlint(*arguments: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **options.pop("env", {})}
    return subprocess.run(
        [sys.executable, "-m", "fairlint", *arguments],
        capture_output=True,
        check=False,
        env=environment,
        **options,
    )


def test_a_reader_that_goes_away_is_no_trouble() -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "fairlint", "rule", "--all", "--format", "json"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == 0


def test_an_encoding_that_lacks_a_character_gets_an_escape(tmp_path: Path) -> None:
    code = tmp_path / "größe.py"
    code.write_text('def score(candidate):\n    return 5 if candidate.gender == "女" else 2\n')
    done = fairlint("--show-uses", code.name, cwd=tmp_path, env={"PYTHONIOENCODING": "ascii"})
    assert done.stderr == b""
    assert b"\\u5973" in done.stdout
    assert b"gr\\xf6\\xdfe.py" in done.stdout


def test_standard_input_is_checked_as_the_named_file(tmp_path: Path) -> None:
    code = (
        "def rate_applicant(applicant):\n"
        "    score = applicant.years_experience\n"
        '    if applicant.gender == "male":\n'
        "        score += 5\n"
        "    return score\n"
    )
    done = fairlint("-", "--format", "concise", cwd=tmp_path, input=code.encode())
    assert done.stdout.startswith(b"<stdin>:3:8: FL201 error ")
    assert done.returncode == 1
    done = fairlint(
        "--stdin-filename", "src/a.py", "--format=concise", "-", cwd=tmp_path, input=code.encode()
    )
    assert done.stdout.startswith(b"src/a.py:3:8: FL201 error ")


def test_every_use_is_shown_on_request(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        "def greet(customer):\n"
        '    title = "Ms" if customer.gender == "female" else "Mr"\n'
        "    print(title, customer.name)\n"
    )
    done = fairlint("--show-uses", "a.py", cwd=tmp_path)
    assert b"of gender" in done.stdout
    assert b"effect show" in done.stdout
    assert done.returncode == 0


def test_the_process_ends_with_its_exit_code_and_all_of_its_output(tmp_path: Path) -> None:
    lines = "".join(f"if person.gender == 'female':\n    score{place} += 5\n" for place in range(300))
    (tmp_path / "a.py").write_text(f"import atexit\n{lines}")
    for command, expected in (
        (("a.py", "--format", "json"), 1),
        (("a.py", "--exit-zero"), 0),
        (("none.py",), 2),
        (("bench", "models"), 0),
        (("--version",), 0),
    ):
        ended = subprocess.run(
            [sys.executable, "-m", "fairlint", *command],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == expected, ended.stderr
        if "json" in command:
            assert len(json.loads(ended.stdout)["findings"]) == 300


def test_in_github_actions_findings_are_annotations(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert run()[1].startswith("::error title=FL201")
    assert not run("--format", "text")[1].startswith("::")


def test_what_settings_exclude_is_excluded_on_standard_input_too(tmp_path: Path) -> None:
    code = b'def rate(person):\n    return 5 if person.gender == "male" else 2\n'
    (tmp_path / "fairlint.toml").write_text('exclude = ["vendored"]\n')
    at = ("--format=concise", "--stdin-filename", "vendored/rates.py", "-")
    done = fairlint("--force-exclude", *at, cwd=tmp_path, input=code)
    assert (done.stdout, done.returncode) == (b"No findings in 0 files.\n", 0)
    done = fairlint(*at, cwd=tmp_path, input=code)
    assert done.stdout.startswith(b"vendored/rates.py:2:17: FL201 ")
    assert done.returncode == 1


def test_a_file_of_which_nothing_could_be_read_is_none_that_was_checked(tmp_path: Path) -> None:
    (tmp_path / "torn.py").write_text("sex = [\n)) class while ((\n")
    (tmp_path / "half.py").write_text("sex = [\n)) class while ((\n\ndef f(a):\n    return a.sex\n")
    done = fairlint("--format=concise", "torn.py", cwd=tmp_path)
    assert b"torn.py:1:1: not analysed syntax error" in done.stdout
    assert done.returncode == 2
    assert fairlint("--format=concise", "half.py", cwd=tmp_path).returncode == 0
    assert fairlint("--format=concise", "torn.py", "half.py", cwd=tmp_path).returncode == 0


def test_counterfactual_says_which_extra_it_needs(tmp_path: Path) -> None:
    (tmp_path / "numpy.py").write_text('raise ModuleNotFoundError("No module", name="numpy")\n')
    (tmp_path / "people.csv").write_text("sex,income\nM,5\nF,7\n")
    (tmp_path / "loans.py").write_text('def approve(person):\n    return person["sex"] == "M"\n')
    asked = ("counterfactual", "loans.py:approve", "--data", "people.csv")
    done = fairlint(*asked, cwd=tmp_path, env={"PYTHONPATH": str(tmp_path)})
    assert b'numpy is not installed: pip install "fairlint[counterfactual]"' in done.stderr
    assert done.returncode == 2


def test_who_compares_a_country_is_told_once_how_to_say_whose_people_are_at_home(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = "def {}(p):\n    return 5 if p.nationality == {!r} else 0\n"
    file = tmp_path / "rate.py"
    file.write_text(code.format("rate_applicant", "AE") + code.format("score_applicant", "QA"))
    said = "nobody says whose people are at home here (home-country, as --home-country AE)"
    main(["--isolated", "--no-cache", str(file)])
    assert capsys.readouterr().out.count(said) == 1
    main(["--isolated", "--no-cache", "--home-country", "AE", str(file)])
    assert "nobody says" not in capsys.readouterr().out
    file.write_text(code.format("rate_applicant", "foreign"))
    main(["--isolated", "--no-cache", str(file)])
    told = capsys.readouterr().out
    assert "Found 1 finding" in told
    assert "nobody says" not in told
