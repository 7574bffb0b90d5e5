"""`fairlint mcp`, as an agent sees it: the protocol's own client over real pipes."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest
from mcp import Client, StdioServerParameters
from mcp.types import TextContent
from programs import SCORE

ROOT = Path(__file__).parent.parent.parent
LATE = 90.0
FEATURES = """\
import pandas as pd
from sklearn.linear_model import LogisticRegression

df = pd.read_csv("loans.csv")
FEATURES = ["income", "gender", "debt"]
model = LogisticRegression().fit(df[FEATURES], df["approved"])
"""
_Result = TypeVar("_Result")


def with_agent(folder: Path, play: Callable[[Client], Coroutine[Any, Any, _Result]], *words: str) -> _Result:
    """Plays a scene with an agent that works in a folder."""

    async def scene() -> _Result:
        server = StdioServerParameters(
            command=sys.executable,
            args=["-P", "-m", "fairlint", "mcp", *words],
            env={"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "PATH": os.environ["PATH"]},
            cwd=folder,
        )
        async with Client(server, read_timeout_seconds=LATE) as client:
            return await play(client)

    return asyncio.run(scene())


async def call(agent: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a tool tells."""
    result = await agent.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert result.structured_content is not None
    return dict(result.structured_content)


async def refusal(agent: Client, tool: str, **arguments: Any) -> str:
    """Why a tool tells nothing."""
    result = await agent.call_tool(tool, arguments)
    assert result.is_error
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def test_the_tools_say_what_they_do_and_that_they_only_read(tmp_path: Path) -> None:
    async def play(agent: Client) -> None:
        assert agent.server_info is not None
        assert agent.server_info.name == "fairlint"
        assert "protected attribute" in (agent.instructions or "")
        tools = (await agent.list_tools()).tools
        assert [tool.name for tool in tools] == ["check", "explain", "rule", "fix"]
        for tool in tools:
            assert tool.description
            assert tool.annotations is not None
            assert tool.annotations.read_only_hint
            assert tool.annotations.open_world_hint is False

    with_agent(tmp_path, play)


def test_a_file_a_folder_and_a_text_are_checked(tmp_path: Path) -> None:
    (tmp_path / "hire.py").write_text(SCORE)
    (tmp_path / "weights.py").write_text("BONUS = {'male': 5, 'female': 0}\n")

    async def play(agent: Client) -> None:
        told = await call(agent, "check", path="hire.py")
        (found,) = told["findings"]
        assert (found["rule"], found["path"], found["line"], found["severity"]) == (
            "FL201",
            "hire.py",
            4,
            "error",
        )
        assert "male +5" in found["message"]
        assert found["advice"]
        assert "the code compares it with the group 'male'" in found["why"]
        assert found["flow"][0] == "hire.py:4: gender is read here"
        assert told["counts"] == {"error": 1, "warning": 0, "note": 0}
        assert len(str(told)) < 2_000
        assert (await call(agent, "check", path="."))["findings"] == told["findings"]
        text = "from weights import BONUS\n\ndef score(applicant):\n    return 3 + BONUS[applicant.gender]\n"
        (found,) = (await call(agent, "check", path="new.py", text=text))["findings"]
        assert (found["path"], found["line"]) == ("new.py", 4)
        assert not (tmp_path / "new.py").exists()
        assert (await call(agent, "check", path="hire.py", text="x = 1\n"))["findings"] == []
        assert (await call(agent, "check", path=str(tmp_path / "hire.py")))["findings"] == told["findings"]

    with_agent(tmp_path, play)


def test_code_is_never_run(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    text = f"open({str(mark)!r}, 'w').close()\n{SCORE}"
    (tmp_path / "conftest.py").write_text(text)
    (tmp_path / "fairlint.py").write_text(text)
    (tmp_path / "sitecustomize.py").write_text(text)

    async def play(agent: Client) -> None:
        assert (await call(agent, "check", path="."))["findings"]
        await call(agent, "fix", path="fairlint.py")

    with_agent(tmp_path, play)
    assert not mark.exists()


def test_a_line_and_a_rule_are_explained(tmp_path: Path) -> None:
    (tmp_path / "hire.py").write_text(SCORE)

    async def play(agent: Client) -> None:
        told = await call(agent, "explain", path="hire.py", line=4)
        assert told["uses"][0]["rule"] == "FL201"
        assert "What it flags" in (await call(agent, "rule", rule="points-by-group"))["page"]
        assert {one["code"] for one in (await call(agent, "rule"))["rules"]} >= {"FL101", "FL201"}
        assert "unknown rule 'FL999'" in await refusal(agent, "rule", rule="FL999")
        assert "hire.py" in await refusal(agent, "explain", path="hire.py", line=99)

    with_agent(tmp_path, play)


def test_fixes_are_proposed_and_not_written(tmp_path: Path) -> None:
    pytest.importorskip("libcst")
    (tmp_path / "train.py").write_text(FEATURES)

    async def play(agent: Client) -> None:
        (fix,) = (await call(agent, "fix", path="train.py"))["fixes"]
        assert (fix["rule"], fix["applicability"]) == ("FL301", "unsafe")
        (edit,) = fix["edits"]
        lines = FEATURES.split("\n")
        line = lines[edit["line"] - 1]
        lines[edit["line"] - 1] = line[: edit["column"] - 1] + edit["text"] + line[edit["end_column"] - 1 :]
        assert 'FEATURES = ["income", "debt"]' in lines
        assert (await call(agent, "check", path="train.py", text="\n".join(lines)))["counts"]["error"] == 0

    with_agent(tmp_path, play)
    assert (tmp_path / "train.py").read_text() == FEATURES


def test_paths_stay_inside_of_the_folder(tmp_path: Path) -> None:
    work, other = tmp_path / "work", tmp_path / "other"
    work.mkdir()
    other.mkdir()
    (other / "hire.py").write_text(SCORE)
    (work / "link.py").symlink_to(other / "hire.py")

    async def play(agent: Client) -> None:
        for path in ("../other/hire.py", str(other / "hire.py"), "link.py", "/etc/passwd", "a\x00b.py"):
            told = await refusal(agent, "check", path=path)
            assert "outside of" in told or "no path" in told
        assert "outside of" in await refusal(agent, "explain", path="../other/hire.py", line=1)
        assert "outside of" in await refusal(agent, "fix", path="link.py")

    with_agent(work, play)

    async def allowed(agent: Client) -> None:
        assert (await call(agent, "check", path=str(other)))["findings"]
        assert (await call(agent, "check", path="link.py"))["findings"]

    with_agent(work, allowed, "--root", str(work), "--root", str(other))


def test_what_cannot_be_checked_is_told(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# notes\n")
    (tmp_path / "broken.py").write_text("def (:\n" + SCORE)

    async def play(agent: Client) -> None:
        told = await call(agent, "check", path="broken.py")
        assert [one["rule"] for one in told["findings"]] == ["FL201"]
        assert told["not_analysed"]
        assert (await call(agent, "check", path="notes.md"))["not_analysed"]
        assert (await call(agent, "check", path="nowhere.py"))["not_analysed"]
        (tmp_path / "fairlint.toml").write_text("select = 7\n")
        assert "fairlint.toml" in await refusal(agent, "check", path="broken.py")
        (tmp_path / "fairlint.toml").write_text("file-timeout = 0.001\n")
        told = await call(agent, "check", path="broken.py", text=SCORE * 2_000)
        assert "file-timeout" in str(told["not_analysed"])
        assert "characters" in await refusal(agent, "check", path="a.py", text="#" * 5_000_001)

    with_agent(tmp_path, play)


def test_much_is_counted_and_the_gravest_is_told_first(tmp_path: Path) -> None:
    grave = SCORE.replace("def score", "def score_{n}")
    text = "\n\n".join(grave.replace("{n}", str(number)) for number in range(60))

    async def play(agent: Client) -> dict[str, Any]:
        return await call(agent, "check", path="hire.py", text=text)

    told = with_agent(tmp_path, play)
    assert len(told["findings"]) == 50
    assert told["more_findings"] == 10
    assert told["counts"]["error"] == 60
