"""`fairlint server`, as an editor sees it: a process at the other end of real pipes."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from programs import CLEAN, SCORE

sys.path.insert(0, str(Path(__file__).parent))

from editor import LATE, ROOT, Editor, edited, edits_of, environment, with_editor
from lsprotocol import types

FEATURES = """\
import pandas as pd
from sklearn.linear_model import LogisticRegression

df = pd.read_csv("loans.csv")
FEATURES = ["income", "gender", "debt"]
model = LogisticRegression().fit(df[FEATURES], df["approved"])
"""
LONG_RUN = "".join(
    f"    if applicant.gender == 'male' and x{n} > {n}:\n        points += x{n}\n" for n in range(4000)
)
HUGE = f"def score(applicant):\n    points = 0\n{LONG_RUN}    return points\n"


def command_line(folder: Path, *words: str) -> list[tuple[str, int, int]]:
    """What `fairlint` tells in that folder: rules, lines and columns."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "fairlint", "--format", "json", *words],
        cwd=folder, env=environment(), capture_output=True, text=True, check=False,
    )  # fmt: skip
    return [(one["rule"], one["line"], one["column"]) for one in json.loads(done.stdout)["findings"]]


def test_what_is_shown_is_what_the_command_line_tells(tmp_path: Path) -> None:
    (tmp_path / "weights.py").write_text("BONUS = {'male': 5, 'female': 0}\n")
    (tmp_path / "fairlint.toml").write_text('min-severity = "note"\n')
    text = "from weights import BONUS\n\ndef score(applicant):\n    return 3 + BONUS[applicant.gender]\n"
    (tmp_path / "hire.py").write_text(text)

    async def play(editor: Editor) -> list[types.Diagnostic]:
        return await editor.told(editor.open("hire.py", text), 1)

    shown = with_editor(tmp_path, play)
    at = [(one.code, one.range.start.line + 1, one.range.start.character + 1) for one in shown]
    assert at == command_line(tmp_path, "hire.py")
    assert shown


def test_a_finding_has_all_that_editors_show(tmp_path: Path) -> None:
    async def play(editor: Editor) -> list[types.Diagnostic]:
        return await editor.told(editor.open("hire.py", SCORE), 1)

    (found,) = with_editor(tmp_path, play)
    assert found.code == "FL201"
    assert found.source == "fairlint"
    assert found.severity == types.DiagnosticSeverity.Error
    assert "male +5" in found.message
    assert found.code_description is not None
    assert found.code_description.href.startswith("https://")
    assert found.related_information is not None
    assert [one.location.range.start.line for one in found.related_information] == [3, 4]
    assert {one.location.uri for one in found.related_information} == {(tmp_path / "hire.py").as_uri()}


def test_the_files_that_are_not_open_are_told_when_the_editor_asks(tmp_path: Path) -> None:
    (tmp_path / "hire.py").write_text(SCORE)
    (tmp_path / "rent.py").write_text(SCORE)
    (tmp_path / "add.py").write_text(CLEAN)
    told: list[dict[str, list[str] | None]] = []

    async def ask(editor: Editor, known: dict[str, str]) -> None:
        report = await editor.workspace(known)
        told.append({})
        for one in report.items:
            name = one.uri.rpartition("/")[2]
            told[-1][name] = None
            if isinstance(one, types.WorkspaceFullDocumentDiagnosticReport):
                told[-1][name] = [str(item.code) for item in one.items]
            assert one.result_id is not None
            known[one.uri] = one.result_id

    async def play(editor: Editor) -> None:
        known: dict[str, str] = {}
        provider = editor.capabilities.diagnostic_provider
        assert provider is not None
        assert provider.workspace_diagnostics
        assert provider.inter_file_dependencies
        uri = editor.open("hire.py", SCORE)
        await editor.told(uri, 1)
        asked = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri))
        answer = await editor.client.text_document_diagnostic_async(asked)
        assert isinstance(answer, types.RelatedFullDocumentDiagnosticReport)
        assert not answer.items  # it is told already
        await ask(editor, known)
        await ask(editor, known)
        (tmp_path / "rent.py").write_text(CLEAN)
        (tmp_path / "lend.py").write_text(SCORE)
        editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([]))
        document = types.TextDocumentIdentifier(uri)
        editor.client.text_document_did_close(types.DidCloseTextDocumentParams(document))
        await ask(editor, known)

    with_editor(tmp_path, play)
    assert told == [
        {"rent.py": ["FL201"]},
        {"rent.py": None},
        {"hire.py": ["FL201"], "lend.py": ["FL201"], "rent.py": []},
    ]


def test_findings_follow_the_typing(tmp_path: Path) -> None:
    async def play(editor: Editor) -> None:
        uri = editor.open("hire.py", CLEAN)
        assert await editor.told(uri, 1) == []
        editor.rewrite(uri, 2, SCORE)
        assert [one.code for one in await editor.told(uri, 2)] == ["FL201"]
        end = types.Position(4, len("        points += 5"))
        first = types.Position(4, len("        points += "))
        editor.type(uri, 3, types.TextDocumentContentChangePartial(types.Range(first, end), "0"))
        assert await editor.told(uri, 3) == []
        document = types.TextDocumentIdentifier(uri)
        editor.client.text_document_did_save(types.DidSaveTextDocumentParams(document))
        editor.rewrite(uri, 4, SCORE)
        assert [one.code for one in await editor.told(uri, 4)] == ["FL201"]
        editor.client.text_document_did_close(types.DidCloseTextDocumentParams(document))
        assert await editor.told(uri, None) == []

    with_editor(tmp_path, play)


def test_only_the_last_of_many_changes_is_checked(tmp_path: Path) -> None:
    async def play(editor: Editor) -> set[int | None]:
        uri = editor.open("hire.py", CLEAN)
        await editor.told(uri, 1)
        versions = set()
        for version in range(2, 30):
            editor.rewrite(uri, version, f"{SCORE}# {version}\n")
            await asyncio.sleep(0.01)
            versions.add(editor.versions[uri])
        assert [one.code for one in await editor.told(uri, 29)] == ["FL201"]
        return versions

    assert len(with_editor(tmp_path, play)) < 10


@pytest.mark.parametrize(
    ("units", "column"),
    [
        (None, 29),
        (types.PositionEncodingKind.Utf8, 31),
        (types.PositionEncodingKind.Utf16, 29),
        (types.PositionEncodingKind.Utf32, 28),
    ],
)
def test_columns_are_counted_as_the_editor_does(
    units: types.PositionEncodingKind | None, column: int, tmp_path: Path
) -> None:
    text = SCORE.replace("    if applicant.gender", "    x = '\U0001f600'; points += 5 if applicant.gender")
    text = text.replace('"male":\n        points += 5', '"male" else 0')

    async def play(editor: Editor) -> list[types.Diagnostic]:
        return await editor.told(editor.open("hire.py", text), 1)

    (found,) = with_editor(tmp_path, play, None, *([units] if units else []))
    assert found.range.start == types.Position(3, column)


def test_the_page_of_the_rule_is_shown_on_hover(tmp_path: Path) -> None:
    async def play(editor: Editor) -> None:
        uri = editor.open("hire.py", SCORE + "# fairlint: ignore[FL301] -- no reason\n")
        await editor.told(uri, 1)
        told = await editor.hover(uri, 3, 10)
        assert "# FL201 points-by-group" in told
        assert "the code compares it with the group 'male'" in told
        assert await editor.hover(uri, 0, 0) == ""
        assert (await editor.hover(uri, 6, 22)).startswith("# FL301")

    with_editor(tmp_path, play)


def test_a_finding_is_put_aside_by_a_comment_whose_reason_is_still_to_be_written(tmp_path: Path) -> None:
    async def play(editor: Editor) -> None:
        uri = editor.open("hire.py", SCORE)
        (found,) = await editor.told(uri, 1)
        *_, action = await editor.actions(uri, 3, 0)
        assert list(action.diagnostics or ()) == [found]
        assert action.kind == types.CodeActionKind.QuickFix
        text = edited(SCORE, edits_of(action))
        assert "    # fairlint: ignore[FL201] -- \n    if applicant.gender" in text
        editor.rewrite(uri, 2, text)
        assert [one.code for one in await editor.told(uri, 2)] == ["FL901"]
        editor.rewrite(uri, 3, text.replace("-- \n", "-- the law asks for it\n"))
        assert await editor.told(uri, 3) == []
        assert await editor.actions(uri, 0) == []

    with_editor(tmp_path, play)


def test_a_fix_is_offered_and_removes_its_finding(tmp_path: Path) -> None:
    pytest.importorskip("libcst")

    async def play(editor: Editor) -> None:
        uri = editor.open("train.py", FEATURES)
        assert [one.code for one in await editor.told(uri, 1)] == ["FL301"]
        fix, _ = await editor.actions(uri, 4)
        assert fix.title.startswith("drop the column `gender`")
        text = edited(FEATURES, edits_of(fix))
        assert '["income", "debt"]' in text
        editor.rewrite(uri, 2, text)
        assert await editor.told(uri, 2) == []

    with_editor(tmp_path, play)


def test_line_ends_of_windows_are_kept_by_what_is_offered(tmp_path: Path) -> None:
    text = SCORE.replace("\n", "\r\n")

    async def play(editor: Editor) -> None:
        uri = editor.open("hire.py", text)
        (found,) = await editor.told(uri, 1)
        assert found.range.start == types.Position(3, 7)
        *_, action = await editor.actions(uri, 3)
        (edit,) = edits_of(action)
        assert edit.new_text.endswith("-- \r\n")
        start, end = types.Position(4, 18), types.Position(4, 19)
        editor.type(uri, 2, types.TextDocumentContentChangePartial(types.Range(start, end), "0"))
        assert await editor.told(uri, 2) == []

    with_editor(tmp_path, play)


def test_a_change_is_put_where_the_editor_put_it_beside_odd_line_ends(tmp_path: Path) -> None:
    text = "# \x0c one \u2028 two \x1c three\n" + SCORE

    async def play(editor: Editor) -> None:
        uri = editor.open("hire.py", text)
        assert editor.rules(uri) == [("FL201", 5)] if await editor.told(uri, 1) else False
        start, end = types.Position(5, 18), types.Position(5, 19)
        editor.type(uri, 2, types.TextDocumentContentChangePartial(types.Range(start, end), "0"))
        assert await editor.told(uri, 2) == []

    with_editor(tmp_path, play)


def test_what_a_text_says_of_its_encoding_is_over_when_it_is_open(tmp_path: Path) -> None:
    text = "# coding: latin-1\n# ä ö ü\n" + SCORE
    (tmp_path / "hire.py").write_bytes(text.encode("latin-1"))

    async def play(editor: Editor) -> list[tuple[str, int]]:
        uri = editor.open("hire.py", text)
        await editor.told(uri, 1)
        return editor.rules(uri)

    assert with_editor(tmp_path, play) == [("FL201", 6)]


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("def (:\n" + SCORE + "\nclass ]]] if\n", ["FL201"]),
        ("\udcff\ud800 = 1\n" + SCORE, ["FL201"]),
        ("\x00" + SCORE, []),
        ("", []),
        ("(" * 5_000 + SCORE, None),
    ],
)
def test_broken_texts_are_checked_as_far_as_they_go(
    text: str, rules: list[str] | None, tmp_path: Path
) -> None:
    async def play(editor: Editor) -> None:
        uri = editor.open("hire.py", text)
        shown = [one.code for one in await editor.told(uri, 1)]
        assert rules is None or shown == rules
        editor.rewrite(uri, 2, SCORE)
        assert [one.code for one in await editor.told(uri, 2)] == ["FL201"]

    with_editor(tmp_path, play)


def test_a_file_that_takes_long_holds_nothing_up_and_is_given_up(tmp_path: Path) -> None:
    (tmp_path / "fairlint.toml").write_text("file-timeout = 600\nfile-steps = 500000000\n")

    async def play(editor: Editor) -> None:
        small = editor.open("small.py", SCORE)
        await editor.told(small, 1)
        huge = editor.open("huge.py", HUGE)
        await asyncio.sleep(1)
        before = time.monotonic()
        assert "FL201" in await editor.hover(small, 3, 10)
        assert time.monotonic() - before < LATE / 3
        editor.rewrite(huge, 2, CLEAN)
        assert await editor.told(huge, 2) == []
        editor.rewrite(small, 2, CLEAN)
        assert await editor.told(small, 2) == []

    with_editor(tmp_path, play)


def test_limits_are_told_where_the_text_begins(tmp_path: Path) -> None:
    (tmp_path / "fairlint.toml").write_text("file-timeout = 0.01\n")

    async def play(editor: Editor) -> list[types.Diagnostic]:
        return await editor.told(editor.open("huge.py", HUGE), 1)

    (lost,) = with_editor(tmp_path, play)
    assert lost.code == "not-analysed"
    assert lost.severity == types.DiagnosticSeverity.Information
    assert "file-timeout" in lost.message


def test_configuration_is_watched_and_what_is_wrong_with_it_is_told_once(tmp_path: Path) -> None:
    settings = tmp_path / "fairlint.toml"

    def changed(editor: Editor) -> None:
        event = types.FileEvent(settings.as_uri(), types.FileChangeType.Changed)
        editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))

    async def play(editor: Editor) -> None:
        await editor.until(lambda: types.WORKSPACE_DID_CHANGE_WATCHED_FILES in editor.registered)
        uri = editor.open("hire.py", SCORE)
        other = editor.open("other.py", SCORE)
        assert await editor.told(uri, 1)
        assert await editor.told(other, 1)
        settings.write_text('ignore = ["FL2"]\n')
        changed(editor)
        await editor.until(lambda: editor.shown[uri] == editor.shown[other] == [])
        settings.write_text("ignore = 7\n")
        changed(editor)
        await editor.until(lambda: bool(editor.messages))
        assert len(editor.messages) == 1
        assert "fairlint.toml" in editor.messages[0]
        settings.write_text("")
        changed(editor)
        await editor.until(lambda: bool(editor.shown[uri]) and bool(editor.shown[other]))

    with_editor(tmp_path, play)


def test_the_editors_own_settings_count(tmp_path: Path) -> None:
    text = SCORE.replace("job", "simulation").replace("score(", "simulate(")
    (tmp_path / "simulation.py").write_text(text)

    async def play(editor: Editor) -> list[types.Diagnostic]:
        return await editor.told(editor.open("simulation.py", text), 1)

    shown = with_editor(tmp_path, play, {"minSeverity": "note"})
    assert len(shown) == len(command_line(tmp_path, "--min-severity", "note", "simulation.py"))


def test_what_is_left_out_is_left_out_though_it_is_open(tmp_path: Path) -> None:
    (tmp_path / "fairlint.toml").write_text('extend-exclude = ["generated/"]\n')
    (tmp_path / "generated").mkdir()
    (tmp_path / "generated" / "hire.py").write_text(SCORE)

    async def play(editor: Editor) -> list[types.Diagnostic]:
        return await editor.told(editor.open("generated/hire.py", SCORE), 1)

    assert with_editor(tmp_path, play) == []


def test_texts_without_a_file_and_in_other_languages(tmp_path: Path) -> None:
    async def play(editor: Editor) -> None:
        untitled = "untitled:Untitled-1"
        item = types.TextDocumentItem(untitled, "python", 1, SCORE)
        editor.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        assert [one.code for one in await editor.told(untitled, 1)] == ["FL201"]
        assert await editor.told(editor.open("notes.md", SCORE, language="markdown"), 1) == []
        text = 'int score(struct applicant *a) { return strcmp(a->gender, "male") == 0 ? 5 : 0; }\n'
        assert await editor.told(editor.open("score.c", text, language="c"), 1)
        item = types.TextDocumentItem("git:/hire.py", "python", 1, SCORE)
        editor.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        assert editor.messages == []

    with_editor(tmp_path, play)


def notebook_of(editor: Editor, cells: list[tuple[str, str]]) -> tuple[str, list[str]]:
    """Opens a notebook with cells, each a language and a text."""
    uri = editor.uri("train.ipynb")
    documents = [f"vscode-notebook-cell:{uri}#{number}" for number in range(len(cells))]
    kinds = [
        types.NotebookCellKind.Markup if language == "markdown" else types.NotebookCellKind.Code
        for language, _ in cells
    ]
    editor.client.notebook_document_did_open(
        types.DidOpenNotebookDocumentParams(
            types.NotebookDocument(
                uri, "jupyter-notebook", 1,
                [types.NotebookCell(kind, document) for kind, document in zip(kinds, documents, strict=True)],
            ),
            [
                types.TextDocumentItem(document, language, 1, text)
                for document, (language, text) in zip(documents, cells, strict=True)
            ],
        )
    )  # fmt: skip
    return uri, documents


def test_findings_are_shown_in_the_cells_of_a_notebook(tmp_path: Path) -> None:
    async def play(editor: Editor) -> None:
        assert editor.capabilities.notebook_document_sync is not None
        cells = [("markdown", "# gender"), ("python", "BONUS = 5\n"), ("python", "%time\n" + SCORE)]
        uri, documents = notebook_of(editor, cells)
        shown = await editor.told(documents[2], 1)
        assert [(one.code, one.range.start.line) for one in shown] == [("FL201", 4)]
        assert editor.shown[documents[1]] == []
        *_, action = await editor.actions(documents[2], 4)
        assert "ignore[FL201]" in edits_of(action)[0].new_text
        change = types.NotebookDocumentCellContentChanges(
            types.VersionedTextDocumentIdentifier(2, documents[2]),
            [types.TextDocumentContentChangeWholeDocument(CLEAN)],
        )
        event = types.NotebookDocumentChangeEvent(
            cells=types.NotebookDocumentCellChanges(text_content=[change])
        )
        document = types.VersionedNotebookDocumentIdentifier(2, uri)
        editor.client.notebook_document_did_change(types.DidChangeNotebookDocumentParams(document, event))
        assert await editor.told(documents[2], 2) == []
        closed = types.DidCloseNotebookDocumentParams(
            types.NotebookDocumentIdentifier(uri), [types.TextDocumentIdentifier(one) for one in documents]
        )
        editor.client.notebook_document_did_close(closed)
        assert await editor.told(documents[2], None) == []

    with_editor(tmp_path, play)


def children(process: int) -> list[int]:
    """The processes that a process has started."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(words[1]) == process:
            found.append(int(stat.parent.name))
    return found


def wait_for_end(processes: list[int]) -> bool:
    """Whether these processes are gone, or dead, soon."""
    until = time.monotonic() + LATE
    while time.monotonic() < until:
        if not any(is_alive(one) for one in processes):
            return True
        time.sleep(0.1)
    return False


def is_alive(process: int) -> bool:
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_worker_that_dies_is_replaced(tmp_path: Path) -> None:
    async def play(editor: Editor) -> None:
        uri = editor.open("hire.py", SCORE)
        await editor.told(uri, 1)
        (worker,) = children(editor.process.pid)
        os.kill(worker, signal.SIGKILL)
        editor.rewrite(uri, 2, SCORE + "\n")
        assert [one.code for one in await editor.told(uri, 2)] == ["FL201"]

    with_editor(tmp_path, play)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_nothing_is_left_when_the_server_is_killed_at_work(number: int, tmp_path: Path) -> None:
    (tmp_path / "fairlint.toml").write_text("file-timeout = 600\nfile-steps = 500000000\n")

    async def play() -> list[int]:
        editor = Editor(tmp_path)
        await editor.start()
        small = editor.open("small.py", SCORE)
        await editor.told(small, 1)
        editor.open("huge.py", HUGE)
        await asyncio.sleep(1)
        left = [*children(editor.process.pid), editor.process.pid]
        assert len(left) == 2
        editor.process.send_signal(number)
        await asyncio.wait_for(editor.process.wait(), LATE)
        return left

    assert wait_for_end(asyncio.run(play()))


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_nothing_is_left_when_the_editor_is_killed(tmp_path: Path) -> None:
    script = f"""
import asyncio, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from pathlib import Path
from editor import Editor

async def play():
    editor = Editor(Path({str(tmp_path)!r}))
    await editor.start()
    await editor.told(editor.open("hire.py", {SCORE!r}), 1)
    print(editor.process.pid, flush=True)
    await asyncio.sleep(600)

asyncio.run(play())
"""
    with subprocess.Popen(
        [sys.executable, "-c", script], env=environment(), stdout=subprocess.PIPE
    ) as editor:
        assert editor.stdout is not None
        server = int(editor.stdout.readline())
        left = [server, *children(server)]
        editor.kill()
    assert wait_for_end(left)


def raw(tmp_path: Path, *messages: Any, before: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """What the server writes in answer to messages, and how it ends with its input."""
    bodies = [json.dumps({"jsonrpc": "2.0", **one}).encode() for one in messages]
    said = before + b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(body), body) for body in bodies)
    return subprocess.run(
        [sys.executable, "-P", "-m", "fairlint", "server"],
        cwd=tmp_path, env=environment(), input=said, capture_output=True, check=False, timeout=LATE,
    )  # fmt: skip


INITIALIZE: dict[str, Any] = {
    "id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}},
}  # fmt: skip


def test_an_editor_that_goes_without_a_word_is_the_end_of_it(tmp_path: Path) -> None:
    done = raw(tmp_path, INITIALIZE)
    assert done.returncode == 1
    assert b'"capabilities"' in done.stdout


def test_a_proper_end_is_zero_and_what_is_no_message_is_passed_over(tmp_path: Path) -> None:
    odd = b"Content-Length: 9\r\n\r\nno json !"
    done = raw(
        tmp_path, INITIALIZE, {"method": "initialized", "params": {}}, {"method": "$/what", "params": {}},
        {"id": 2, "method": "no/such", "params": {}}, {"id": 3, "method": "shutdown"}, {"method": "exit"},
        before=odd,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert b'"id":3' in done.stdout.replace(b" ", b"")


TOO_LARGE = "a message of more than 200,000,000 bytes is announced"


@pytest.mark.parametrize(
    ("header", "told"),
    [
        (b"Content-Length: 99999999999999\r\n\r\n", "a message of more than 200,000,000 bytes is announced"),
        (
            b"Content-Length: %s\r\n\r\n" % (b"9" * 900),
            "a message of more than 200,000,000 bytes is announced",
        ),
        (b"x" * 10_000, "a line of a header is longer than 1,000 bytes"),
    ],
)
def test_a_header_beyond_measure_is_one_line(header: bytes, told: str, tmp_path: Path) -> None:
    done = raw(tmp_path, INITIALIZE, before=header)
    assert done.returncode == 2
    assert done.stderr.decode().endswith(f"fairlint: error: {told}\n")
    assert b"Traceback" not in done.stderr


def test_without_the_extra_one_line_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "pygls").mkdir()
    (tmp_path / "pygls" / "__init__.py").write_text("raise ModuleNotFoundError(name='pygls')\n")
    env = {**environment(), "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    done = subprocess.run(
        [sys.executable, "-P", "-m", "fairlint", "server"],
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == 'fairlint: error: pygls is not installed: pip install "fairlint[server]"\n'
