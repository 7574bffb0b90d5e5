"""Looks for changed lines that `--diff REV` takes for unchanged, in random states of repositories.

    python benchmarks/changed_lines.py [--states N] [--seed N] [--show]

A state is a commit, and files that lie there now: edited, new, moved, links, of other encodings and line
ends, with odd names, in other repositories, under attributes and configuration that say what git's own diff
would leave out. What each file was and is, the generator knows by itself; git only writes the commit. A line
is *missed* where what is told as unchanged is not what the commit has: the lines beside one another that are
told as unchanged have to be lines beside one another of the old text, in the same order; of a file that is
new to the commit, lines of one that the commit holds and that is gone. A file of which nobody can say its
lines counts as changed throughout, with a reason: of plain files none may.
Exit status: 0 where nothing was missed and no plain file was taken for wholly changed, 1 otherwise, 2 where
git is not there.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from fairlint.suppression.changed_lines import Touched, since  # noqa: E402
from fairlint.suppression.changed_lines.touched import Asked  # noqa: E402

FILES = 10
"""Files of a state, at most."""
WORDS = ("score = 1", "score += 5", "    return score", "", "", "}", "# é ü", "def f(x):", "\tif x:", "pass")
ENDS = ("\n", "\n", "\n", "\r\n", "\r", "mixed")
ENCODINGS = ("utf-8", "utf-8", "utf-8", "utf-8-sig", "latin-1", "cookie", "utf-16")
NAMES = (
    *("a.py", "b.c", "src/a.py", "src/deep/er/x.py", "a b/c.py", "b/a.py", "-x.py", ":x.py", ":(top)y.py"),
    *('q"uote.py', "back\\slash.py", "tab\tname.py", "new\nline.py", "cr\rname.py", "esc\x1b[1m.py", "é.py"),
    *("no\udcff\udcfeutf8.py", " blank.py", "end .py", "*.py", "[ab].py", "glob?.c", "HEAD.py", "x.ipynb"),
)
ATTRIBUTES = (
    *(
        "*.py binary",
        "*.py -diff",
        "* -text",
        "* text=auto",
        "*.py text eol=crlf",
        "*.py diff=other",
        "* ident",
    ),
    *(
        "*.py working-tree-encoding=UTF-16LE-BOM",
        "*.py filter=lfs diff=lfs merge=lfs -text",
        "* export-ignore",
    ),
)
CONFIGURED = (
    *(
        "[core]\n\tautocrlf = true\n",
        "[core]\n\tautocrlf = input\n\tsafecrlf = true\n",
        "[core]\n\teol = crlf\n",
    ),
    *("[core]\n\tbigFileThreshold = 1\n", "[core]\n\tworktree = /\n", "[core]\n\tworktree = ..\n"),
    *("[core]\n\tsymlinks = false\n", "[core]\n\tignoreCase = true\n", "[core]\n\tfileMode = false\n"),
    *(
        "[core]\n\tquotePath = true\n",
        "[core]\n\tprecomposeUnicode = true\n",
        "[core]\n\ttrustCtime = false\n",
    ),
    *("[diff]\n\tignoreSubmodules = all\n", '[diff "other"]\n\tbinary = true\n', "[color]\n\tui = always\n"),
    *("[diff]\n\tnoprefix = true\n", "[diff]\n\torderFile = none\n", "[diff]\n\trenames = copies\n"),
    *(
        "[status]\n\tshowUntrackedFiles = no\n",
        "[core]\n\tsparseCheckout = true\n",
        "[core]\n\tbare = true\n",
    ),
)
LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12\n"


@dataclass
class Text:
    """Lines, how they end and how they are written."""

    lines: list[str]
    end: str = "\n"
    encoding: str = "utf-8"

    def data(self, chance: random.Random) -> bytes:
        """The bytes of a file."""
        lines = ["# coding: latin-1", *self.lines[1:]] if self.encoding == "cookie" else self.lines
        text = ""
        for line in lines[:-1]:
            end = chance.choice(ENDS[:5]) if self.end == "mixed" else self.end
            joins = not line and text.endswith("\r") and end == "\n"  # it would be one end
            text += line + ("\r" if joins else end)
        encoding = {"cookie": "latin-1", "utf-16": "utf-16-le"}.get(self.encoding, self.encoding)
        mark = b"\xff\xfe" if self.encoding == "utf-16" else b""
        return mark + (text + lines[-1]).encode(encoding, "replace")

    def read(self) -> list[str]:
        """The lines as a reader has them."""
        if self.encoding == "cookie":
            return ["# coding: latin-1", *self.lines[1:]]
        return self.lines


@dataclass
class File:
    """A file that is asked about: what a reader saw before, if anything, and sees now."""

    kind: str
    now: list[str]
    before: list[str] | None
    is_plain: bool = False
    """Whether its lines can be told."""


@dataclass
class State:
    """A repository: what is committed, and what is asked about."""

    folder: Path
    committed: dict[str, tuple[str, bytes]] = field(default_factory=dict)
    """Name → mode and bytes; of another repository, the id of its commit."""
    files: dict[str, File] = field(default_factory=dict)
    gone: list[list[str]] = field(default_factory=list)
    """What a reader saw of files that are committed and lie there no more."""

    def write(self, name: str, data: bytes) -> None:
        """Puts a file where it lies now."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def link(self, name: str, target: str) -> None:
        """Puts a link there."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)

    def commit(self, name: str, data: bytes, mode: str = "100644") -> None:
        """Notes what is committed under a name."""
        self.committed[name] = (mode, data)


def _text(chance: random.Random) -> Text:
    words = WORDS if chance.random() < 0.7 else WORDS[:3]
    lines = [
        f"{chance.choice(words)} {chance.randrange(40)}" if chance.random() < 0.5 else chance.choice(words)
        for _ in range(chance.randrange(1, 30))
    ]
    return Text(lines, chance.choice(ENDS), chance.choice(ENCODINGS))


def _edited(chance: random.Random, text: Text) -> Text:
    lines = list(text.lines)
    for _ in range(chance.randrange(5)):
        at = chance.randrange(len(lines))
        match chance.choice(("insert", "delete", "replace", "move", "double")):
            case "insert":
                lines.insert(at, chance.choice(WORDS))
            case "delete" if len(lines) > 1:
                del lines[at : at + chance.randrange(1, 4)]
                lines = lines or [""]
            case "replace":
                lines[at] = f"{chance.choice(WORDS)} {chance.randrange(9)}"
            case "move":
                lines.insert(chance.randrange(len(lines)), lines.pop(at))
            case _:
                lines[at:at] = lines[max(0, at - 3) : at]
    end = chance.choice(ENDS) if chance.random() < 0.2 else text.end
    encoding = chance.choice(ENCODINGS) if chance.random() < 0.1 else text.encoding
    return Text(lines, end, encoding)


def _edit(chance: random.Random, state: State, name: str) -> None:
    before = _text(chance)
    now = before if chance.random() < 0.3 else _edited(chance, before)
    old, new = before.data(chance), now.data(chance)
    if now is before:
        new = old
    state.commit(name, old, chance.choice(("100644", "100755")))
    state.write(name, new)
    reads = {"utf-8", "utf-8-sig", "utf-16"} if name.endswith((".c", ".ipynb")) else set(ENCODINGS)
    same = _is_told(before, reads) and _is_told(now, reads)
    state.files[name] = File("unchanged" if old == new else "edited", now.read(), before.read(), same)


def _is_told(text: Text, reads: set[str]) -> bool:
    """Whether the lines as the generator has them are those that a reader has."""
    return text.encoding in reads or all(line.isascii() for line in text.read())


def _new(chance: random.Random, state: State, name: str) -> None:
    now = _text(chance)
    state.write(name, now.data(chance))
    state.files[name] = File("new", now.read(), None)


def _moved(chance: random.Random, state: State, name: str) -> None:
    """A file that had another name, and may be edited besides."""
    before = _text(chance)
    now = before if chance.random() < 0.4 else _edited(chance, before)
    old = before.data(chance)
    state.commit(f"{name}.old.py", old)
    state.gone.append(before.read())
    state.write(name, old if now is before else now.data(chance))
    state.files[name] = File("moved", now.read(), None)


def _linked(chance: random.Random, state: State, name: str) -> None:
    """A link to a file that was there; the link itself may be older, or lead elsewhere than before."""
    kind = chance.choice(
        ("link", "new link", "link led elsewhere", "link through a folder", "link was a file")
    )
    before = _text(chance)
    now = _edited(chance, before)
    target = f"{name.replace('/', '_')}.data"
    up = "../" * name.count("/")
    state.commit(target, before.data(chance))
    data = now.data(chance)
    state.write(target, data)
    if kind == "link through a folder":
        via = f"{name.replace('/', '_')}.folder"
        was = chance.choice((".", ".", "elsewhere"))
        state.commit(via, was.encode(), "120000")
        state.link(via, ".")
        state.link(name, f"{up}{via}/{target}")
        state.commit(name, f"{up}{via}/{target}".encode("utf-8", "surrogateescape"), "120000")
        old = before.read() if was == "." else None
        state.files[name] = File(kind, now.read(), old, is_plain=False)
        return
    state.link(name, up + target)
    if kind == "link":
        state.commit(name, os.fsencode(up + target), "120000")
    elif kind == "link led elsewhere":
        state.commit(name, b"elsewhere.txt", "120000")
    elif kind == "link was a file":
        state.commit(name, data)
    state.files[name] = File(kind, now.read(), before.read() if kind == "link" else None)


def _unlinked(chance: random.Random, state: State, name: str) -> None:
    now = _text(chance)
    state.commit(name, b"elsewhere.txt", "120000")
    state.write(name, now.data(chance))
    state.files[name] = File("file was a link", now.read(), None)


def _leads_out(chance: random.Random, state: State, name: str) -> None:
    now = _text(chance)
    outside = state.folder.parent / f"{state.folder.name}.outside.py"
    outside.write_bytes(now.data(chance))
    state.link(name, str(outside))
    state.commit(name, os.fsencode(str(outside)), "120000")
    state.files[name] = File("link out of the repository", now.read(), None)


def _module(chance: random.Random, state: State, name: str) -> None:
    """A file of another repository in a folder of this one."""
    now = _text(chance)
    inner = f"{name.replace('/', '_')}.module"
    is_known = chance.random() < 0.5
    if is_known:
        state.commit(inner, b"1" * 40, "160000")
    state.write(f"{inner}/a.py", now.data(chance))
    if chance.random() < 0.5:
        shutil.copytree(state.folder / ".git", state.folder / inner / ".git")
    else:
        state.write(f"{inner}/.git", b"gitdir: ../.git/modules/inner\n")
    kind = "submodule" if is_known else "embedded repository"
    state.files[f"{inner}/a.py"] = File(kind, now.read(), None)


def _unreadable(chance: random.Random, state: State, name: str) -> None:
    """What is committed is no text, or only says where the text is."""
    now = _text(chance)
    state.commit(name, chance.choice((b"\0GITCRYPT\0" + now.data(chance), LFS.encode())))
    state.write(name, now.data(chance))
    state.files[name] = File("no text before", now.read(), None)


Maker = Callable[[random.Random, State, str], None]
MAKERS: Sequence[Maker] = (
    *(_edit,) * 12, _new, _moved, *(_linked,) * 3, _unlinked, _leads_out, _module, _unreadable,
)  # fmt: skip


def state(chance: random.Random, folder: Path) -> State:
    """A repository in a folder that is not there yet."""
    made = State(folder)
    git = folder / ".git"
    for part in ("objects/info", "objects/pack", "refs/heads", "info"):
        (git / part).mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    configured = chance.sample(CONFIGURED, chance.randrange(4))
    (git / "config").write_text("[core]\n\trepositoryformatversion = 0\n" + "".join(configured))
    attributes = "\n".join(chance.sample(ATTRIBUTES, chance.randrange(3))) + "\n"
    (folder / chance.choice((".gitattributes", ".git/info/attributes"))).write_text(attributes)
    (folder / chance.choice((".gitignore", ".git/info/exclude"))).write_text(
        chance.choice(("", "*\n", "*.py\n"))
    )
    for name in chance.sample(NAMES, chance.randrange(1, FILES + 1)):
        chance.choice(MAKERS)(chance, made, name)
    _commit(made)
    return made


def _commit(made: State) -> None:
    """Writes what is committed, by git's own import."""
    pieces = [b"commit refs/heads/main\ncommitter A <a@example.org> 1700000000 +0000\ndata 1\nx\n"]
    for name, (mode, data) in made.committed.items():
        path = b'"' + b"".join(b"\\%03o" % byte for byte in os.fsencode(name)) + b'"'
        if mode == "160000":
            pieces.append(b"M 160000 %s %s\n" % (data, path))
        else:
            pieces.append(b"M %s inline %s\ndata %d\n%s\n" % (mode.encode(), path, len(data), data))
    command = ["git", f"--git-dir={made.folder / '.git'}", "fast-import", "--quiet"]
    quiet = subprocess.DEVNULL
    subprocess.run(command, input=b"".join(pieces), check=True, cwd=made.folder.parent, stderr=quiet)


def explained(before: Sequence[str], now: Sequence[str], told: Sequence[range]) -> bool:
    """Whether what is told as unchanged is so: each run of such lines is one of the old text, in their order,
    and one that begins or ends the text begins or ends the old one.
    """
    marked = {line for one in told for line in range(one.start, min(one.stop, len(now) + 1))}
    place = 0
    at = 1
    while at <= len(now):
        if at in marked:
            at += 1
            continue
        end = at
        while end <= len(now) and end not in marked:
            end += 1
        run = list(now[at - 1 : end - 1])
        starts = [0] if at == 1 else range(place, len(before) - len(run) + 1)
        if end > len(now):
            starts = [one for one in starts if one == len(before) - len(run)]
        found = next((one for one in starts if list(before[one : one + len(run)]) == run), None)
        if found is None or found < place:
            return False
        place, at = found + len(run), end
    return True


def asked(made: State) -> Mapping[str, Touched]:
    """What fairlint says of the files of a state."""
    with contextlib.chdir(made.folder):
        return since("HEAD", moves=lambda *_: True).touched({name: Asked(name) for name in made.files})


def faults(made: State, told: Mapping[str, Touched]) -> Iterator[str]:
    """What is missed, and what is wholly changed without need."""
    for name, file in made.files.items():
        one = told[name]
        is_whole = any(ranges.stop > len(file.now) + 2 for ranges in one.ranges)
        if file.before is None:
            if not is_whole and not any(explained(gone, file.now, one.ranges) for gone in made.gone):
                yield f"missed: {name!r}: {file.kind}, told as {one}"
        elif not is_whole and not explained(file.before, file.now, one.ranges):
            yield f"missed: {name!r}: {file.kind}: {file.before} → {file.now}, told as {one}"
        elif file.is_plain and is_whole:
            yield f"whole: {name!r}: {file.kind}, told as {one}"
        elif file.kind == "unchanged" and one.ranges:
            yield f"whole: {name!r}: not changed, told as {one}"


def states(number: int, seed: int) -> Iterator[tuple[int, State, Mapping[str, Touched]]]:
    """States, each with what is told of it."""
    with tempfile.TemporaryDirectory() as folder:
        for at in range(number):
            made = state(random.Random(f"{seed}:{at}"), Path(folder) / str(at))
            yield at, made, asked(made)
            shutil.rmtree(made.folder)


def _why(reason: str) -> str:
    """A reason without the name of the file."""
    return "a link that is new, or leads elsewhere" if " is a new link" in reason else reason


def main() -> int:
    """Tries states and reports."""
    parser = argparse.ArgumentParser(description="Look for changed lines that are taken for unchanged.")
    parser.add_argument("--states", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", action="store_true", help="what was missed")
    options = parser.parse_args()
    if shutil.which("git") is None:
        return 2
    files: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    whole: Counter[str] = Counter()
    for at, made, told in states(options.states, options.seed):
        files.update(one.kind for one in made.files.values())
        whole.update(_why(one.reason) for one in told.values() if one.reason)
        for fault in faults(made, told):
            wrong[fault.partition(":")[0]] += 1
            if options.show:
                print(f"state {at}: {fault}")
    print(f"{options.states} states, {files.total()} files: {wrong['missed']} with missed lines, ", end="")
    print(f"{wrong['whole']} plain ones taken for changed without need")
    for name, number in files.most_common():
        print(f"{number:8} {name}")
    print(f"{whole.total()} files count as changed throughout for a reason:")
    for name, number in whole.most_common():
        print(f"{number:8} {name}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
