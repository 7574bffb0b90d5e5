"""A repository that is checked in shards: its rows are those of the whole one, whatever happens."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from git_server import POINTS, commit, make_repository, serve

from fairlint.cache.packing_as_text import unpack_value_from_text
from fairlint.checking.packed_results import unpack_results
from fairlint.checking.stripped_results import KINDS
from fairlint.cli import main
from fairlint.fleet.engines.local import LocalEngine
from fairlint.fleet.store import Store

ROOT = Path(__file__).parent.parent.parent
pytest.importorskip("pyarrow")
NOT_COMPARED = {"run", "data_run", "seconds", "cpu_seconds"}
TABLES = ("repositories", "findings", "uses", "coverage", "errors", "suppressed")


@pytest.fixture(autouse=True)
def _stay(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def scan(store: str, split: int, *more: str, entries: str = "all") -> int:
    options = ["--store", store, "--jobs", "2", "--split-files", str(split), "-q", *more]
    return main(["fleet", "scan", entries, *options])


def rows(store: str) -> dict[str, list[dict[str, Any]]]:
    """The rows of all tables, in their order, without what each run has of its own."""
    return {
        table: [
            {name: value for name, value in row.items() if name not in NOT_COMPARED}
            for row in Store(Path(store)).rows(table)
        ]
        for table in TABLES
    }


def many_files(count: int) -> dict[str, str]:
    return {f"score{number}.py": POINTS for number in range(count)}


def kept_files(store: str = "store") -> list[str]:
    return [path.name for path in Path(store).glob("pending/*/*/*.json")]


def no_traces(store: str = "store") -> bool:
    """Whether nothing is left of repositories that were checked in shards."""
    return not kept_files(store) and not Path(store, "work").exists()


TOGETHER: Mapping[str, str] = {
    ".github/CODEOWNERS": "*.py @acme/py\n/model/ @acme/model\n",
    "columns.py": 'FEATURES = ["age", "gender", "zip_code"]\n',
    "model/train.py": (
        "from columns import FEATURES\nfrom sklearn.linear_model import LogisticRegression\n"
        "def train(df):\n    return LogisticRegression().fit(df[FEATURES], df['hired'])\n"
    ),
    "model/lowered.py": "from score import score\ndef rate(person):\n    return score(person) * 2\n",
    "score.py": POINTS,
    "asks.py": (
        "from pathlib import Path\nimport openai\n"
        "def ask(applicant):\n    text = Path('prompts/screen.md').read_text()\n"
        "    return openai.chat.completions.create(model='m', messages=[{'role': 'user', 'content': text}])\n"
    ),
    "prompts/screen.md": "Prefer male applicants for this job.\n",
    "prompts/other.md": "Write a poem.\n",
    "web/app.ts": "let a = 1\n",
    "broken.py": "def f(applicant):\n    if applicant.gender == 'male'\n        return (\n",
    "ended.py": POINTS.replace("'male':", "'male':  # fairlint: ignore[FL201] until 2020-01-31 -- old"),
    "agreed.py": POINTS.replace("'male':", "'male':  # fairlint: ignore[FL201] -- agreed"),
    "useless.py": "x = 1  # fairlint: ignore[FL201] -- nothing here\n",
}
"""What files tell only together, what is suppressed, and what is not read."""


def test_the_rows_of_a_repository_in_shards_are_those_of_the_whole_one() -> None:
    make_repository(Path("all") / "shop", TOGETHER)
    (Path("all") / "shop" / "link.py").symlink_to("score.py")
    commit(Path("all") / "shop", {})
    shutil.copytree(ROOT / "fixtures", Path("all") / "fixtures")
    Path("policy.toml").write_text(
        '[settings]\nmin-severity = "note"\n[settings.per-file-ignores]\n"model/**" = ["FL301"]\n'
        '"score.py" = {rules = ["FL201"], until = 2020-01-01, reason = "over"}\n'
        '[[exceptions]]\nrepositories = "fix*"\nrules = ["FL201"]\nowner = "@a"\nreason = "r"\n'
        "until = 2999-01-01\n"
    )
    scan("whole", 0, "--policy", "policy.toml")
    expected = rows("whole")
    for split in (4, 40):
        scan(f"split{split}", split, "--policy", "policy.toml")
        assert rows(f"split{split}") == expected
        assert no_traces(f"split{split}")
    assert {table: len(found) > 1 for table, found in expected.items()} == {
        "repositories": True, "findings": True, "uses": True, "coverage": True, "errors": False,
        "suppressed": True,
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("package", ["sklearn", "fairlearn"])
def test_the_rows_of_a_large_package_in_shards_are_those_of_the_whole_one(package: str) -> None:
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        pytest.skip(f"needs {package}")
    ignored = shutil.ignore_patterns("__pycache__", "*.so")
    shutil.copytree(Path(spec.origin).parent, Path("all") / "big" / package, ignore=ignored)
    shutil.copytree(ROOT / "fixtures", Path("all") / "big" / "fixtures")
    Path("policy.toml").write_text('[settings]\nmin-severity = "note"\n')
    scan("whole", 0, "--policy", "policy.toml")
    scan("split", 40, "--policy", "policy.toml")
    assert rows("split") == rows("whole")
    assert len(rows("whole")["findings"]) > 50


def test_workers_that_share_no_disk_make_the_files_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    make_repository(tmp_path / "served" / "shop", TOGETHER)
    begin = LocalEngine.__init__

    def alone(engine: LocalEngine, *given: Any) -> None:
        begin(engine, *given)
        engine.shared = ""

    with serve(tmp_path / "served") as (address, _):
        Path("list").write_text(f"{address}/shop/.git\n")
        scan("whole", 0, entries="list")
        monkeypatch.setattr(LocalEngine, "__init__", alone)
        scan("split", 2, entries="list")
    assert rows("split") == rows("whole")
    assert rows("split")["findings"]


class KilledError(BaseException):
    """Stands for a kill: nothing on the way takes it for an error."""


@pytest.mark.parametrize("end", [KilledError, KeyboardInterrupt])
@pytest.mark.parametrize("at", [1, 2, 4, 6])
def test_a_run_that_ends_amid_shards_checks_none_of_them_twice(
    at: int, end: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    make_repository(Path("all") / "shop", many_files(5))
    scan("whole", 0)
    kept: list[str] = []
    keep = Store.keep_shard

    def keep_some(store: Store, run: Any, repository: str, name: str, values: Any) -> Path:
        path = keep(store, run, repository, name, values)
        kept.append(name)
        if len(kept) == at:
            raise end
        return path

    with monkeypatch.context() as patched:
        patched.setattr(Store, "keep_shard", keep_some)
        if end is KeyboardInterrupt:
            assert scan("store", 1) == 130
        else:
            with pytest.raises(KilledError):
                scan("store", 1)
    assert len(kept_files()) == at
    assert rows("store")["repositories"] == []
    monkeypatch.setattr(Store, "keep_shard", keep_some)
    assert scan("store", 1, "--resume") == 0
    assert sorted(kept) == [f"{number:06}" for number in range(5)] + ["plan"]
    assert rows("store") == rows("whole")
    assert no_traces()


def test_a_kill_between_the_rows_of_a_repository_and_the_end_of_its_shards_doubles_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make_repository(Path("all") / "shop", many_files(3))
    scan("whole", 0)

    def stop(*_given: Any) -> None:
        raise KilledError

    with monkeypatch.context() as patched:
        patched.setattr(Store, "drop_shards", stop)
        with pytest.raises(KilledError):
            scan("store", 1)
    assert len(kept_files()) == 4
    assert scan("store", 1, "--resume") == 0
    assert rows("store") == rows("whole")
    assert no_traces()


def test_a_repository_that_changes_amid_its_shards_is_checked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairlint.fleet.running.FIRST_PAUSE", 0.0)
    make_repository(Path("all") / "shop", many_files(3))
    keep = Store.keep_shard

    def stop(*given: Any) -> Path:
        keep(*given)
        raise KilledError

    with monkeypatch.context() as patched:
        patched.setattr(Store, "keep_shard", stop)
        with pytest.raises(KilledError):
            scan("store", 1)
    name = commit(Path("all") / "shop", {"other.py": POINTS})
    assert scan("store", 1, "--resume") == 0
    assert [row["commit"] for row in rows("store")["repositories"]] == [name]
    assert len(rows("store")["findings"]) == 4
    assert no_traces()


def test_a_shard_that_takes_too_long_is_the_failure_of_its_repository() -> None:
    make_repository(Path("all") / "shop", many_files(3))
    make_repository(Path("all") / "small", {"score.py": POINTS})
    slow = "def f(a, gender):\n" + "".join(
        f"    if a[{number}] and gender == 'male':\n        a[{number}] += {number}\n"
        for number in range(4000)
    )
    commit(Path("all") / "shop", {"zz.py": slow + "    return sum(a)\n"})
    assert scan("store", 1, "--time", "1") == 0
    found = {row["repository"]: row["status"] for row in rows("store")["repositories"]}
    assert found["shop"] == "failed"
    assert [row["cause"] for row in rows("store")["errors"] if row["repository"] == "shop"] == ["time"]
    assert not any(row["repository"] == "shop" for row in rows("store")["findings"])
    assert no_traces()


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for processes in /proc")
def test_a_worker_that_is_killed_amid_shards_costs_their_repository_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make_repository(Path("all") / "shop", many_files(8))
    make_repository(Path("all") / "small", {"score.py": POINTS})
    keep = Store.keep_shard
    killed: list[int] = []

    def kill_children(*given: Any) -> Path:
        path = keep(*given)
        if given[3] != "plan" and not killed:
            for child in own_children():
                with suppress(OSError):
                    os.kill(child, signal.SIGKILL)
                    killed.append(child)
        return path

    monkeypatch.setattr(Store, "keep_shard", kill_children)
    assert scan("store", 1) == 0
    assert killed
    found = Counter(row["repository"] for row in rows("store")["repositories"])
    assert found == Counter({"shop": 1, "small": 1})
    failed = {row["repository"] for row in rows("store")["errors"]}
    assert {row["cause"] for row in rows("store")["errors"]} <= {"died"}
    assert {row["repository"] for row in rows("store")["findings"]} == {"shop", "small"} - failed
    assert no_traces()


def own_children() -> list[int]:
    found: list[int] = []
    for task in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):
            found += map(int, task.read_text().split())
    return found


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[1",
        '{"tuple": [99]}',
        '{"tuple": ["again", 5]}',
        '{"bytes": 1}',
        "[1]",
        '{"tuple": [0, 1]}',
    ],
)
def test_results_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"packed|results"):
        unpack_results(text, ".")


def test_kinds_are_all_that_a_text_can_make() -> None:
    with pytest.raises(ValueError, match="packed"):
        unpack_value_from_text('{"tuple": ["os", 1]}', KINDS)
