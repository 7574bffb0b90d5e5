"""Bundles of evidence: the same bytes for the same code, and no change of one that `verify` does not see."""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import struct
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from programs import POINTS

from fairlint.bundle import MANIFEST, MEMBERS
from fairlint.bundle.packing import END, zip_members
from fairlint.bundle.verifying import LARGEST_MANIFEST, NoBundleError, verify
from fairlint.cli import main

CODE = f"{POINTS}\n\ndef more(person):\n    return person.age > 45  # fairlint: ignore[FL102] -- the tariff\n"
BROKEN = "def rate(person:\n    return person.gender\n"
GIT = ("git", "-c", "user.name=A L", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
DATED = {"GIT_COMMITTER_DATE": "2026-02-03T12:00:00Z", "GIT_AUTHOR_DATE": "2026-02-03T12:00:00Z"}


def project(folder: Path, *, git: bool = True) -> Path:
    folder.mkdir(parents=True)
    (folder / "a.py").write_text(CODE)
    (folder / "broken.py").write_text(BROKEN)
    (folder / "page.ts").write_text("export const x = 1\n")
    (folder / "fairlint.toml").write_text('domain = "credit"\nvocabulary = ["words.toml"]\n')
    (folder / "words.toml").write_text('[attributes.star_sign]\nstrong = ["star sign"]\n')
    if git:
        for command in ("init -q -b main .", "add .", "commit -q -m x"):
            subprocess.run([*GIT, *command.split()], cwd=folder, env={**os.environ, **DATED}, check=True)
    return folder


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bundle."""
    folder = project(tmp_path_factory.mktemp("whole") / "here")
    done = run(folder, "--bundle", "../evidence.zip", ".")
    assert done.returncode == 1, done.stderr
    return folder.parent / "evidence.zip"


def run(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name != "SOURCE_DATE_EPOCH"}
    command = [sys.executable, "-P", "-m", "fairlint", "--no-cache", *arguments]
    return subprocess.run(
        command, cwd=folder, env={**kept, **environment}, capture_output=True, text=True, check=False
    )


def members(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def with_manifest(found: dict[str, bytes]) -> dict[str, bytes]:
    """Members with a manifest that fits them, as a forger makes it."""
    manifest = json.loads(found[MANIFEST])
    manifest["members"] = {
        name: {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}
        for name, data in found.items()
        if name != MANIFEST
    }
    return {**found, MANIFEST: json.dumps(manifest).encode()}


# ------------------------------------------------------------------------------------------------ what it has


def test_a_bundle_holds_the_reports_and_what_was_not_read(whole: Path) -> None:
    found = members(whole)
    assert tuple(found) == (*MEMBERS, MANIFEST)
    manifest = json.loads(found[MANIFEST])
    assert manifest["date"] == "2026-02-03T12:00:00Z"
    for name, facts in manifest["members"].items():
        assert facts == {"sha256": hashlib.sha256(found[name]).hexdigest(), "size": len(found[name])}
    report = json.loads(found["report.json"])
    assert [one["rule"] for one in report["findings"]] == ["FL201", "FL205"]
    assert report["provenance"] == json.loads(found["provenance.json"])
    assert report["provenance"]["dated_by"] == "commit"
    assert json.loads(found["report.sarif"])["version"] == "2.1.0"
    assert found["report.html"].startswith(b"<!doctype html>")
    (aside,) = json.loads(found["suppressed.json"])["suppressed"]
    facts = {name: aside[name] for name in ("reason", "author", "day", "until", "path")}
    assert facts == {
        "reason": "the tariff", "author": "A L", "day": "2026-02-03", "until": None, "path": "a.py",
    }  # fmt: skip
    coverage = json.loads(found["coverage.json"])
    assert coverage["checked"] == ["a.py", "broken.py"]
    assert [one["path"] for one in coverage["not_analysed"]] == ["broken.py"]
    assert coverage["unread"] == {"TypeScript": ["page.ts"]}


def test_the_same_code_gives_the_same_bytes_anywhere(tmp_path: Path, whole: Path) -> None:
    for number, seed in enumerate(("0", "4711"), 1):
        folder = project(tmp_path / ("deep/" * number) / "other name")
        done = run(folder, "--bundle", "evidence.zip", "--jobs", "1", ".", PYTHONHASHSEED=seed)
        assert done.returncode == 1, done.stderr
        assert (folder / "evidence.zip").read_bytes() == whole.read_bytes()
        again = run(folder, "--bundle", "evidence.zip", str(folder), PYTHONHASHSEED=seed)
        assert again.returncode == 1, again.stderr
        assert (folder / "evidence.zip").read_bytes() == whole.read_bytes()


def test_without_git_the_variable_says_the_date(tmp_path: Path) -> None:
    made = []
    for name in ("one", "another"):
        folder = project(tmp_path / name, git=False)
        run(folder, "--bundle", "evidence.zip", ".", SOURCE_DATE_EPOCH="1767225600")
        made.append((folder / "evidence.zip").read_bytes())
        assert os.fsencode(str(tmp_path)) not in made[-1]
    assert made[0] == made[1]
    report = json.loads(members(tmp_path / "one/evidence.zip")["report.json"])
    assert report["provenance"]["date"] == "2026-01-01T00:00:00Z"


def test_files_elsewhere_are_told_by_their_names(tmp_path: Path, whole: Path) -> None:
    folder = project(tmp_path / "here")
    for name in ("fairlint.toml", "words.toml"):
        shutil.move(folder / name, tmp_path / name)
    assert os.fsencode(str(whole.parent)) not in whole.read_bytes()
    with (tmp_path / "fairlint.toml").open("a") as file:
        file.write('[per-file-ignores]\n"old/*" = { rules = ["FL102"], until = 2999-06-30 }\n')
    done = run(folder, "--config", str(tmp_path / "fairlint.toml"), "--bundle", "evidence.zip", ".")
    assert done.returncode == 1, done.stderr
    data = (folder / "evidence.zip").read_bytes()
    assert os.fsencode(str(tmp_path)) not in data
    told = json.loads(members(folder / "evidence.zip")["provenance.json"])["settings"]
    assert [one["configuration"] for one in told] == ["fairlint.toml"]
    assert told[0]["settings"]["vocabulary"]["value"] == ["words.toml"]
    (entry,) = json.loads(members(folder / "evidence.zip")["report.json"])["ending_ignores"]
    assert (entry["pattern"], entry["origins"]) == ("old/*", ["fairlint.toml"])


def test_the_report_of_the_run_is_as_usual(tmp_path: Path) -> None:
    folder = project(tmp_path / "here")
    usual = run(folder, "--format", "concise", ".")
    both = run(folder, "--format", "concise", "--bundle", "evidence.zip", ".")
    assert (both.returncode, both.stdout) == (usual.returncode, usual.stdout)
    digest = hashlib.sha256((folder / "evidence.zip").read_bytes()).hexdigest()
    assert f"fairlint: wrote evidence.zip, SHA-256 {digest}\n" in both.stderr
    quiet = run(folder, "-q", "--exit-zero", "--bundle", "evidence.zip", ".")
    assert (quiet.returncode, quiet.stderr) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--bundle", "evidence", "."], "does not end in .zip"),
        (["--bundle", "", "."], "does not end in .zip"),
        (["--bundle", "none/e.zip", "."], "there is no folder none"),
        (["--bundle", "folder.zip", "."], "that is a folder"),
        (["--bundle", "e.zip", "--fix", "."], "it goes without --fix"),
        (["--bundle", "e.zip", "--diff-fixes", "."], "it goes without --diff-fixes"),
        (["--bundle", "e.zip", "--add-ignore", "--reason", "x", "."], "it goes without --add-ignore"),
        (["--bundle", "e.zip", "--watch", "."], "it goes without --watch"),
        (["--bundle", "e.zip", "--show-settings", "."], "it goes without --show-settings"),
        (["--bundle", "e.zip", "--show-suppressed", "--expiring", "3", "."], "it goes without --expiring"),
        (["--bundle", "e.zip", "--output", "./e.zip", "."], "two reports would be written to e.zip"),
        (["--bundle", "e.zip", "--also", "json=./e.zip", "."], "two reports would be written to ./e.zip"),
        (["--bundle", "e.zip", "-"], "cannot be about standard input"),
        (["--bundle", "e.zip", ".."], ".. is not in the current folder"),
    ],
)
def test_what_makes_no_bundle_is_one_line(
    arguments: list[str],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = project(tmp_path / "here", git=False)
    (folder / "folder.zip").mkdir()
    monkeypatch.chdir(folder)
    assert main(["--no-cache", *arguments]) == 2
    error = capsys.readouterr().err
    assert error.startswith("fairlint: error: ")
    assert told in error
    assert error.count("\n") == 1
    assert not (folder / "e.zip").exists()
    assert (folder / "a.py").read_text() == CODE


def test_a_folder_of_a_repository_is_no_place_to_make_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = project(tmp_path / "here")
    (folder / "sub").mkdir()
    monkeypatch.chdir(folder / "sub")
    assert main(["--bundle", "e.zip", "."]) == 2
    assert f"run it in {folder}" in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="links")
def test_a_link_that_leads_out_is_not_written_through(tmp_path: Path) -> None:
    folder = project(tmp_path / "here")
    (tmp_path / "mine.zip").write_text("mine")
    (folder / "e.zip").symlink_to("../mine.zip")
    done = run(folder, "--bundle", "e.zip", ".")
    assert done.returncode == 2
    assert "a link leads to" in done.stderr
    assert (tmp_path / "mine.zip").read_text() == "mine"


# -------------------------------------------------------------------------------------------------- verifying


def test_a_bundle_is_as_its_manifest_says(whole: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(whole.parent.iterdir())
    assert main(["verify", str(whole)]) == 0
    told = capsys.readouterr().out
    assert f"all {len(MEMBERS)} members are as the manifest says" in told
    assert hashlib.sha256(whole.read_bytes()).hexdigest() in told
    assert "It does not show who wrote it" in told
    for way in ("cosign sign-blob", "gpg --detach-sign", "gh attestation verify"):
        assert way in told
    assert main(["verify", "-q", str(whole)]) == 0
    assert capsys.readouterr().out == ""
    assert sorted(whole.parent.iterdir()) == before


def test_one_that_was_packed_again_is_as_good(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "again.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members(whole).items():
            archive.writestr(name, data)
    assert verify(str(path)).faults == ()


def changed(found: dict[str, bytes], **changes: bytes | None) -> dict[str, bytes]:
    named = {name.replace("__", "."): data for name, data in changes.items()}
    return {name: data for name, data in {**found, **named}.items() if data is not None}


CHANGES: dict[str, tuple[Callable[[dict[str, bytes]], dict[str, bytes]], list[str]]] = {
    "one byte": (
        lambda found: changed(found, report__json=found["report.json"].replace(b"FL201", b"FL200", 1)),
        ["report.json: differs from its SHA-256 in the manifest"],
    ),
    "shorter": (
        lambda found: changed(found, coverage__json=b"{}"),
        ["coverage.json: has fewer bytes than the "],
    ),
    "longer": (
        lambda found: changed(found, coverage__json=found["coverage.json"] + b" "),
        ["coverage.json: has more bytes than the "],
    ),
    "removed": (lambda found: changed(found, suppressed__json=None), ["suppressed.json: is missing"]),
    "added": (
        lambda found: changed(found, more__html=b"x"),
        ["more.html: was added, the manifest does not name it"],
    ),
    "renamed": (
        lambda found: changed(found, suppressed__json=None, Suppressed__json=found["suppressed.json"]),
        ["suppressed.json: is missing", "Suppressed.json: was added"],
    ),
    "removed, and a new manifest": (
        lambda found: with_manifest(changed(found, suppressed__json=None)),
        ["manifest.json: does not name suppressed.json"],
    ),
    "added, and a new manifest": (
        lambda found: with_manifest(changed(found, more__html=b"x")),
        ["manifest.json: names more.html, which no bundle has"],
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_a_fault(
    name: str, whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    change, wanted = CHANGES[name]
    path = tmp_path / "e.zip"
    path.write_bytes(zip_members(change(members(whole))))
    assert main(["verify", str(path)]) == 1
    told = capsys.readouterr().out.splitlines()
    assert len(told) == len(wanted) + 1
    for line, fault in zip(told, wanted, strict=False):
        assert line.startswith(f"{path}: {fault}")
    assert told[-1].startswith(f"{len(wanted)} fault")


@pytest.mark.parametrize(
    "hostile", ["../../evil", "/etc/evil", "a\\b", "\x1b[2Jx", "report.html\0.exe", "x/"]
)
def test_hostile_names_are_told_and_lead_nowhere(
    hostile: str, whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "deep/deep/e.zip"
    path.parent.mkdir(parents=True)
    path.write_bytes(zip_members({**members(whole), hostile: b"x"}))
    assert main(["verify", str(path)]) == 1
    told = capsys.readouterr().out
    assert "was added" in told
    assert "\x1b" not in told
    assert "\0" not in told
    assert [one for one in tmp_path.rglob("*") if one.is_file()] == [path]


def test_a_member_that_stands_twice_is_a_fault(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "e.zip"
    shutil.copy(whole, path)
    with zipfile.ZipFile(path, "a") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("report.html", "another")
    assert verify(str(path)).faults == ("report.html: stands 2 times in the file",)


def test_a_name_that_is_cut_short_is_no_manifest(whole: Path, tmp_path: Path) -> None:
    found = members(whole)
    forged = with_manifest(changed(found, report__html=b"forged"))
    path = tmp_path / "e.zip"
    path.write_bytes(zip_members({**forged, MANIFEST: found[MANIFEST], f"{MANIFEST}\0": forged[MANIFEST]}))
    faults = verify(str(path)).faults
    assert [fault.partition(":")[0] for fault in faults] == ["report.html", f"{MANIFEST}\0"]


def test_a_number_of_members_that_is_wrong_is_no_bundle(whole: Path, tmp_path: Path) -> None:
    data = whole.read_bytes()
    (sign, _, _, _, count, length, begins, _) = END.unpack(data[-END.size :])
    path = tmp_path / "e.zip"
    path.write_bytes(data[: -END.size] + END.pack(sign, 0, 0, count - 1, count - 1, length, begins, 0))
    with pytest.raises(NoBundleError, match="in two ways how many members"):
        verify(str(path))


@pytest.mark.parametrize("what", ["extra", "comment", "link", "bzip2"])
def test_facts_that_programs_may_act_on_are_a_fault(what: str, whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "e.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members(whole).items():
            info = zipfile.ZipInfo(name)
            if name == "report.html":
                info.extra = struct.pack("<2H", 0x7075, 9) + b"\1\0\0\0\0evil" if what == "extra" else b""
                info.comment = b"x" if what == "comment" else b""
                info.external_attr = (0o120777 if what == "link" else 0o100644) << 16
                info.compress_type = zipfile.ZIP_BZIP2 if what == "bzip2" else zipfile.ZIP_STORED
            archive.writestr(info, data)
    (fault,) = verify(str(path)).faults
    assert fault.startswith("report.html: ")
    assert "that no bundle has" in fault


def test_bytes_that_belong_to_no_member_are_a_fault(whole: Path, tmp_path: Path) -> None:
    data = whole.read_bytes()
    (_, _, _, _, count, length, begins, _) = END.unpack(data[-END.size :])
    hidden = zip_members({"evil.html": b"x"})[: 30 + 9 + 1]
    directory, end = data[begins : begins + length], data[-END.size :]
    moved = END.pack(end[:4], 0, 0, count, count, length, begins + len(hidden), 0)
    path = tmp_path / "e.zip"
    path.write_bytes(data[:begins] + hidden + directory + moved)
    assert verify(str(path)).faults == ("holds bytes that belong to no member",)
    for wrong in (b"MZ" + data, data + b"PK", data[:begins] + hidden + directory + end):
        path.write_bytes(wrong)
        with pytest.raises(NoBundleError):
            verify(str(path))


def test_what_unpacks_to_much_is_not_unpacked(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = members(whole)
    path = tmp_path / "e.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, data in found.items():
            archive.writestr(name, bytes(50_000_000) if name == "report.html" else data)
    read: list[int] = []
    original = zipfile.ZipExtFile.read

    def counting(self: zipfile.ZipExtFile, n: int | None = -1) -> bytes:
        data = original(self, n)
        read.append(len(data))
        return data

    monkeypatch.setattr(zipfile.ZipExtFile, "read", counting)
    (fault,) = verify(str(path)).faults
    assert fault.startswith("report.html: has more bytes than")
    assert sum(read) <= sum(map(len, found.values())) + 1
    manifest = json.loads(found[MANIFEST])
    manifest["members"]["report.html"]["size"] = 1_999_999_999
    manifest["members"]["report.json"]["size"] = 1_999_999_999
    path.write_bytes(zip_members({**found, MANIFEST: json.dumps(manifest).encode()}))
    with pytest.raises(NoBundleError, match="names more than 2,000,000,000 bytes"):
        verify(str(path))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(MANIFEST, " " * 50_000_000)
    read.clear()
    with pytest.raises(NoBundleError, match="is larger than 100,000 bytes"):
        verify(str(path))
    assert sum(read) == LARGEST_MANIFEST + 1


def test_a_file_of_very_many_members_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "e.zip"
    path.write_bytes(zip_members({f"{number}": b"" for number in range(10_000)}))
    with pytest.raises(NoBundleError, match="has more than 100 members"):
        verify(str(path))


def test_what_was_cut_off_is_no_bundle(whole: Path, tmp_path: Path) -> None:
    data = whole.read_bytes()
    path = tmp_path / "e.zip"
    for length in (0, 1, 21, 22, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:length])
        with pytest.raises(NoBundleError, match="is no zip file, was cut off"):
            verify(str(path))


def broken_manifests(found: dict[str, bytes]) -> list[bytes]:
    manifest: dict[str, Any] = json.loads(found[MANIFEST])
    one = manifest["members"]["report.html"]
    return [
        b"",
        b"[]",
        b"\xff\xfe",
        b"{" * 5_000,
        b'{"version": 1}',
        json.dumps({**manifest, "version": 2}).encode(),
        json.dumps({**manifest, "members": []}).encode(),
        json.dumps({**manifest, "members": {"report.html": {**one, "size": -1}}}).encode(),
        json.dumps({**manifest, "members": {"report.html": {**one, "size": 1e3}}}).encode(),
        json.dumps({**manifest, "members": {"report.html": {**one, "sha256": "0"}}}).encode(),
        json.dumps({**manifest, "members": {"report.html": {**one, "sha256": None}}}).encode(),
    ]


def test_a_manifest_of_another_form_is_one_line(
    whole: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = members(whole)
    path = tmp_path / "e.zip"
    for manifest in broken_manifests(found):
        path.write_bytes(zip_members({**found, MANIFEST: manifest}))
        assert main(["verify", str(path)]) == 2, manifest
        error = capsys.readouterr().err
        assert error.startswith(f"fairlint: error: {path}: its manifest.json is "), error
        assert error.count("\n") == 1
    path.write_bytes(zip_members(changed(found, manifest__json=None)))
    assert main(["verify", str(path)]) == 2
    assert "is no bundle of fairlint: it holds no manifest.json" in capsys.readouterr().err


def test_bytes_changed_at_random_end_in_a_fault_or_a_line(whole: Path, tmp_path: Path) -> None:
    import random

    data = whole.read_bytes()
    path = tmp_path / "e.zip"
    draw = random.Random(32)
    head = data.index(MANIFEST.encode(), len(data) - 3_000)
    for _ in range(300):
        at = draw.randrange(head, len(data)) if draw.random() < 0.7 else draw.randrange(len(data))
        other = bytes([draw.choice([byte for byte in (0, 1, 8, 80, 255) if byte != data[at]])])
        path.write_bytes(data[:at] + other + data[at + 1 :])
        try:
            faults = verify(str(path)).faults
        except NoBundleError:
            continue
        if not faults:  # a time, a version, an owner: no content depends on it
            with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
                assert {name: archive.read(name) for name in archive.namelist()} == members(whole)


@pytest.mark.parametrize("words", [[], ["none.zip"], ["."], ["a.zip", "b.zip"]])
def test_wrong_words_are_one_line(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["verify", *words]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="pipes")
def test_a_pipe_is_not_waited_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "e.zip")
    assert main(["verify", str(tmp_path / "e.zip")]) == 2
    assert "not a regular file" in capsys.readouterr().err
