"""The options of `fairlint check`, with what its help says."""

from __future__ import annotations

from fairlint.cli.arguments import COLOR, CONFIGURATION, Command, Option
from fairlint.config import PERSONAS
from fairlint.findings.levels import CONFIDENCES, SEVERITIES
from fairlint.reporters import SHIPPED
from fairlint.support.about import __version__

_DESCRIPTION = """\
Finds where Python and C code treats people by a protected attribute, and says what each group gains or loses.

commands:
  fairlint [check] [PATH...]   check files and folders (default: the current folder); - is standard input
  fairlint explain PATH:LINE   explain why a line is reported, or why it is not
  fairlint rule RULE | --all   show a rule's page, or list all rules
  fairlint attributes [NAME]   list the protected attributes, or show one in full
  fairlint schema [--config]   print the JSON Schema of --format json, or of the configuration
  fairlint baseline ...        record the present findings, so that later runs report only new ones
  fairlint verify FILE.zip     check a bundle written by --bundle
  fairlint statistics REPORT   count the findings of a JSON report, or compare two reports
  fairlint server              run the language server for editors
  fairlint mcp                 run the MCP server for coding agents: check, explain, rule and fix as tools
  fairlint hook                check the file a coding agent has just edited
  fairlint daemon status|stop  show or end the process that --daemon has started
  fairlint clean               remove the cache
  fairlint completion SHELL    print the completion script for bash, zsh or fish
  fairlint man                 print the manual page
  fairlint bench               ask language models for code and score what they write
  fairlint counterfactual      run a decision on people who differ only in a protected attribute
  fairlint model               measure bias inside a language model, and locate it
  fairlint fleet               check many repositories, and ask what was found in them
To check a file or folder that has the name of a command, write ./check."""

_EPILOG = """\
examples:
  fairlint src/
  fairlint --format sarif --output fairlint.sarif .
  fairlint --select FL2 --min-severity note hiring/score.py
  git show HEAD:score.c | fairlint - --stdin-filename score.c

exit codes:
  0  no findings at the severity of --fail-on or above; with --fix, none that are left
  1  findings, or with --diff-fixes a diff
  2  invalid usage or configuration, nothing to check, or an internal error"""


_INSTEAD = {
    "-v": "`fairlint explain FILE:LINE` says why a line is reported or not",
    "-vv": "`fairlint explain FILE:LINE` says why a line is reported or not",
    "--verbose": "`fairlint explain FILE:LINE` says why a line is reported or not",
    "--debug": "`fairlint explain FILE:LINE` says why a line is reported or not",
    "--disable": "use --ignore to disable rules",
    "--enable": "use --select to choose rules",
    "--exclude": "use `exclude` or `extend-exclude` in the configuration to leave files out",
    "--list-rules": "`fairlint rule --all` lists the rules",
    "--show-source": "the text format always shows the code",
    "--output-format": "use --format to choose the format",
    "--output-file": "use --output to name the file",
    "-r": "folders are always checked recursively",
    "--recursive": "folders are always checked recursively",
    "--severity": "use --min-severity to choose the lowest severity that is reported",
    "--init": "no configuration is needed; `fairlint --show-settings` prints the one in force",
}
"""What users of other linters type → what serves here."""

COMMAND = Command(
    "",
    usage="fairlint [check] [OPTION...] [PATH...]",
    description=_DESCRIPTION,
    groups=(
        (
            "output",
            (
                Option(
                    ("-f", "--format"),
                    f"{', '.join(SHIPPED)}, or the format of a plugin (default: text, and github in "
                    "GitHub Actions)",
                    takes="FORMAT",
                ),
                Option(
                    ("-o", "--output"),
                    "write the report to FILE instead of standard output",
                    takes="FILE",
                    writes=True,
                ),
                Option(
                    ("--also",),
                    "write another report of the same run, for example sarif=fairlint.sarif",
                    takes="FORMAT=FILE",
                    repeats=True,
                    writes=True,
                ),
                Option(
                    ("--bundle",),
                    "also write a zip file of evidence: HTML, JSON, SARIF, what is suppressed and not read, "
                    "and a manifest; fairlint verify checks it",
                    takes="FILE",
                    writes=True,
                ),
                Option(("-q", "--quiet"), "print findings only, without the summary"),
                Option(
                    ("--show-uses",),
                    "print every use of an attribute with its evidence and effect, instead of findings",
                ),
                Option(
                    ("--statistics",),
                    "print counts by rule, attribute, file, folder and owner, instead of findings",
                ),
                Option(
                    ("--show-suppressed",),
                    "print suppressed findings with reason, author and date; those that end first come first",
                ),
                Option(
                    ("--expiring",),
                    "with --show-suppressed: only what ends within DAYS; exit 1 if there is any",
                    takes="DAYS",
                ),
                Option(
                    ("--since",),
                    "with --format html: show what has changed since REPORT, written by --format json",
                    takes="REPORT",
                ),
                Option(
                    ("--decisions",),
                    "with --format html: show the decisions in FILE (default: fairlint-decisions.json next "
                    "to the report, if it is there)",
                    takes="FILE",
                ),
                COLOR,
            ),
        ),
        (
            "suppressed findings",
            (
                Option(
                    ("--baseline",),
                    "do not report the findings recorded in FILE (default: fairlint-baseline.jsonl, "
                    "if it exists)",
                    takes="FILE",
                ),
                Option(("--no-baseline",), "report the findings of the baseline, too"),
                Option(
                    ("--add-ignore",),
                    "add an ignore comment above each reported finding; requires --reason",
                    writes=True,
                ),
                Option(("--reason",), "the reason in those comments", takes="TEXT"),
                Option(
                    ("--until",),
                    "the last day on which those comments apply, for example 2027-06-30",
                    takes="DATE",
                ),
                Option(("--no-suppressions",), "report findings that comments suppress, too"),
            ),
        ),
        (
            "fixes",
            (
                Option(("--fix",), "apply safe fixes to the files", writes=True),
                Option(
                    ("--unsafe-fixes",),
                    "include fixes that change what the program does; without --fix or --diff-fixes, "
                    "only show them in the report",
                    writes=True,
                ),
                Option(("--diff-fixes",), "print the fixes as a diff and change nothing"),
            ),
        ),
        (
            "rules and severity",
            (
                Option(
                    ("--select",),
                    "report only these rules: codes, prefixes or names, separated by commas",
                    takes="RULES",
                    repeats=True,
                ),
                Option(("--ignore",), "do not report these rules", takes="RULES", repeats=True),
                Option(
                    ("--min-severity",),
                    "the lowest severity that is reported (default: warning)",
                    takes="SEVERITY",
                    choices=SEVERITIES,
                ),
                Option(
                    ("--min-confidence",),
                    "the lowest confidence that is reported (default: low)",
                    takes="CONFIDENCE",
                    choices=CONFIDENCES,
                ),
                Option(
                    ("--fail-on",),
                    "exit 1 at this severity or above (default: warning); add not-analysed, unread or "
                    "incomplete (both) after a comma to fail on code that was not read",
                    takes="WHAT",
                ),
                Option(
                    ("--persona",),
                    "auditor also reports notes that a context explains",
                    takes="WHO",
                    choices=PERSONAS,
                ),
                Option(
                    ("--diff",),
                    "report only findings on lines changed since this git revision",
                    takes="REV",
                ),
                Option(
                    ("--diff-file",),
                    "report only findings on lines changed in this diff; - is standard input",
                    takes="FILE",
                ),
                Option(("--exit-zero",), "exit 0 even if there are findings"),
                Option(("--watch",), "check again whenever a file changes; stop with Ctrl-C"),
            ),
        ),
        (
            "files",
            (
                Option(
                    ("--force-exclude",), "skip excluded files even if they are named on the command line"
                ),
                Option(("--no-gitignore",), "check files that git ignores, too"),
                Option(
                    ("--file-timeout",),
                    "stop checking a file after SECONDS (default: 30; 0: never)",
                    takes="SECONDS",
                ),
                Option(
                    ("--file-steps",),
                    "stop evaluating a file after NUMBER steps (default: 250000)",
                    takes="NUMBER",
                ),
                Option(
                    ("--file-memory",),
                    "stop checking a file that needs more memory, for example '500 MB' (default: 2 GB; "
                    "0: no limit)",
                    takes="SIZE",
                ),
                Option(
                    ("--file-nesting",),
                    "do not read code nested deeper than LEVELS (default: 180)",
                    takes="LEVELS",
                ),
                Option(
                    ("-j", "--jobs"),
                    "the number of processes (default: 0, one per core)",
                    takes="NUMBER",
                ),
                Option(
                    ("--timeout",),
                    "end the run after SECONDS and list the files that are left (default: 0, never)",
                    takes="SECONDS",
                ),
                Option(
                    ("--daemon",),
                    "have a resident process carry out the run, and start one if need be (Linux)",
                ),
                Option(("--no-cache",), "do not read or write the cache"),
                Option(
                    ("--cache-dir",),
                    "the folder of the cache (default: .fairlint_cache)",
                    takes="FOLDER",
                ),
                Option(
                    ("--stdin-filename",),
                    "the file name of standard input; it decides the language",
                    takes="NAME",
                ),
            ),
        ),
        (
            "configuration",
            (
                *CONFIGURATION,
                Option(
                    ("--untrusted",),
                    "do not trust the author of the code: use no configuration, baseline, comment or "
                    "ignore rule of the checkout, and report what they would have suppressed",
                ),
                Option(("--show-settings",), "print the settings for PATH and where each comes from"),
                Option(
                    ("--show-files",), "print the files that would be checked, and why others are skipped"
                ),
            ),
        ),
    ),
    epilog=_EPILOG,
    words=None,
    version=f"fairlint {__version__}",
    instead=_INSTEAD,
)
