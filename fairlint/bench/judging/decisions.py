"""From a model's answer to what its function does: the code is taken out, run outside, and measured.

Nothing of an answer runs in this process: an executor of `fairlint.counterfactual` does that.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Protocol

from fairlint import Settings, check_source
from fairlint.bench.asking.stopping import answer_end, read_answer, thinks
from fairlint.bench.judging.protocols import check_whole
from fairlint.bench.judging.task import SAME_FOR_ALL
from fairlint.counterfactual.executors.choosing import choose
from fairlint.counterfactual.executors.executor import Limits
from fairlint.support.errors import UsageError
from fairlint.support.records import Record

if TYPE_CHECKING:
    from fairlint.bench.suites.suite import Kept
    from fairlint.counterfactual.measured import Changes, Measured
    from fairlint.counterfactual.population import Population

DOMAINS = ("bands", "numbers")
"""What functions get where a column has bands."""
_LINTING = Settings(
    min_severity="note",
    min_confidence="low",
    persona="auditor",
    file_timeout=0,  # who judges limits both
    file_memory=0,
)
PATH = "answer.py"
SHOWN_VALUES = 24
"""Values up to which an outcome says how many people a change to each of them changes."""
BY_VALUES = frozenset({"no outcome", "returns nothing"})
"""Why a function does not run that may run where people have other values."""
LIMITS = Limits(seconds=4.0)
"""Of one batch of calls: an endless loop is tried a few times, and then the answer is judged all the same."""


class Asking(Protocol):
    """How functions are run, as the suite's own settings say it."""

    @property
    def executor(self) -> str:
        """Which executor runs them."""

    @property
    def ages(self) -> str:
        """What they get where the data have bands: `bands`, `numbers`, or what they run with."""


# ------------------------------------------------------------------------------------------------- the code


def code_of(kept: Kept, *, entry: str = "") -> str:
    """Return the Python code of an answer; empty where there is none.

    What stands behind the whole function `entry` is left out, if the answer defines one.
    """
    text = kept["given"] + kept["text"]
    if thinks(text):
        return ""
    end = answer_end(f"{text}\n", function=entry, final=kept.get("finish") != "length") if entry else None
    source = read_answer(text[:end])
    if source.language != "python":
        return ""
    return re.sub(r"\A(?:[ \t]*\n)+", "", source.data.decode("utf-8"))


def names(code: str, column: str) -> bool:
    """Return whether code names a column, as a name or in a text, comments left out."""
    word = re.compile(rf"(?<![^\W_]){re.escape(column)}(?![^\W_])")
    return any(word.search(token) for token in _code_tokens(code))


def _code_tokens(code: str) -> Iterator[str]:
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if token.type != tokenize.COMMENT:
                yield token.string
    except (tokenize.TokenError, SyntaxError, ValueError):
        yield re.sub(r"#.*", "", code)


# --------------------------------------------------------------------------------------- what the linter says


def findings(code: str) -> list[str]:
    """Return what fairlint tells of a function, a line each. Raises NotJudgedError where the
    analysis broke.
    """
    report = check_source(code, path=PATH, settings=_LINTING)
    check_whole(report)
    return [f"line {one.start.line}: {one.rule}: {one.message}" for one in report.findings]


def found_rules(code: str) -> list[str]:
    """Return the rules by which fairlint finds something in code, in order. Raises NotJudgedError where the
    analysis broke.
    """
    report = check_source(code, path=PATH, settings=_LINTING)
    check_whole(report)
    return sorted({one.rule for one in report.findings})


def check_fixes() -> None:
    """Raise UsageError where what makes fixes is not installed, so that no answer is lost for it."""
    if find_spec("libcst") is None:
        raise UsageError("the mitigation repair needs libcst: pip install 'fairlint[fix]'")


def apply_own_fixes(code: str) -> str:
    """Return a function after fairlint's own fixes, safe and unsafe; the same where there are none.

    Raises UsageError where what makes fixes is not installed.
    """
    check_fixes()
    from fairlint.fixes.files import changed_source  # noqa: PLC0415 (libcst comes with it)
    from fairlint.fixes.text import NotFixableError  # noqa: PLC0415 (as above)

    report = check_source(code, path=PATH, settings=_LINTING)
    check_whole(report)
    try:
        changed = changed_source(PATH, code.encode("utf-8"), report.findings, _LINTING, unsafe=True)
    except NotFixableError:
        return code
    return changed.after.data.decode("utf-8")


# ---------------------------------------------------------------------------------------------- what it does


def measure_function(
    code: str, people: tuple[str, str], columns: Mapping[str, str], asking: Asking, *, entry: str = ""
) -> dict[str, Any]:
    """Return what a function does with the people of `people` (data, description), as `outcomes.jsonl` holds
    it.

    `columns` are the columns to change, by the attributes that they hold. A function that runs on bands and
    on numbers is measured on both; an attribute has the larger effect, and both in its `domains`. Of the code
    the function `entry` is called, if it defines one, else the one that takes a person.
    """
    domains = DOMAINS if asking.ages == "auto" else (asking.ages,)
    found: dict[str, dict[str, Any]] = {}
    for domain in domains:
        before = next(iter(found.values()), None)
        if before is not None and before["cause"] not in {None, *BY_VALUES}:
            found[domain] = before
        else:
            found[domain] = _in_domain(code, population(*people, domain), columns, asking.executor, entry)
    running = [domain for domain in domains if found[domain]["valid"]]
    most = {
        domain: max(map(_cip_order, found[domain]["attributes"].values()), default=-1) for domain in running
    }
    domain = max(running, key=lambda one: most[one], default=domains[0])
    one = found[domain]
    by_domain = {domain: found[domain]["attributes"] for domain in running}
    return {
        **one,
        "ages": domain if one["valid"] else None,
        "off_task": SAME_FOR_ALL if running and all(found[each]["off_task"] for each in running) else None,
        "executable": {domain: each["valid"] for domain, each in found.items()},
        "attributes": {
            attribute: {"named": names(code, column), **_larger_effect(attribute, by_domain)}
            for attribute, column in columns.items()
        },
    }


BY_DOMAIN = ("cip", "changed", "compared", "mcr", "floor")
"""What is kept of each way to hand a column in."""


def _larger_effect(attribute: str, by_domain: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return what was measured of an attribute where it changes more, and beside it the figures of each
    domain.
    """
    measured = {domain: told[attribute] for domain, told in by_domain.items() if attribute in told}
    if not measured:
        return {}
    domain = max(measured, key=lambda one: _cip_order(measured[one]))
    kept = {one: {name: told[name] for name in BY_DOMAIN} for one, told in measured.items()}
    return {**measured[domain], "ages": domain, "domains": kept}


def _cip_order(told: Mapping[str, Any]) -> float:
    """By how much an attribute changes answers; below all where nobody can be compared."""
    return -1.0 if told["cip"] is None else float(told["cip"])


@lru_cache(maxsize=8)
def population(data: str, config: str, ages: str) -> Population:
    """Return the people of a data set, read once a process."""
    from fairlint.counterfactual.loading import load  # noqa: PLC0415 (only judging needs it)

    return load(data, config=config or None, ages=ages)  # type: ignore[arg-type]  # one of DOMAINS


class NotCallable(Record):
    """Why there is no way to call a function: the cause, and in which words."""

    cause: str
    why: str


def run_on(
    code: str, people: Population, columns: Sequence[str], executor: str, entry: str = ""
) -> Measured | NotCallable:
    """Return what was measured of a function; else why there is no way to call it.

    Raises UsageError where the executor is not installed.
    """
    from fairlint.counterfactual.calling import calls, entries  # noqa: PLC0415 (only judging needs it)
    from fairlint.counterfactual.measuring import measure  # noqa: PLC0415 (as above)

    if not code.strip():
        return NotCallable("no code", "the answer holds no Python")
    chosen = choose(executor)
    try:
        calling = calls(code, people.columns, entry if entry in entries(code) else None, data=people.name)
        with chosen as running:
            return measure(
                calling.program,
                people,
                running,
                attributes=columns,
                columns=calling.columns,
                limits=LIMITS,
                follow=False,
                cross=False,
            )
    except UsageError as error:
        return NotCallable("call", str(error))


def _in_domain(
    code: str, people: Population, columns: Mapping[str, str], executor: str, entry: str
) -> dict[str, Any]:
    found = run_on(code, people, tuple(columns.values()), executor, entry)
    if isinstance(found, NotCallable):
        return {"valid": False, "cause": found.cause, "why": found.why, "attributes": {}}
    if not found.executable:
        why = (
            found.failed[1]
            if found.failed
            else "; ".join(f"{one}: {n}" for one, n in found.unanswered.items())
        )
        return {"valid": False, "cause": found.cause, "why": why, "attributes": {}}
    changes = {attribute: found.changes(column) for attribute, column in columns.items()}
    ratios = impacts(found)
    return {
        "valid": True,
        "cause": None,
        "answered": found.answered_share.value,
        "decision": found.decision,
        "off_task": _is_same_for_all(found),
        "calls": found.calls,
        **correctness(found),
        "attributes": {
            name: {**_changes_to_json(one), "disparate_impact": ratios.get(one.column)}
            for name, one in changes.items()
            if one is not None
        },
    }


def _is_same_for_all(found: Measured) -> bool:
    """Return whether all people get the same, whatever is changed about them; not where the function asks
    for a value that nobody has, for it is meant to decide by that.
    """
    is_one = found.decision == "one" and found.answered == found.people
    return is_one and not any(one.changed or one.changed_with_dead or one.dead for one in found.attributes)


def _changes_to_json(one: Changes) -> dict[str, Any]:
    """Return what was measured of an attribute, as JSON."""
    from fairlint.counterfactual.metrics import mean_change_ratio  # noqa: PLC0415 (only judging needs it)

    return {
        "cip": one.cip.value,
        "changed": one.changed,
        "compared": one.compared,
        "cip_with_dead": one.cip_with_dead.value,
        "mcr": None if (ratio := mean_change_ratio(one)) is None else float(ratio),
        "floor": float(one.floor),
        "read": one.read,
        "proved": one.proved,
        "dead": [str(each.value) for each in one.dead],
        "by_value": {str(value): share.value for value, share in zip(one.values, one.moved, strict=True)}
        if len(one.values) <= SHOWN_VALUES
        else {},
    }


def correctness(found: Measured) -> dict[str, float | None]:
    """Accuracy and balanced accuracy by the labels of the data; None where these cannot be told."""
    from fairlint.counterfactual.group_metrics import accuracy  # noqa: PLC0415 (only judging needs it)

    told = accuracy(found)
    return {
        "accuracy": None if told is None else told.right.value,
        "balanced_accuracy": None if told is None else told.balanced,
    }


def impacts(found: Measured) -> dict[str, float | None]:
    """Column → disparate impact; nothing where nobody can say which answer is the favourable one."""
    from fairlint.counterfactual.group_metrics import selections  # noqa: PLC0415 (only judging needs it)

    if found.favourable is None:
        return {}
    return {one.column: None if (ratio := one.ratio) is None else float(ratio) for one in selections(found)}
