"""`fairlint verify`: whether a bundle of evidence is as its manifest says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from fairlint.cli.arguments import Command, Option
from fairlint.cli.output import write_stdout
from fairlint.reporters.printable import printable
from fairlint.reporters.summary import count_with_noun
from fairlint.support.errors import UsageError
from fairlint.support.files import NotReadableError

if TYPE_CHECKING:
    from fairlint.bundle.verifying import Verdict

_PROOF = """\
This shows that nothing in the bundle has changed since its manifest was written.
It does not show who wrote it: anyone who changes a member can write a new manifest.
To show that, compare the SHA-256 above with one that is kept elsewhere, or sign the file:
  cosign sign-blob --bundle {file}.sigstore.json {file}
  gpg --detach-sign {file}
  in GitHub Actions: actions/attest, and later `gh attestation verify {file} --repo OWNER/NAME`
"""
COMMAND = Command(
    "verify",
    usage="fairlint verify [-q] FILE.zip",
    description=(
        "Compares a bundle that --bundle wrote with its manifest: every SHA-256, members that are missing\n"
        "or were added, and how the zip file is made. It unpacks and writes nothing.\n"
        "It shows that nothing has changed since the manifest was written. It does not show who wrote it."
    ),
    groups=(("options", (Option(("-q", "--quiet"), "print faults only"),)),),
    epilog=(
        "examples:\n  fairlint --bundle evidence.zip .\n  fairlint verify evidence.zip\n\n"
        "exit codes:\n"
        "  0  all is as the manifest says\n"
        "  1  something is not\n"
        "  2  wrong usage, or the file is no bundle that can be read"
    ),
    words=1,
)


def run(arguments: Sequence[str]) -> int:
    """Verify one bundle."""
    options = COMMAND.parse(arguments)
    if not options.words:
        raise UsageError("name a bundle that --bundle wrote (see fairlint verify --help)")
    from fairlint.bundle.verifying import NoBundleError, verify  # noqa: PLC0415 (help needs none)

    (file,) = options.words
    try:
        verdict = verify(file)
    except (NoBundleError, NotReadableError) as error:
        raise UsageError(f"{file}: {error}") from None
    write_stdout(f"{printable(file)}: {printable(fault)}\n" for fault in verdict.faults)
    if not options.quiet:
        write_stdout(_verdict_lines(file, verdict))
    return 1 if verdict.faults else 0


def _verdict_lines(file: str, verdict: Verdict) -> Iterator[str]:
    shown = printable(file)
    if verdict.faults:
        yield f"{count_with_noun(len(verdict.faults), 'fault')}: {shown} is not as fairlint wrote it.\n"
        return
    yield f"{shown}: all {verdict.members} members are as the manifest says.\n"
    yield f"written by fairlint {printable(verdict.version)}, dated {printable(verdict.date)}\n"
    yield f"SHA-256 of the file: {verdict.sha256}\n\n"
    yield _PROOF.format(file=shown)
