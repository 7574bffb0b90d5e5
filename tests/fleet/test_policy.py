"""The one file of settings and exceptions for all repositories."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from git_server import POINTS, make_repository

from fairlint.cli import main
from fairlint.fleet.policy import read_policy
from fairlint.fleet.store import Store
from fairlint.support.errors import UsageError

pytest.importorskip("pyarrow")
EXCEPTION = """
[[exceptions]]
repositories = ["legacy-*"]
rules = ["FL2"]
paths = ["src/"]
owner = "@acme/risk"
reason = "replaced in spring"
until = 2030-06-30
"""


@pytest.fixture(autouse=True)
def _stay(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def scan(policy: str, run: str) -> int:
    Path("policy.toml").write_text(policy)
    return main(
        [
            "fleet",
            "scan",
            "all",
            "--store",
            "store",
            "--jobs",
            "1",
            "--run",
            run,
            "-q",
            "--policy",
            "policy.toml",
        ]
    )


def rows(table: str, run: str) -> list[dict[str, Any]]:
    return list(Store(Path("store")).rows(table, run))


def test_settings_hold_for_all_and_for_patterns() -> None:
    for name in ("eu-shop", "us-shop"):
        make_repository(Path("all") / name, {"a.py": POINTS})
    policy = '[settings]\njurisdiction = "eu"\n[[repositories]]\npattern = "us-*"\njurisdiction = "us"\n'
    assert scan(policy, "r1") == 0
    laws = {
        row["repository"]: {law.partition("-")[0] for law in row["laws"]} for row in rows("findings", "r1")
    }
    assert "us" not in laws["eu-shop"]
    assert "eu" in laws["eu-shop"]
    assert laws["us-shop"] == {"us"}


def test_an_exception_suppresses_up_to_its_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("legacy-shop", "shop"):
        make_repository(Path("all") / name, {"src/a.py": POINTS, "b.py": POINTS})
    monkeypatch.setattr("fairlint.support.days.today", lambda: "2030-06-30")
    assert scan(EXCEPTION, "r1") == 0
    assert [(row["repository"], row["path"]) for row in rows("findings", "r1")] == [
        ("legacy-shop", "b.py"), ("shop", "b.py"), ("shop", "src/a.py"),
    ]  # fmt: skip
    (put_aside,) = rows("suppressed", "r1")
    told = [put_aside[name] for name in ("path", "suppressed_by", "owner", "reason", "until")]
    assert told == ["src/a.py", "policy", "@acme/risk", "replaced in spring", "2030-06-30"]
    monkeypatch.setattr("fairlint.support.days.today", lambda: "2030-07-01")
    assert scan(EXCEPTION, "r2") == 0
    assert "the exception of @acme/risk ended on 2030-06-30: replaced in spring" in capsys.readouterr().err
    assert {row["repository"] for row in rows("findings", "r2")} == {"legacy-shop"}  # the other is unchanged
    assert len(rows("findings", "r2")) == 2
    assert rows("suppressed", "r2") == []


@pytest.mark.parametrize(
    ("policy", "words"),
    [
        ("[setings]\n", "unknown key 'setings'; did you mean 'settings'?"),
        ('[settings]\nbaseline = "x"\n', "[settings]: unknown key 'baseline'"),
        ("[settings]\njurisdiction = 'mars'\n", "[settings]: 'jurisdiction' must be one of"),
        ("[settings]\nselect = ['FL999']\n", "[settings]: "),
        ("[[repositories]]\nignore = ['FL2']\n", "[[repositories]] 1: 'pattern' must be"),
        ("[repositories]\n", "'repositories' must be tables"),
        (EXCEPTION.replace('owner = "@acme/risk"', ""), "[[exceptions]] 1: lacks 'owner'"),
        (EXCEPTION.replace("until = 2030-06-30", ""), "[[exceptions]] 1: lacks 'until'"),
        (EXCEPTION.replace("2030-06-30", "'soon'"), "[[exceptions]] 1: 'until' must be a day"),
        (EXCEPTION.replace("FL2", "FL999"), "[[exceptions]] 1: "),
        (EXCEPTION.replace('["src/"]', "3"), "[[exceptions]] 1: 'paths' must be a text or a list of texts"),
        ("x = ", "is not valid TOML"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(policy: str, words: str) -> None:
    Path("policy.toml").write_text(policy)
    with pytest.raises(UsageError) as caught:
        read_policy(Path("policy.toml"))
    assert words in str(caught.value)
    assert str(caught.value).startswith("policy.toml:")
