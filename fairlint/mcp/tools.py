"""The tools that agents are given. All of them read, and none runs code or writes a file."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations

from fairlint.mcp import compact
from fairlint.mcp.places import OutsideError, inside
from fairlint.support.about import __version__
from fairlint.worker.process import Answer, Worker

INSTRUCTIONS = """\
fairlint finds where Python and C code, notebooks, SQL and prompts treat people by a protected attribute
(gender, race, age, religion, disability and others), and says what each group gains or loses. Call `check` on
code that decides about people, scores them or trains a model on them after you have written or changed it,
before you call it done. A finding is a fact about the code and no verdict: read `rule` for what it means and
what to do instead, tell the person you work for what each group gets, and do not hide a finding by renaming
things. Only people put findings aside, by a comment with a reason."""
LARGEST = 5_000_000
"""Characters of a text."""
Severity = Literal["error", "warning", "note"]
_READS = ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
)


class Tools:
    """The tools over some folders."""

    def __init__(self, roots: Sequence[Path], worker: Worker) -> None:
        self._roots = roots
        self._worker = worker

    async def check(
        self, path: str, text: str | None = None, min_severity: Severity | None = None
    ) -> dict[str, Any]:
        """Find where code treats people by a protected attribute, and what each group gets.

        `path` is a file or a folder below the server's folder. With `text`, that text is checked as if it
        were the file's content, which need not exist yet: imports are followed from there. Without
        `min_severity`, what the project's configuration says is told: usually errors and warnings. Nothing
        is executed.
        """
        return compact.compact_findings(
            await self._ask_worker(path, text, do="check", min_severity=min_severity)
        )

    async def explain(
        self, path: str, line: int, column: int | None = None, cell: int | None = None
    ) -> dict[str, Any]:
        """Tell what fairlint makes of one line of a file: the names on it, what speaks for and against, which
        rule judged it, and why there is no finding if there is none. Lines, columns and cells count from 1.
        """
        return dict(await self._ask_worker(path, None, do="explain", line=line, column=column, cell=cell))

    async def rule(self, rule: str = "") -> dict[str, Any]:
        """Return the page of a rule by its code (FL201) or name: what it flags, why it matters, what to write
        instead, its known limits. Without a rule, the list of all.
        """
        return dict(_answer_or_error(await self._worker.ask({"do": "rule", "rule": rule})))

    async def fix(self, path: str, text: str | None = None) -> dict[str, Any]:
        """Propose edits that remove findings of a Python file, each tried by checking the file again.

        Nothing is written. An edit replaces from line and column up to its end, which is exclusive, both from
        1. `unsafe` fixes change what the program does: show them to a person.
        """
        return compact.compact_fixes(await self._ask_worker(path, text, do="fixes", units="utf-32"))

    async def _ask_worker(self, path: str, text: str | None, **more: Any) -> Answer:
        try:
            whole = inside(path, self._roots)
        except OutsideError as error:
            raise ToolError(str(error)) from None
        if text is not None and len(text) > LARGEST:
            raise ToolError(f"the text has more than {LARGEST:,} characters")
        job = {"path": str(whole), "text": text, "folder": str(self._roots[0]), **more}
        return _answer_or_error(await self._worker.ask(job))


def _answer_or_error(answer: Answer) -> Answer:
    if "error" in answer:
        raise ToolError(str(answer["error"]))
    return answer


def make(roots: Sequence[Path]) -> MCPServer:
    """Return a server for these folders."""
    worker = Worker()

    @asynccontextmanager
    async def life(_: MCPServer) -> AsyncIterator[None]:
        try:
            yield
        finally:
            await worker.end()

    server = MCPServer(
        "fairlint", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING", lifespan=life
    )
    tools = Tools(roots, worker)
    for tool in (tools.check, tools.explain, tools.rule, tools.fix):
        server.add_tool(tool, annotations=_READS)
    return server


def serve(roots: Sequence[Path]) -> None:
    """Talks over standard input and output until the agent ends that."""
    make(roots).run("stdio")
