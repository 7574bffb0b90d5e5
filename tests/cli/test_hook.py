"""`fairlint hook`: each agent's events, and what is answered."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from programs import SCORE, git

from fairlint.checking import checker
from fairlint.cli import main

FINDING = "hire.py:4:8: error FL201 `points` depends on gender: male +5, female +0, gap 5"
Hook = Callable[..., tuple[int, str, str]]


class Input:
    """Standard input that holds an event."""

    def __init__(self, raw: bytes) -> None:
        self.buffer = io.BytesIO(raw)


@pytest.fixture
def hook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Hook:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hire.py").write_text(SCORE)
    (tmp_path / "clean.py").write_text("x = 1\n")
    (tmp_path / "notes.md").write_text(SCORE)

    def ask(event: Any, *words: str) -> tuple[int, str, str]:
        raw = event if isinstance(event, bytes) else json.dumps(event).encode()
        monkeypatch.setattr(sys, "stdin", Input(raw))
        code = main(["hook", *words])
        told = capsys.readouterr()
        return code, told.out, told.err

    return ask


EVENTS: dict[str, dict[str, Any]] = {
    "Claude Code": {
        "hook_event_name": "PostToolUse",
        "cwd": ".",
        "tool_name": "Edit",
        "tool_input": {"file_path": "hire.py", "old_string": "a", "new_string": "b"},
        "tool_response": {"filePath": "hire.py", "success": True},
    },
    "Gemini CLI": {
        "hook_event_name": "AfterTool", "tool_name": "replace", "tool_input": {"file_path": "hire.py"}
    },
    "Cursor": {"hook_event_name": "afterFileEdit", "file_path": "hire.py", "edits": []},
    "Copilot": {"toolName": "edit", "toolArgs": json.dumps({"path": "hire.py"}), "cwd": "."},
    "VS Code": {"hookEventName": "PostToolUse", "tool_name": "x", "tool_input": {"filePath": "hire.py"}},
    "Windsurf": {"agent_action_name": "post_write_code", "tool_info": {"file_path": "hire.py", "edits": []}},
    "Codex": {
        "tool_name": "apply_patch",
        "tool_input": {"command": "*** Begin Patch\n*** Update File: hire.py\n@@\n-a\n+b\n*** End Patch"},
    },
    "Codex, by words": {
        "tool_input": {"command": ["apply_patch", "*** Begin Patch\n*** Update File: hire.py\n*** End Patch"]}
    },
    "Codex, with CRLF": {"tool_input": "*** Begin Patch\r\n*** Add File: hire.py \r\n+b\r\n*** End Patch"},
    "Codex, that moves a file": {
        "tool_input": {"command": "*** Update File: old.py\n*** Move to: hire.py\n@@\n-a\n+b\n"}
    },
}  # fmt: skip


@pytest.mark.parametrize("agent", EVENTS)
def test_the_findings_of_the_edited_file_are_handed_back(agent: str, hook: Hook) -> None:
    code, out, err = hook(EVENTS[agent])
    assert code == 2
    assert out == ""
    assert FINDING in err
    assert "  instead: " in err
    assert "Only people may suppress a finding" in err


@pytest.mark.parametrize("name", ["clean.py", "notes.md", "nowhere.py", "."])
def test_where_there_is_nothing_to_tell_it_is_silent(name: str, hook: Hook) -> None:
    assert hook({"tool_input": {"file_path": name}}) == (0, "", "")


@pytest.mark.parametrize("event", [{}, {"hook_event_name": "Stop"}, {"tool_input": {"command": "ls"}}])
def test_an_event_that_names_no_file_is_none(event: dict[str, Any], hook: Hook) -> None:
    assert hook(event) == (0, "", "")


@pytest.mark.parametrize("raw", [b"", b"[]", b"{", b"\xff\xfe{", b"[" * 10_000])
def test_what_is_no_event_is_one_line_and_blocks_nobody(raw: bytes, hook: Hook) -> None:
    code, out, err = hook(raw)
    assert (code, out) == (1, "")
    assert err.startswith("fairlint: error: the event ")
    assert err.count("\n") == 1


def test_a_wrong_configuration_blocks_nobody(hook: Hook) -> None:
    Path("fairlint.toml").write_text("select = 7\n")
    code, _, err = hook(EVENTS["Cursor"])
    assert code == 1
    assert "fairlint.toml" in err
    Path("fairlint.toml").write_text('extend-exclude = ["hire.py"]\n')
    assert hook(EVENTS["Cursor"]) == (0, "", "")


def test_only_changed_lines_are_told_where_that_is_asked(hook: Hook) -> None:
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "before")
    assert hook(EVENTS["Cursor"], "--diff", "HEAD") == (0, "", "")
    Path("hire.py").write_text(SCORE.replace("+= 5", "+= 6"))
    code, _, err = hook(EVENTS["Cursor"], "--diff", "HEAD")
    assert code == 2
    assert "male +6" in err


def test_an_agent_that_is_about_to_stop_is_told_of_all_that_it_changed(hook: Hook) -> None:
    git("init", "-q")
    git("add", "clean.py")
    git("commit", "-qm", "before")
    stop = {"hook_event_name": "Stop", "stop_hook_active": False}
    code, _, err = hook(stop, "--diff", "HEAD")
    assert code == 2
    assert FINDING in err
    assert hook({**stop, "stop_hook_active": True}, "--diff", "HEAD") == (0, "", "")
    cursor = {"hook_event_name": "stop", "status": "completed", "workspace_roots": [str(Path.cwd())]}
    code, out, err = hook(cursor, "--diff", "HEAD")
    assert (code, err) == (0, "")
    assert FINDING in json.loads(out)["followup_message"]


def test_who_is_about_to_stop_has_been_told_only_where_the_event_says_so(hook: Hook) -> None:
    assert hook({**EVENTS["Cursor"], "stop_hook_active": True}) == (0, "", "")
    assert hook({**EVENTS["Cursor"], "stop_hook_active": "false"})[0] == 2


@pytest.mark.skipif(os.name == "nt", reason="the git that stands still is a shell script")
def test_git_has_no_more_time_than_the_run(
    hook: Hook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git("init", "-q")
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexec sleep 1000\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    Path("fairlint.toml").write_text("timeout = 0.5\n")
    code, _, err = hook(EVENTS["Cursor"], "--diff", "HEAD")
    assert code == 1
    assert "git did not answer before the run's time was over (the setting timeout)" in err


@pytest.mark.skipif(os.name == "nt" or not getattr(os, "getuid", int)(), reason="root may enter all folders")
def test_a_folder_that_cannot_be_entered_is_one_line(hook: Hook, tmp_path: Path) -> None:
    (tmp_path / "shut").mkdir(mode=0)
    code, _, err = hook({**EVENTS["Cursor"], "cwd": str(tmp_path / "shut")})
    assert (code, err.count("\n")) == (1, 1)


def test_much_is_counted(hook: Hook) -> None:
    Path("hire.py").write_text("\n".join(SCORE.replace("score(", f"score_{n}(") for n in range(30)))
    _, _, err = hook(EVENTS["Cursor"])
    assert err.count(" FL201 ") == 20
    assert "and 10 more" in err


UNREAD: dict[str, tuple[bytes, str, str]] = {
    "a NUL": (SCORE.encode() + b"\0", "", "unread.py:1: "),
    "too many steps": (SCORE.encode(), "file-steps = 3\n", "unread.py:4: "),
    "too large": (SCORE.encode(), "max-file-size = 20\n", "unread.py:1: "),
    "syntax": (b"if person.gender == 'f':\n    score +=\n)]\n", "", "unread.py:2: "),
}


@pytest.mark.parametrize("why", UNREAD)
def test_what_could_not_be_read_is_told_and_blocks_nobody(why: str, hook: Hook) -> None:
    data, settings, told = UNREAD[why]
    Path("unread.py").write_bytes(data)
    Path("fairlint.toml").write_text(settings)
    code, out, err = hook({"tool_input": {"file_path": "unread.py"}})
    assert (code, out) == (1, "")
    assert err.startswith("fairlint: not all of the file could be checked")
    assert told in err


def test_what_could_not_be_read_is_told_beside_findings(hook: Hook) -> None:
    Path("hire.py").write_text(f"{SCORE}\ndef broken(:\n    score +=\n")
    code, _, err = hook(EVENTS["Cursor"])
    assert code == 2
    assert FINDING in err
    assert err.index("fairlint: not all of the file could be checked") > err.index(FINDING)


def test_a_file_that_broke_fairlint_is_not_passed_as_clean(
    hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*_: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(checker.Checker, "_analyse", breaks)
    code, out, err = hook(EVENTS["Cursor"])
    assert (code, out) == (1, "")
    assert "hire.py:1: internal error: RuntimeError: broken" in err


def test_only_the_changed_files_that_could_not_be_read_are_told_of_a_whole_tree(hook: Hook) -> None:
    Path("old.py").write_bytes(b"gender = 1\n)]\n")
    Path("new.py").write_bytes(b"x = 1\n")
    git("init", "-q")
    git("add", "-A")
    git("commit", "-qm", "before")
    stop = {"hook_event_name": "Stop"}
    assert hook(stop, "--diff", "HEAD") == (0, "", "")
    Path("new.py").write_bytes(b"gender = 2\n)]\n")
    code, _, err = hook(stop, "--diff", "HEAD")
    assert code == 1
    assert "new.py:2: " in err
    assert "old.py" not in err
