"""A repository under its own configuration: what it may say, and what it may not."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from git_server import POINTS, git, make_repository

from fairlint.cli import main
from fairlint.fleet.entries import parse_entry
from fairlint.fleet.jobs import Answer, answer, job_of, join_job, shard_job
from fairlint.fleet.limits import Limits
from fairlint.fleet.policy import Policy, read_policy
from fairlint.support.errors import UsageError

TWO = {"a.py": POINTS, "web/b.py": POINTS}


@pytest.fixture(autouse=True)
def _stay(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def job(tmp_path: Path, settings: Mapping[str, Any], split: int = 0) -> Any:
    """The job of the repository `shop`."""
    work = tmp_path / "work"
    work.mkdir(exist_ok=True)
    policy = Policy({"own-config": True, **settings}).values("shop", "2026-01-01")
    return job_of(parse_entry(str(tmp_path / "shop")), "", Limits(), policy, str(work), split)


def ask(tmp_path: Path, files: Mapping[str, str], **settings: Any) -> Answer:
    make_repository(tmp_path / "shop", files)
    found = answer(job(tmp_path, {key.replace("_", "-"): value for key, value in settings.items()}))
    assert found["status"] == "checked", found
    return found


def paths(found: Answer, table: str = "findings") -> list[str]:
    return sorted(row["path"] for row in found["rows"][table])


def test_its_own_settings_count_where_they_stand(tmp_path: Path) -> None:
    more = {"pyproject.toml": "[tool.fairlint]\n", "web/fairlint.toml": 'ignore = ["FL201"]\n'}
    found = ask(tmp_path, {**TWO, **more})
    assert paths(found) == ["a.py"]
    assert (found["configuration"], found["configured_by"]) == ("own", "pyproject.toml, web/fairlint.toml")


def test_its_own_settings_count_only_where_the_policy_says_so(tmp_path: Path) -> None:
    found = ask(tmp_path, {**TWO, "fairlint.toml": 'ignore = ["FL"]\n'}, own_config=False)
    assert (paths(found), found["configuration"]) == (["a.py", "web/b.py"], "policy")


def test_a_repository_without_any_is_under_the_policy(tmp_path: Path) -> None:
    found = ask(tmp_path, {**TWO, "pyproject.toml": "[tool.ruff]\n"}, ignore=["FL201"])
    assert (paths(found), found["configuration"], found["configured_by"]) == ([], "policy", "")


def test_what_the_policy_says_holds_against_its_own(tmp_path: Path) -> None:
    own = 'ignore = ["FL201"]\nexclude = ["web/"]\n[per-file-ignores]\n"a.py" = ["FL201"]\n'
    assert paths(ask(tmp_path, {**TWO, "fairlint.toml": own})) == []
    found = answer(job(tmp_path, {"ignore": [], "per-file-ignores": {}}))
    assert (paths(found), found["configuration"]) == (["a.py"], "own")
    found = answer(job(tmp_path, {"ignore": [], "per-file-ignores": {}, "exclude": []}))
    assert paths(found) == ["a.py", "web/b.py"]


def test_its_baseline_counts_up_to_its_last_day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_repository(tmp_path / "shop", {"a.py": POINTS})
    monkeypatch.chdir(tmp_path / "shop")
    assert main(["baseline", "create", ".", "--reason", "known", "--until", "2030-01-31"]) == 0
    monkeypatch.chdir(tmp_path)
    found = ask(tmp_path, {"web/b.py": POINTS})
    (row,) = found["rows"]["suppressed"]
    assert (paths(found), row["path"], row["suppressed_by"], row["reason"]) == (
        ["web/b.py"],
        "a.py",
        "baseline",
        "known",
    )
    assert (found["configured_by"], found["holds_until"]) == ("fairlint-baseline.jsonl", "2030-01-31")
    monkeypatch.setattr("fairlint.support.days.today", lambda: "2030-02-01")
    assert paths(answer(job(tmp_path, {}))) == ["a.py", "web/b.py"]


def test_a_setting_that_ends_has_the_repository_checked_again(tmp_path: Path) -> None:
    own = '[per-file-ignores]\n"a.py" = { rules = ["FL201"], until = 2099-01-31, reason = "agreed" }\n'
    found = ask(tmp_path, {**TWO, "fairlint.toml": own})
    assert (paths(found), found["holds_until"]) == (["web/b.py"], "2099-01-31")


@pytest.mark.parametrize(
    ("own", "told"),
    [
        ('extends = ["../outside.toml"]', "'extends' → '../outside.toml' leads out"),
        ('extends = ["fairlint:vocabulary/x.toml"]', "names an installed package"),
        ('extends = ["inner.toml"]', "'vocabulary' → '../../outside.toml' leads out"),
        ('vocabulary = ["/etc/hostname"]', "'vocabulary' → '/etc/hostname' leads out"),
        ('baseline = "../outside.toml"', "'baseline' → '../outside.toml' leads out"),
        ('library-models = ["models.toml"]', "'python' names code to run"),
        ('ignore = ["FL999"]', "FL999"),
        ("ignore = [", "fairlint.toml"),
        ('plugins = ["evil"]', "unknown key 'plugins'"),
    ],
)
def test_settings_that_cannot_be_used_are_a_reason_and_not_a_way_out(
    tmp_path: Path, own: str, told: str
) -> None:
    (tmp_path / "outside.toml").write_text('ignore = ["FL"]\n')
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "outside.toml").write_text('ignore = ["FL"]\n')
    files = {
        **TWO, "fairlint.toml": f"{own}\n", "inner.toml": 'vocabulary = ["../../outside.toml"]\n',
        "models.toml": 'python = "evil"\n[functions]\n"evil.f" = { python = "f" }\n',
        "evil.py": f"open({str(tmp_path / 'ran')!r}, 'w')\n",
    }  # fmt: skip
    found = ask(tmp_path, files)
    assert (paths(found), found["configuration"]) == (["a.py", "web/b.py"], "refused")
    assert told in found["configured_by"]
    assert f"{tmp_path}/work/" not in found["configured_by"]
    assert not (tmp_path / "ran").exists()


def test_a_damaged_baseline_is_a_reason(tmp_path: Path) -> None:
    found = ask(tmp_path, {**TWO, "fairlint-baseline.jsonl": "no entry\n"})
    assert (paths(found), found["configuration"]) == (["a.py", "web/b.py"], "refused")
    assert "fairlint-baseline.jsonl:1: is no entry of a baseline" in found["configured_by"]


def test_what_stands_above_the_repository_has_no_say(tmp_path: Path) -> None:
    """The folder for files of repositories may lie in a repository that has its own settings."""
    make_repository(tmp_path, {"fairlint.toml": 'ignore = ["FL"]\n', "fairlint-baseline.jsonl": "no entry\n"})
    found = ask(tmp_path, TWO)
    assert (paths(found), found["configuration"]) == (["a.py", "web/b.py"], "policy")
    found = ask(tmp_path, {"web/fairlint.toml": ""})
    assert (paths(found), found["configured_by"]) == (["a.py", "web/b.py"], "web/fairlint.toml")


def test_it_has_no_say_in_time_and_size(tmp_path: Path) -> None:
    own = 'max-file-size = "1 B"\nfile-steps = 1\nfile-nesting = 1\ntimeout = "1 ms"\njobs = 8\n'
    found = ask(tmp_path, {**TWO, "fairlint.toml": own})
    assert (paths(found), found["rows"]["coverage"], found["reusable"]) == (["a.py", "web/b.py"], [], 1)
    assert paths(answer(job(tmp_path, {"max-file-size": 1}))) == []


def test_one_that_leaves_all_out_has_nothing_checked(tmp_path: Path) -> None:
    found = ask(tmp_path, {**TWO, "fairlint.toml": 'exclude = ["*"]\n'})
    assert (paths(found), found["files"], found["configuration"]) == ([], 0, "own")


def test_shards_have_the_same_settings(tmp_path: Path) -> None:
    files = {f"a{number}.py": POINTS for number in range(6)} | {
        "fairlint.toml": '[per-file-ignores]\n"a1.py" = ["FL201"]\n'
    }
    whole = ask(tmp_path, files)
    begun = job(tmp_path, {}, split=2)
    plan = answer(begun)
    shards = [
        answer(shard_job(begun, plan["commit"], number, plan["count"])) for number in range(plan["count"])
    ]
    joined = answer(join_job(begun, plan, shards))
    assert plan["count"] == 3 or plan["count"] == 4
    assert (paths(joined), joined["configuration"]) == (paths(whole), "own")
    assert len(paths(whole)) == 5


def test_a_policy_may_say_for_which() -> None:
    Path("policy.toml").write_text(
        '[settings]\nown-config = true\n[[repositories]]\npattern = "old-*"\nown-config = false\n'
    )
    policy = read_policy(Path("policy.toml"))
    told = [policy.values(name, "2026-01-01")["settings"]["own-config"] for name in ("shop", "old-shop")]
    assert told == [True, False]
    Path("policy.toml").write_text('[settings]\nown-config = "yes"\n')
    with pytest.raises(UsageError, match="'own-config' must be true or false"):
        read_policy(Path("policy.toml"))


def test_the_option_gives_way_to_the_policy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pyarrow")
    from fairlint.fleet.store import Store

    for name in ("shop", "old"):
        make_repository(tmp_path / "all" / name, {**TWO, "fairlint.toml": 'ignore = ["FL"]\n'})
    Path("policy.toml").write_text('[[repositories]]\npattern = "old"\nown-config = false\n')
    scan = ["fleet", "scan", "all", "--store", "store", "--jobs", "1", "--policy", "policy.toml"]
    assert main([*scan, "--run", "first"]) == 0
    assert main([*scan, "--run", "second", "--own-config"]) == 0
    assert "run second: 1 checked, 1 unchanged, 0 not checked; 2 findings" in capsys.readouterr().out
    rows = {row["repository"]: row for row in Store(Path("store")).rows("repositories", "second")}
    told = {name: (row["configuration"], row["configured_by"], row["findings"]) for name, row in rows.items()}
    assert told == {"shop": ("own", "fairlint.toml", 0), "old": ("policy", "", 2)}
    assert git(tmp_path / "all" / "shop", "status", "--porcelain") == ""
