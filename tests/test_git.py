"""Nothing that a repository's `.git` configures is run when git is asked, whatever it is asked for.

Each key that names a program names one that leaves a mark. The controls show that the mark is left where git
itself is run in the same repository, so that a mark that is missing says something.
"""

from __future__ import annotations

import math
import os
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest
from programs import POINTS

from fairlint.cli import main
from fairlint.reporters.authors import Written, authorship_of_lines
from fairlint.support import git
from fairlint.support.checkouts import states
from fairlint.support.errors import UsageError
from fairlint.support.git import Allowance, GitError, Objects, git_output, revision, tracked_paths
from fairlint.suppression.changed_lines import since
from fairlint.suppression.changed_lines.touched import Asked

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the programs are scripts of sh")

CODE = (
    f"{POINTS}\n\ndef more(applicant):\n    return applicant.age > 45  # fairlint: ignore[FL102] -- tried\n"
)
FIRST = b"""\
commit refs/heads/main
committer A <a@example.org> 1700000000 +0000
data 1
1
M 100644 inline a.py
data 14
def f(): pass

M 100644 inline sub/b.py
data 6
x = 1

"""
SIGNATURE = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQEzBAABCAAdFiEE\n -----END PGP SIGNATURE-----\n"


class Key(NamedTuple):
    """What a `.git` may say. MARK stands for the program, HERE for the repository."""

    settings: Mapping[str, str]
    control: tuple[str, ...] = ()
    """What runs the program where git itself is asked."""
    lacks: bool = False
    """Whether the object of the file is missing, as in a partial clone."""


def promised(**settings: str) -> dict[str, str]:
    """A partial clone, with more settings; `_` stands for a dot in names."""
    return {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "origin",
        "remote.origin.promisor": "true",
        "remote.origin.url": "ssh://localhost/none",
        **{name.replace("_", "."): value for name, value in settings.items()},
    }


DIFF, BLAME, LOG = ("diff", "HEAD"), ("blame", "a.py"), ("log", "-1", "-p")
SHOW = ("cat-file", "-p", "HEAD:a.py")
KEYS: dict[str, Key] = {
    "core.fsmonitor": Key({"core.fsmonitor": "MARK"}, ("status",)),
    "core.fsmonitor, version 1": Key(
        {"core.fsmonitor": "MARK", "core.fsmonitorHookVersion": "1"}, ("status",)
    ),
    "core.hooksPath": Key({"core.hooksPath": "HERE/.git/marks"}, ("checkout", "-q", "-b", "other")),
    "hooks in their folder": Key({"core.bare": "false"}, ("checkout", "-q", "-b", "other")),
    "core.editor": Key({"core.editor": "MARK"}, ("commit", "--amend", "-q")),
    "sequence.editor": Key({"sequence.editor": "MARK"}),
    "core.pager": Key(
        {"core.pager": "MARK", "pager.log": "true", "pager.diff": "MARK", "pager.blame": "MARK"}
    ),
    "core.askPass": Key(promised(core_askPass="MARK", remote_origin_url="http://a@localhost:1/"), lacks=True),
    "core.sshCommand": Key(promised(core_sshCommand="MARK"), SHOW, lacks=True),
    "ssh.variant": Key(promised(core_sshCommand="MARK", ssh_variant="simple"), SHOW, lacks=True),
    "core.gitProxy": Key(
        promised(core_gitProxy="MARK", remote_origin_url="git://localhost:1/x"), SHOW, lacks=True
    ),
    "protocol.ext": Key(
        promised(protocol_ext_allow="always", remote_origin_url="ext::MARK"), SHOW, lacks=True
    ),
    "url.insteadOf": Key(
        promised(protocol_ext_allow="always", remote_origin_url="zz:x") | {"url.ext::MARK .insteadOf": "zz:"},
        SHOW,
        lacks=True,
    ),
    "remote.vcs": Key(
        promised(remote_origin_vcs="ext", remote_origin_url="MARK", protocol_ext_allow="always"),
        SHOW,
        lacks=True,
    ),
    "remote.uploadpack": Key(
        promised(remote_origin_uploadpack="MARK", remote_origin_url="HERE"), SHOW, lacks=True
    ),
    "remote.proxy": Key(
        promised(remote_origin_proxy="http://localhost:1", remote_origin_url="http://localhost:1/"),
        lacks=True,
    ),
    "uploadpack.packObjectsHook": Key(
        promised(uploadpack_packObjectsHook="MARK", remote_origin_url="HERE"), lacks=True
    ),
    "core.alternateRefsCommand": Key(
        promised(core_alternateRefsCommand="MARK", remote_origin_url="HERE"), lacks=True
    ),
    "credential.helper": Key(
        promised(credential_helper="!MARK", remote_origin_url="http://a@localhost:1/"), lacks=True
    ),
    "diff.external": Key({"diff.external": "MARK"}, DIFF),
    "diff.command": Key({"diff.mark.command": "MARK"}, DIFF),
    "diff.textconv": Key({"diff.mark.textconv": "MARK"}, BLAME),
    "diff.textconv, kept": Key({"diff.mark.textconv": "MARK", "diff.mark.cachetextconv": "true"}, LOG),
    "filter.clean": Key({"filter.mark.clean": "MARK"}, DIFF),
    "filter.clean, required": Key({"filter.mark.clean": "MARK", "filter.mark.required": "true"}, BLAME),
    "filter.smudge": Key({"filter.mark.smudge": "MARK"}, ("checkout", "-q", "-f", "HEAD", "--", "a.py")),
    "filter.process": Key({"filter.mark.process": "MARK"}, DIFF),
    "merge.driver": Key({"merge.mark.driver": "MARK %A"}),
    "mergetool": Key({"mergetool.mark.cmd": "MARK", "merge.tool": "mark", "difftool.mark.cmd": "MARK"}),
    "gpg.program": Key({"log.showSignature": "true", "gpg.program": "MARK"}, ("log", "-1")),
    "gpg.openpgp.program": Key({"log.showSignature": "true", "gpg.openpgp.program": "MARK"}, ("log", "-1")),
    "gpg.ssh.program": Key({"log.showSignature": "true", "gpg.format": "ssh", "gpg.ssh.program": "MARK"}),
    "gpg.x509.program": Key({"log.showSignature": "true", "gpg.format": "x509", "gpg.x509.program": "MARK"}),
    "gpg.ssh.defaultKeyCommand": Key({"gpg.format": "ssh", "gpg.ssh.defaultKeyCommand": "MARK"}),
    "alias": Key(
        {f"alias.{name}": "!MARK" for name in ("rev-parse", "ls-tree", "cat-file", "blame", "log", "mark")},
        ("mark",),
    ),
    "trailer.command": Key({"trailer.mark.command": "MARK", "trailer.mark.cmd": "MARK"}),
    "interactive.diffFilter": Key({"interactive.diffFilter": "MARK"}),
    "submodule": Key(
        {"submodule.recurse": "true", "submodule.sub.update": "!MARK", "diff.submodule": "diff"}, ()
    ),
    "include.path": Key({"include.path": "HERE/.git/included"}, DIFF),
    "includeIf": Key({"includeIf.gitdir:HERE/.path": "HERE/.git/included"}, DIFF),
    "worktree configuration": Key(
        {"extensions.worktreeConfig": "true", "core.repositoryFormatVersion": "1"}, DIFF
    ),
    "blame.ignoreRevsFile": Key({"blame.ignoreRevsFile": "HERE/.git/marks/nothing"}),
    "core.attributesFile": Key({"core.attributesFile": "HERE/attributes", "filter.mark.clean": "MARK"}, DIFF),
    "core.worktree": Key({"core.worktree": "HERE", "filter.mark.clean": "MARK"}, DIFF),
    "gc and maintenance": Key(
        {"gc.auto": "1", "maintenance.auto": "true", "gc.autoDetach": "false", "gc.recentObjectsHook": "MARK"}
    ),
    "man and browser": Key({"man.viewer": "mark", "man.mark.cmd": "MARK", "browser.mark.cmd": "MARK"}),
}

Ask = Callable[[], object]
ASKS: dict[str, Ask] = {
    "--diff HEAD": lambda: since("HEAD").touched({"a.py": Asked("a.py"), "sub/b.py": Asked("sub/b.py")}),
    "--diff main...": lambda: since("main...").touched({"a.py": Asked("a.py")}),
    "--show-suppressed": lambda: authorship_of_lines([("a.py", 1), ("sub/b.py", 1)]),
    "provenance": lambda: states(["."], ["a.py", "sub/b.py", "new.py"]),
    "tracked files": lambda: tracked_paths("."),
}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a signed commit and attributes that name drivers for all files."""
    here = tmp_path_factory.mktemp("repository")
    run("init", "-q", "-b", "main", ".", folder=here)
    run("fast-import", "--quiet", folder=here, given=FIRST)
    run("reset", "-q", "--hard", folder=here)
    commit = run("cat-file", "commit", "HEAD", folder=here).decode()
    head, _, text = commit.partition("\n\n")
    signed = f"{head}\n{SIGNATURE}\n{text}".encode()
    name = run("hash-object", "-t", "commit", "-w", "--stdin", folder=here, given=signed).decode().strip()
    run("update-ref", "refs/heads/main", name, folder=here)
    for path in (here / ".gitattributes", here / ".git/info/attributes", here / "attributes"):
        path.parent.mkdir(exist_ok=True)
        path.write_text("* filter=mark diff=mark merge=mark\n")
    (here / "a.py").write_text(CODE)
    return here


@pytest.fixture
def here(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, as the current folder."""
    copy = tmp_path / "here"
    shutil.copytree(repository, copy, symlinks=True)
    monkeypatch.chdir(copy)
    return copy


def run(*arguments: str, folder: Path, given: bytes = b"", check: bool = True) -> bytes:
    """What git itself says, with the repository's say in it."""
    user = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    done = subprocess.run(
        ["git", *user, *arguments], cwd=folder, input=given, capture_output=True, check=check, timeout=60
    )
    return done.stdout


def configure(here: Path, key: Key) -> Path:
    """Has the repository name a program in this key; gives the mark that it leaves."""
    mark = here.parent / "MARKED"
    program = here.parent / "mark"
    program.write_text(f"#!/bin/sh\n: > '{mark}'\nexit 1\n")
    program.chmod(0o755)
    hooks = here / ".git/hooks"
    shutil.rmtree(hooks, ignore_errors=True)
    if any("marks" in value for value in key.settings.values()) or "core.bare" in key.settings:
        folder = hooks if "core.bare" in key.settings else here / ".git/marks"
        folder.mkdir()
        for name in ("post-index-change", "post-checkout", "reference-transaction", "fsmonitor-watchman"):
            shutil.copy(program, folder / name)
        (folder / "nothing").write_text("")
    included = f'[filter "mark"]\n\tclean = {program}\n'
    (here / ".git/included").write_text(included)
    if "extensions.worktreeConfig" in key.settings:
        (here / ".git/config.worktree").write_text(included)
    for setting in key.settings.items():
        name, value = (text.replace("MARK", str(program)).replace("HERE", str(here)) for text in setting)
        with (here / ".git/config").open("a") as file:
            section, _, last = name.rpartition(".")
            first, _, middle = section.partition(".")
            file.write(f'[{first} "{middle}"]\n' if middle else f"[{first}]\n")
            file.write(f'\t{last} = "{value}"\n')
    if key.lacks:
        lose(here, "HEAD:a.py")
    return mark


def lose(here: Path, name: str) -> None:
    """Takes an object away."""
    run("unpack-objects", "-q", folder=here, check=False)
    found = run("-c", "extensions.partialClone=", "rev-parse", name, folder=here).decode().strip()
    for pack in sorted((here / ".git/objects/pack").glob("*.pack")):
        moved = here / ".git" / pack.name
        pack.rename(moved)
        for other in (here / ".git/objects/pack").glob(f"{pack.stem}*"):
            other.unlink()
        with moved.open("rb") as file:
            subprocess.run(["git", "unpack-objects", "-q"], cwd=here, stdin=file, check=False)
        moved.unlink()
    path = here / ".git/objects" / found[:2] / found[2:]
    path.chmod(stat.S_IRUSR | stat.S_IWUSR)
    path.unlink()


@pytest.mark.parametrize("name", KEYS)
def test_no_program_that_a_repository_names_is_run(here: Path, name: str) -> None:
    mark = configure(here, KEYS[name])
    for question, ask in ASKS.items():
        with suppress(GitError, UsageError):  # the repository may be past answering
            ask()
        assert not mark.exists(), question


@pytest.mark.parametrize("name", [name for name, key in KEYS.items() if key.control])
def test_git_itself_runs_it(here: Path, name: str) -> None:
    key = KEYS[name]
    mark = configure(here, key)
    run(*key.control, folder=here, check=False)
    assert mark.exists()


@pytest.mark.parametrize("name", [name for name, key in KEYS.items() if key.lacks or key.control])
def test_an_older_git_runs_none_either(here: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without what git learnt after 2.30, and without keys of ours but the one that `ls-files` needs."""
    monkeypatch.setattr(git, "ALWAYS", {"GIT_ALLOW_PROTOCOL": "", "GIT_TERMINAL_PROMPT": "0"})
    monkeypatch.setattr(git, "CONFIGURED", ["-c", "core.fsmonitor=false"])
    test_no_program_that_a_repository_names_is_run(here, name)


MAIN = ("core.sshCommand", "diff.textconv", "filter.clean", "filter.process", "gpg.program", "core.hooksPath")


@pytest.mark.parametrize("name", MAIN)
def test_no_command_runs_one(here: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    mark = configure(here, KEYS[name])
    for arguments in (
        ("--diff", "HEAD"),
        ("--show-suppressed",),
        ("--format", "html"),
        ("--format", "json"),
        ("--format", "sarif"),
        ("--bundle", "../e.zip"),
        ("--format", "html", "--diff", "HEAD"),
        ("--diff-fixes", "--unsafe-fixes", "--diff", "HEAD"),
        ("--statistics", "--diff", "HEAD"),
    ):
        assert main(["--isolated", "--no-cache", *arguments, "a.py"]) in {0, 1}, capsys.readouterr().err
        assert not mark.exists(), arguments
    capsys.readouterr()


def test_what_was_committed_and_is_not_here_is_not_fetched(here: Path) -> None:
    configure(here, KEYS["core.sshCommand"])
    told = since("HEAD").touched({"a.py": Asked("a.py")})["a.py"]
    assert "git does not have what it was before" in told.reason
    assert told.ranges[0].stop > 1_000_000


@pytest.mark.parametrize(
    "name",
    [
        *(".git/HEAD", ".git/config", ".git/index", ".git/packed-refs", ".git/refs/heads/side"),
        *(".git/info/exclude", ".git/objects/info/alternates", ".git/shallow", ".git/commondir"),
    ],
)
def test_a_pipe_in_a_git_folder_is_named_and_not_waited_for(here: Path, name: str) -> None:
    path = here / name
    path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)
    with pytest.raises(GitError, match=r"no(t|) (plain|a regular) file"):
        git_output(str(here), "rev-parse", "HEAD")


def stuck(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A git that never answers."""
    folder.mkdir()
    (folder / "git").write_text("#!/bin/sh\nexec sleep 600\n")
    (folder / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def test_all_that_git_is_asked_takes_no_longer_than_the_run(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    del here
    stuck(tmp_path / "bin", monkeypatch)
    assert main(["--isolated", "--no-cache", "--timeout", "0.5", "--diff", "HEAD", "."]) == 2
    assert "git did not answer before the run's time was over" in capsys.readouterr().err
    main(["--isolated", "--no-cache", "--timeout", "3", "--format", "html", "a.py"])
    page = capsys.readouterr().out.replace("<wbr>", "")
    assert "State of the code not known (git did not answer before" in page


def test_what_one_question_takes_is_gone_for_the_next(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck(tmp_path / "bin", monkeypatch)
    allowance = Allowance(math.inf, seconds=0.3)
    with pytest.raises(GitError, match=r"git takes longer than 0\.3 s"):
        git_output(str(here), "rev-parse", "HEAD", allowance=allowance)
    assert not allowance.left
    (tmp_path / "bin/git").write_text("#!/bin/sh\necho never asked\n")
    with pytest.raises(GitError, match=r"git takes longer than 0\.3 s"):
        git_output(str(here), "rev-parse", "HEAD", allowance=allowance)
    assert Allowance(time.monotonic() - 1).left == 0


def test_no_git_of_the_current_folder_is_run(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = configure(here, Key({}))
    shutil.copy(here.parent / "mark", here / "git")
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.pathsep}{os.environ['PATH']}")
    assert revision(str(here), "HEAD")
    monkeypatch.setenv("PATH", ".")
    with pytest.raises(GitError, match="git cannot be run"):
        git_output(str(here), "rev-parse", "HEAD")
    assert not mark.exists()


def test_variables_of_a_hook_name_no_other_repository(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = revision(str(here), "HEAD")
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"):
        monkeypatch.setenv(name, str(tmp_path / "nowhere"))
    assert revision(str(here), "HEAD") == head
    assert tracked_paths(str(here)) == ["a.py", "sub/b.py"]
    assert since("HEAD").touched({"sub/b.py": Asked("sub/b.py")})["sub/b.py"].ranges == ()


def test_a_folder_of_git_that_is_none_leads_to_no_other(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "sub/.git").mkdir()
    monkeypatch.chdir(here / "sub")
    with pytest.raises(GitError, match="not a git repository"):
        git_output(".", "rev-parse", "HEAD")


def test_tracked_files_keep_their_names(here: Path) -> None:
    odd = [os.fsdecode(b'odd "\n\t\\\xff\x1b.py'), "-x.py", ":y.py"]
    for name in odd:
        (here / name).write_text("")
    run("add", "--", "./-x.py", "./:y.py", *[f"./{odd[0]}"], folder=here)
    assert set(odd) < set(tracked_paths(str(here)))
    assert tracked_paths(str(here / "sub")) == ["b.py"]


def test_objects_are_read_as_they_were_written(here: Path) -> None:
    data = os.urandom(10_000)
    name = run("hash-object", "-w", "--stdin", folder=here, given=data).decode().strip()
    lost, large = "1" * 40, run("hash-object", "-w", "--stdin", folder=here, given=bytes(20_000))
    with Objects(str(here)) as objects:
        found = dict(objects.contents([name, lost, large.decode().strip()], 15_000))
    assert found == {name: data}


def test_a_damaged_object_takes_no_other_with_it(here: Path) -> None:
    names = [
        run("hash-object", "-w", "--stdin", folder=here, given=f"{number}\n".encode()).decode().strip()
        for number in range(5)
    ]
    path = here / ".git/objects" / names[2][:2] / names[2][2:]
    path.chmod(0o644)
    path.write_bytes(b"damaged")
    with Objects(str(here)) as objects:
        found = dict(objects.contents(names, 1_000))
    assert found == {name: f"{number}\n".encode() for number, name in enumerate(names) if number != 2}


def test_a_time_beyond_all_calendars_is_no_error(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    far = FIRST.replace(b"committer", b"author Far <a@example.org> 999999999999999 +0000\ncommitter")
    run("update-ref", "-d", "refs/heads/main", folder=here)
    run("fast-import", "--quiet", "--force", folder=here, given=far)
    assert authorship_of_lines([("sub/b.py", 1)]) == {("sub/b.py", 1): Written("Far", "")}
    assert main(["--isolated", "--no-cache", "--format", "html", "a.py"]) == 1
    assert main(["--isolated", "--no-cache", "--show-suppressed", "a.py"]) == 0
    output = capsys.readouterr()
    assert output.err == ""
    assert "commit " in output.out


def test_who_wrote_a_line_is_told_where_others_were_added(here: Path) -> None:
    (here / "sub/b.py").write_text("# new\nx = 1\ny = 2\n")
    told = authorship_of_lines([("sub/b.py", line) for line in (1, 2, 3)])
    assert [one.told() for one in told.values()] == [
        ", not committed yet",
        ", by A on 2023-11-14",
        ", not committed yet",
    ]


def test_a_history_that_was_cut_off_is_read(here: Path, tmp_path: Path) -> None:
    run("commit", "-qam", "2", folder=here)
    run("clone", "-q", "--depth", "1", f"file://{here}", "clone", folder=tmp_path)
    told = authorship_of_lines([(str(tmp_path / "clone/a.py"), 1)])
    assert [one.author for one in told.values()] == ["A"]


def test_repositories_of_longer_ids_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run("init", "-q", "-b", "main", "--object-format=sha256", ".", folder=tmp_path)
    run("fast-import", "--quiet", folder=tmp_path, given=FIRST)
    (tmp_path / "a.py").write_text("def f(): pass\ny = 2\n")
    told = since("HEAD").touched({"a.py": Asked("a.py")})["a.py"]
    assert told.ranges == (range(2, 3),)
    assert authorship_of_lines([("a.py", 1)]) == {("a.py", 1): Written("A", "2023-11-14")}
