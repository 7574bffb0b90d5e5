"""Compares fairlint's reading of ignore rules with git's own, on many random sets of patterns.

    python benchmarks/ignore_rules.py [--sets N] [--seed N]

Every set stands in a folder of its own with the same files; git says of each path whether it is left out.
Exit status: 0 where both agree on all, 1 where they differ, 2 where git is not there.
"""

from __future__ import annotations

import argparse
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from fairlint.sources.ignore_rules import read_rules

FILES = (
    "a", "b.py", "ab", "a b", "a ", "x-y", "x]y", "#c", "!d", "e\\f", "é.py", "foo.pyc", "foo.py", "Foo.PY",
    "foo/a", "foo/b.py", "foo/bar/a", "foo/bar/baz/b.py", "foo/baz", "bar/a", "bar/foo/a", "bar/foo/b.py",
    "bar/bar/x.c", "deep/1/2/3/a.py", "deep/1/foo/2/b", "z/[a]/c", "z/a-b/[", "z/1.txt", "z/A1_/q", "z/ b",
)  # fmt: skip
PIECES = (
    *("a", "b", "foo", "bar", "baz", "x", "1", "2", "é", ".py", ".pyc", ".", "_", " ", "-"),
    *("*", "**", "***", "?", "/", "//", "\\", "\\ ", "\\*", "\\[", "\\!", "\\#", "!", "#"),
    *("[ab]", "[!ab]", "[^a]", "[a-f]", "[z-a]", "[]-]", "[]a]", "[!]a]", "[a-]", "[--0]", "[\\]]"),
    *("[a\\-c]", "[", "]", "[]", "[!]", "[!/]", "[a/b]", "[[:alpha:]]", "[[:digit:]x]"),
    *("[[:upper:][:digit:]]", "[[:space:]]", "[[:nope:]]", "[[:alpha]", "[[:alpha:", "[[:]]", "[[:punct:]]"),
)
NAMES = ("a", "b.py", "foo", "bar", "deep", "z", "*", "**")
ENDS = ("", "", "", "/", "/*", "/**", " ", "\\", "\\ ", "\t", "\r")
AMID = re.compile(r"[^/*!]\*\*")
"""Of `foo**/bar`, versions of git think differently."""
FOLDERS = sorted({str(parent) for name in FILES for parent in Path(name).parents} - {"."})


def pattern(chance: random.Random) -> str:
    """One line of a `.gitignore`."""
    while True:
        if chance.random() < 0.4:
            middle = "/".join(chance.choice(NAMES) for _ in range(chance.randint(1, 3)))
        else:
            middle = "".join(chance.choice(PIECES) for _ in range(chance.randint(1, 5)))
        line = chance.choice(("", "", "", "/", "!", "**/")) + middle + chance.choice(ENDS)
        if not AMID.search(line):
            return line


def main() -> int:
    """Compares and reports."""
    parser = argparse.ArgumentParser(description="Compare the reading of ignore rules with git's.")
    parser.add_argument("--sets", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if shutil.which("git") is None:
        print("ignore_rules: git is not there", file=sys.stderr)
        return 2
    differing = compare(options.sets, random.Random(options.seed))
    for told in differing[:20]:
        print(told)
    print(f"{len(differing)} of {options.sets} sets differ from {git('--version').strip()}")
    return 1 if differing else 0


def compare(sets: int, chance: random.Random) -> list[str]:
    """What differs, a line a set."""
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        git("init", "-q", cwd=root)
        made = []
        for number in range(sets):
            folder = root / f"s{number}"
            for name in FILES:
                path = folder / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch()
            lines = [pattern(chance) for _ in range(chance.randint(1, 4))]
            data = (b"\xef\xbb\xbf" if chance.random() < 0.05 else b"") + "\n".join(lines).encode()
            (folder / ".gitignore").write_bytes(data)
            made.append((folder.name, data))
        paths = [f"{name}/{path}" for name, _ in made for path in (*FILES, *FOLDERS)]
        asked = "\0".join(paths)
        told = git("check-ignore", "--no-index", "-z", "--stdin", cwd=root, stdin=asked)
        ignored = set(told.split("\0"))
    found = []
    for name, data in made:
        rules = read_rules(data)
        ours = {path for path in (*FILES, *FOLDERS) if rules.verdict_below(path, folder=path in FOLDERS)}
        theirs = {path for path in (*FILES, *FOLDERS) if f"{name}/{path}" in ignored}
        if ours != theirs:
            found.append(f"{data!r}: only here {sorted(ours - theirs)}, only git {sorted(theirs - ours)}")
    return found


def git(*words: str, cwd: Path | None = None, stdin: str = "") -> str:
    """What git prints; its exit code 1 says that nothing is ignored."""
    command = ["git", "-c", "core.quotepath=off", *words]
    done = subprocess.run(command, cwd=cwd, input=stdin, capture_output=True, text=True, check=False)
    if done.returncode not in {0, 1}:
        raise SystemExit(f"ignore_rules: git: {done.stderr.strip()}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
