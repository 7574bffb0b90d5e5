"""Measures fairlint on real answers of language models that people have labelled by reading.

    python benchmarks/answers.py [FILE] [--split tune|held|all] [--show] [--reveal-held]

FILE holds one answer a line as JSON with `text` and `source`. The labels know an answer by its hash alone.
Answers about treatments are of our own hand, with their labels beside them (benchmarks/treatments/);
--treatments measures them alone, without FILE. Where a label says which attribute was asked about, the
bench's judge is measured, too.
Exit status: 0 where the targets are met, 1 where they are missed, 2 where the measurement could not be made.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))  # a checkout that is not installed can be measured too

from fairlint import check_source, read_response  # noqa: E402
from fairlint.bench.judging.protocols import NotJudgedError  # noqa: E402
from fairlint.bench.judging.protocols import Outcome as Judged  # noqa: E402
from fairlint.bench.judging.protocols import judge as judge_asked  # noqa: E402
from fairlint.findings.report import Report  # noqa: E402
from fairlint.findings.uses import Use  # noqa: E402
from fairlint.vocabulary import default_vocabulary  # noqa: E402

LABELS = HERE / "answers" / "labels.jsonl"
TREATMENTS = HERE / "treatments"
OWN = "own hand"
"""The source of answers that no model wrote."""
SAMPLES_VARIABLE = "FAIRLINT_SAMPLES"
RESPONSES = "faircode_responses.jsonl"

BIASED_TARGET = 0.98
POINTS_TARGET = 0.95
BELIEVED = 3
"""The evidence from which on the rules report a Use at all."""

OUTCOME_EFFECTS = frozenset({"decide", "score", "learn"})
SILENT_KINDS = frozenset({"read", "record", "prompt", "query"})
UPDATE_LINE = re.compile(r"^\s*\w*(?:score|points|total)\w*\s*[+\-*/]?=[^=]", re.IGNORECASE)


class BenchmarkError(Exception):
    """Why the measurement cannot be made, in one line."""


@dataclass(frozen=True, slots=True)
class Label:
    """What a reader said about one answer. `biased` is None where reading the answer cannot tell."""

    sha256: str
    split: str
    sample: str
    """`random`: drawn at random within its source; `odd`: picked for an unusual shape; `admission`: drawn at
    random among those about a major; `treatment`: of our own hand."""
    biased: bool | None
    points: Mapping[str, Mapping[str, float] | None]
    note: str
    asked: str = ""
    """The attribute that the model was asked about, as prompts name it; empty in the earlier samples."""
    used: bool | None = None
    """Whether that one makes a difference."""
    named: str = ""
    """How the code names it, where that is another attribute of the vocabulary: `ethnicity` for race."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One model's answer, and who gave it."""

    source: str
    text: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """One label beside what fairlint said; `points` pairs the two for each attribute with known points."""

    label: Label
    source: str
    biased: bool
    uses: tuple[Use, ...]
    points: Mapping[str, tuple[Mapping[str, float], Mapping[str, float]]]
    judged: Judged | None = None
    """The bench's word on the attribute that was asked about; None where none was, or nobody could judge."""

    @property
    def agrees(self) -> bool | None:
        """Whether both say the same of different treatment; None where the reader could not tell."""
        return None if self.label.biased is None else self.label.biased == self.biased

    @property
    def wrong_points(self) -> tuple[str, ...]:
        """The attributes whose groups do not all get what the reader counted."""
        return tuple(name for name, (expected, found) in self.points.items() if not same(expected, found))

    @property
    def judge_agrees(self) -> bool | None:
        """Whether the bench's judge says as the reader does that the asked attribute is used, or is not.

        None where it was not asked, and for answers without a whole function, which count for nothing there.
        """
        if not self.label.asked or self.judged is None:
            return False if self.label.asked else None
        return self.judged.used == self.label.used if self.judged.valid else None

    @property
    def judge_points(self) -> tuple[Mapping[str, float], Mapping[str, float]] | None:
        """What the groups get by the reader and by the judge; None where the reader counted none."""
        name = "_".join(self.label.asked.split())
        given = self.label.points.get(self.label.named or name)
        if self.judge_agrees is None or not self.label.used or given is None:
            return None
        expected = canonical_points(name, given)
        return expected, {} if self.judged is None else canonical_points(name, self.judged.points)


@dataclass(slots=True)
class Share:
    """How many of how many."""

    good: int = 0
    total: int = 0

    def count(self, good: bool) -> None:
        """Count one more."""
        self.good += good
        self.total += 1

    @property
    def rate(self) -> float:
        """The share, 1 where nothing was counted."""
        return self.good / self.total if self.total else 1.0

    def __str__(self) -> str:
        return f"{self.good}/{self.total} {self.rate:.3f}" if self.total else "-"


def default_responses() -> Path:
    """The responses in the samples folder that the environment names, else in the one beside the checkout."""
    folder = os.environ.get(SAMPLES_VARIABLE)
    return (Path(folder) if folder else HERE.parent.parent / "shared" / "samples") / RESPONSES


def read_lines(path: Path) -> Iterable[dict[str, Any]]:
    """The JSON objects of a file, one a line."""
    try:
        with path.open(encoding="utf-8") as stream:
            for number, line in enumerate(stream, 1):
                if line.strip():
                    try:
                        yield json.loads(line)
                    except ValueError as error:
                        raise BenchmarkError(f"{path}:{number}: not JSON: {error}") from None
    except OSError as error:
        raise BenchmarkError(f"{path}: cannot be read: {error.strerror or error}") from None


def read_labels(path: Path = LABELS) -> tuple[Label, ...]:
    """All labels."""
    return tuple(
        Label(
            row["sha256"],
            row["split"],
            row["sample"],
            row["biased"],
            row["points"],
            row.get("note", ""),
            row.get("asked", ""),
            row["biased"],
        )
        for row in read_lines(path)
    )


def read_treatments(folder: Path = TREATMENTS) -> tuple[tuple[Label, ...], dict[str, Answer]]:
    """The answers about treatments: `tune.txt` and `held.txt`, each answer under a line with its label."""
    labels: list[Label] = []
    answers: dict[str, Answer] = {}
    for split in ("tune", "held"):
        for part in (folder / f"{split}.txt").read_text(encoding="utf-8").split("=== {")[1:]:
            head, _, text = part.partition("\n")
            told = json.loads("{" + head)
            digest = hashlib.sha256(text.encode()).hexdigest()
            asked, named = told["asked"], told.get("named", "")
            points = {named or "_".join(asked.split()): told["points"]} if told["points"] != {} else {}
            labels.append(
                Label(
                    sha256=digest,
                    split=split,
                    sample="treatment",
                    biased=told["biased"],
                    points=points,
                    note=told["name"],
                    asked=asked,
                    used=told["used"],
                    named=named,
                )
            )
            answers[digest] = Answer(OWN, text)
    return tuple(labels), answers


def read_answers(path: Path) -> dict[str, Answer]:
    """All answers by the hash of their text."""
    return {
        hashlib.sha256(row["text"].encode()).hexdigest(): Answer(short_source(row["source"]), row["text"])
        for row in read_lines(path)
    }


def short_source(source: str) -> str:
    """The model: `gpt-4o` of `faircoder/gpt-4o_evaluation_results`, otherwise the name of the folder."""
    folder, _, name = source.partition("/")
    return name.removesuffix("_evaluation_results") if name.endswith("_evaluation_results") else folder


def treats_differently(use: Use) -> bool:
    """Whether a Use gives two groups different outcomes, points or weights, and would be reported.

    Where the code names every core group of the attribute, what others get is nobody's.
    """
    if use.effect not in OUTCOME_EFFECTS or use.kind in SILENT_KINDS or use.attribute_kind == "proxy":
        return False
    if use.weight < BELIEVED or use.leaves_out:
        return False
    if use.points is not None:
        named = use.points.by_group
        everybody = named.keys() >= set(default_vocabulary().attribute(use.attribute).core_groups)
        return (
            len({*named.values(), *([] if everybody or use.points.other is None else [use.points.other])}) > 1
        )
    return len(set(use.outcomes.values())) != 1


def same(expected: Mapping[str, float], found: Mapping[str, float]) -> bool:
    """Whether two say the same of each group, but for the last digits of a sum."""
    return expected.keys() == found.keys() and all(abs(expected[one] - found[one]) < 1e-9 for one in expected)


def plain(word: str) -> str:
    """A group's name without case and punctuation: `Non-Binary`, `non_binary` and `non binary` are one."""
    return " ".join(re.findall(r"[^\W_]+", word.lower()))


def canonical_points(attribute: str, points: Mapping[str, float]) -> dict[str, float]:
    """Points by the vocabulary's own names for groups, other words as they are, zeros left out."""
    names = {
        plain(spelling): group.name
        for group in default_vocabulary().attribute(attribute).groups.values()
        for spelling in (*group.spellings, group.name)
    }
    result: dict[str, float] = {}
    for word, amount in points.items():
        name = names.get(plain(word), plain(word))
        # Several spellings of one group in a label are one group: what it gets, it gets once.
        if amount and abs(amount) > abs(result.get(name, 0.0)):
            result[name] = amount
    return result


def judge(label: Label, answer: Answer, report: Report) -> Outcome:
    """Put a label beside fairlint's report."""
    uses = tuple(use for _, use in report.uses if treats_differently(use))
    points = {
        attribute: (
            canonical_points(attribute, expected),
            canonical_points(attribute, report.points(attribute)),
        )
        for attribute, expected in label.points.items()
        if expected is not None
    }
    return Outcome(label, answer.source, bool(uses), uses, points, asked_judge(label, answer))


def asked_judge(label: Label, answer: Answer) -> Judged | None:
    """The bench's word on an answer, as a file of answers is judged that says nothing of its prompts."""
    if not label.asked:
        return None
    try:
        return judge_asked(answer.text, label.asked)
    except NotJudgedError:
        return None


def check(answer: Answer) -> tuple[Report, str]:
    """What fairlint says about an answer, and the code it took from it."""
    source = read_response(answer.text)
    return check_source(source), source.data.decode("utf-8", "replace")


def lost_lines(answer: Answer, report: Report, code: str) -> list[str]:
    """Score updates that stand in the answer, yet neither in the code taken from it nor in a named gap."""
    if report.not_analysed:
        return []
    kept = {line.strip() for line in code.splitlines()}
    return [
        line.strip()
        for line in answer.text.splitlines()
        if UPDATE_LINE.match(line) and line.strip() not in kept
    ]


def measure_labels(labels: Sequence[Label], answers: Mapping[str, Answer]) -> list[Outcome]:
    """Check every labelled answer."""
    missing = [label.sha256 for label in labels if label.sha256 not in answers]
    if missing:
        raise BenchmarkError(
            f"{len(missing)} labelled answers are not in the responses file, first {missing[0]}"
        )
    return [judge(label, answers[label.sha256], check(answers[label.sha256])[0]) for label in labels]


def print_shares(outcomes: Sequence[Outcome]) -> tuple[Share, Share]:
    """Print agreement by split and by source, and return the overall shares."""
    rows: dict[str, tuple[Share, Share, Share, Share]] = {}
    for outcome in outcomes:
        label = outcome.label
        earlier = "" if label.asked else "earlier"
        of_split = f"{label.sample if label.asked else earlier} {label.split}"
        for row in filter(
            None, ("all", earlier, of_split, f"split {label.split}", f"sample {label.sample}", outcome.source)
        ):
            agreement, exact, used, given = rows.setdefault(row, (Share(), Share(), Share(), Share()))
            if outcome.agrees is not None:
                agreement.count(outcome.agrees)
            for attribute in outcome.points:
                exact.count(attribute not in outcome.wrong_points)
            if outcome.judge_agrees is not None:
                used.count(outcome.judge_agrees)
            if outcome.judge_points is not None:
                given.count(same(*outcome.judge_points))
    print(f"{'':<18}{'treated differently':>22}{'points exact':>22}{'judge: used':>22}{'judge: points':>22}")
    starts = ("earlier", "admission ", "treatment ", "sample ", "split ")
    for row in sorted(rows, key=lambda name: (name != "all", not name.startswith(starts), name)):
        print(f"{row:<18}" + "".join(f"{share!s:>22}" for share in rows[row]))
    return rows["all"][:2] if rows else (Share(), Share())


def is_wrong(outcome: Outcome) -> bool:
    """Whether the linter or the judge says otherwise than the reader."""
    return (
        outcome.agrees is False
        or bool(outcome.wrong_points)
        or outcome.judge_agrees is False
        or (outcome.judge_points is not None and not same(*outcome.judge_points))
    )


def print_disagreements(outcomes: Sequence[Outcome], *, reveal_held: bool) -> None:
    """List what fairlint and the reader see differently; of the held split only how many, unless revealed."""
    wrong = [outcome for outcome in outcomes if is_wrong(outcome)]
    for outcome in wrong:
        if outcome.label.split == "held" and not reveal_held:
            continue
        print(f"\n{outcome.label.sha256[:16]} {outcome.source} ({outcome.label.split}) {outcome.label.note}")
        if outcome.agrees is False:
            print(f"  treated differently: reader {outcome.label.biased}, fairlint {outcome.biased}")
        for attribute in outcome.wrong_points:
            expected, found = outcome.points[attribute]
            print(f"  {attribute}: reader {expected}, fairlint {found}")
        if outcome.judge_agrees is False:
            print(f"  {outcome.label.asked} is used: reader {outcome.label.used}, judge {outcome.judged}")
        if outcome.judge_points is not None and not same(*outcome.judge_points):
            print("  {}: reader {}, judge {}".format(outcome.label.asked, *outcome.judge_points))
        for use in outcome.uses:
            sort = f"{use.attribute} {use.kind} {use.shape} {use.effect}"
            print(f"  use: {sort}, weight {use.weight}: {use.condition}")
    hidden = sum(outcome.label.split == "held" for outcome in wrong)
    if hidden and not reveal_held:
        print(f"\n{hidden} disagreements in the held split are not shown (--reveal-held)")


def measure_all(answers: Mapping[str, Answer], *, show: bool) -> bool:
    """Run over every answer: nothing may crash, and nothing may be skipped in silence."""
    counts: Counter[str] = Counter()
    for digest, answer in answers.items():
        try:
            report, code = check(answer)
        except Exception as error:
            counts["crashed"] += 1
            print(f"crash: {digest[:16]} {answer.source}: {type(error).__name__}: {error}")
            continue
        analysed = bool(code.strip())
        counts["analysed"] += analysed
        counts["with a part not analysed"] += bool(report.not_analysed)
        counts["with findings"] += bool(report.findings)
        if not analysed and not report.not_analysed:
            counts["skipped in silence"] += 1
            print(f"skipped in silence: {digest[:16]} {answer.source}")
        lost = lost_lines(answer, report, code)
        if lost:
            counts["with lost score updates"] += 1
            if show:
                print(f"lost: {digest[:16]} {answer.source}: {lost[0]!r} and {len(lost) - 1} more")
    print(
        f"\nall {len(answers)} answers: "
        + ", ".join(f"{count} {name}" for name, count in counts.items() if count)
    )
    return not (counts["crashed"] or counts["skipped in silence"] or counts["with lost score updates"])


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Measure fairlint on labelled answers of language models.")
    parser.add_argument(
        "file",
        nargs="?",
        type=Path,
        default=default_responses(),
        help=f"the responses; default: {RESPONSES} in ${SAMPLES_VARIABLE} or ../shared/samples",
    )
    parser.add_argument("--split", choices=("tune", "held", "all"), default="all", help="which labels to use")
    parser.add_argument("--show", action="store_true", help="list disagreements of the tune split")
    parser.add_argument("--reveal-held", action="store_true", help="list those of the held split too")
    parser.add_argument(
        "--treatments", action="store_true", help="only the answers of our own hand about treatments"
    )
    parser.add_argument("--labelled-only", action="store_true", help="leave the unlabelled answers out")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and report."""
    options = parse(arguments)
    try:
        treatments, own = read_treatments()
        answers = {} if options.treatments else read_answers(options.file)
        known = (*(() if options.treatments else read_labels()), *treatments)
        labels = [label for label in known if options.split in ("all", label.split)]
        outcomes = measure_labels(labels, {**answers, **own})
        agreement, exact = print_shares(outcomes)
        if options.show or options.reveal_held:
            print_disagreements(outcomes, reveal_held=options.reveal_held)
        complete = options.treatments or options.labelled_only or measure_all(answers, show=options.show)
    except BenchmarkError as error:
        print(f"answers: {error}", file=sys.stderr)
        return 2
    met = agreement.rate >= BIASED_TARGET and exact.rate >= POINTS_TARGET and complete
    print(
        f"treated differently {agreement.rate:.3f} (target {BIASED_TARGET}), "
        f"points exact {exact.rate:.3f} (target {POINTS_TARGET}): {'met' if met else 'missed'}"
    )
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
