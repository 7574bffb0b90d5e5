"""One problem is one finding: what several findings tell of the same thing becomes one, with its places."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

from fairlint.findings.finding import Finding, FlowStep
from fairlint.findings.levels import SEVERITIES
from fairlint.findings.uses import LISTED, SENT, UNASKED
from fairlint.support.expressions import lazy_expression
from fairlint.support.records import replace

_PART = lazy_expression(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
"""One of the words that a name is made of."""
_ANY_MODEL = frozenset({"model"})
"""What says of nothing which model it is."""
NEAR = 5
"""Findings of one problem begin at most so many lines after one another."""


def near_by(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings of one file; those that say the same of neighbouring lines are one.

    The same is said by one rule, of the same attributes, in one function, about the same column, table or
    score. The first of the gravest speaks for all; the others are places of it. What one model is given is
    one problem wherever its columns are named, as is a column that a file trains a model on and asks it
    about, and so is what the statements of one script or notebook do.
    """
    runs: list[list[Finding]] = []
    last: dict[Hashable, list[Finding]] = {}
    in_order = _each_column_once(sorted(findings, key=lambda one: one.sort_key))
    for finding in sorted(in_order, key=_is_from_list):
        keys = list(_of_model(finding))
        run = next((last[key] for key in keys if key in last), None) or _of_column(finding, runs)
        subject = _subject_key(finding)
        if run is None and subject in last and _are_near(last[subject][-1], finding):
            run = last[subject]
        if run is None:
            runs.append(run := [])
        run.append(finding)
        last.update(dict.fromkeys((*keys, subject), run))
        last.setdefault(_list_key(finding), run)
    return sorted(map(_merge_findings, runs), key=lambda finding: finding.sort_key)


def _are_near(before: Finding, finding: Finding) -> bool:
    is_raw = finding.use.shape == "scale" and before.message != finding.message
    return finding.start.line - before.start.line <= (1 if is_raw else NEAR)


def _of_column(finding: Finding, runs: Iterable[list[Finding]]) -> list[Finding] | None:
    """Return what is told of the same column in the same file, if it may be of the same model."""
    if not finding.use.is_named_feature:
        return None
    column = (finding.path, _column_key(finding))
    for run in runs:
        columns = {(one.path, _column_key(one)) for one in run if one.use.is_named_feature}
        if column in columns and not any(_is_of_another_model(finding, one) for one in run):
            return run
    return None


def _is_of_another_model(finding: Finding, other: Finding) -> bool:
    """Return whether two features are of two models: two functions train one each, or two are asked."""
    one, two = finding.use.target or "", other.use.target or ""
    predicts = [_last_word(each).startswith("predict") for each in (finding, other)]
    if LISTED in finding.use.tags | other.use.tags or predicts[0] != predicts[1]:
        return False
    if all(predicts):
        return one != two
    return finding.use.function != other.use.function and _last_word(finding) == _last_word(other)


def _each_column_once(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Return findings in order; a column that is named once for two models, or lists, is told once."""
    last: dict[Hashable, Finding] = {}
    for finding in findings:
        if finding.use.kind == "feature":
            key = (finding.path, finding.cell, finding.rule, finding.use.attributes)
            before = last.get(key)
            if before is not None and finding.start < before.end and finding.severity == before.severity:
                continue
            last[key] = finding
        yield finding


def _is_from_list(finding: Finding) -> bool:
    """Return whether nothing but a list's name says that a model gets a column: comes last, where more is
    known.
    """
    return LISTED in finding.use.tags


def _list_key(finding: Finding) -> Hashable:
    """Return what all lists of a file tell of one attribute."""
    return (finding.path, finding.rule, finding.use.attributes, finding.use.kind, finding.severity, LISTED)


def _of_model(finding: Finding) -> Iterator[Hashable]:
    """Yield what a feature or its codes are told of: findings with one of these in common are one problem,
    however far they are apart.
    """
    use = finding.use
    said = (finding.path, finding.rule, use.attributes, use.kind, finding.severity)
    if use.kind == "encoding" and not use.function:
        yield (*said, finding.message)
    if _is_from_list(finding):
        yield _list_key(finding)
    elif use.kind == "feature":
        if not use.function:
            yield (*said, (use.target or "").rpartition(".")[2].startswith("predict"))
        if ends := [step for step in finding.flow if not step.also]:
            yield (*said, _place_key(ends[-1]))
        if (use.target or "").count(".") > 1:  # `self.model.predict` asks the same model everywhere
            yield (*said, use.target)


def _subject_key(finding: Finding) -> Hashable:
    """Return what a finding is about."""
    use = finding.use
    about: Hashable = finding.message
    if use.kind in {"inference", "prompt"}:
        return (
            _place_key(finding),
            finding.rule,
            use.attributes,
            finding.message,
        )  # each guesses or asks anew
    if use.kind == "score-update" and use.shape == "scale" and use.points is None:
        about = "a raw value"  # read into a part of a score, which is added to it in the next line
    if use.kind == "feature":
        about = use.target or use.detail or finding.message  # `gender_female` and `gender_male` of one model
    elif use.effect == "learn" and use.kind in {"filter", "label", "weight"}:
        about = use.target
    elif use.kind == "imputation":
        about = (use.target, use.detail)  # of the rows to train on, and of those to test with
    elif use.kind == "score-update" and use.points is not None and use.shape == "arithmetic":
        about = (use.target, use.points.op, use.points.where)  # rows of one table, a mask for each group
    function = "" if about == "a raw value" else use.function
    place = (finding.path, finding.cell, function)
    return (place, finding.rule, use.attributes, use.kind, use.effect, about)


def _merge_findings(findings: Sequence[Finding]) -> Finding:
    """Return the first of the gravest, with the places of the others."""
    first = max(findings, key=lambda one: (SEVERITIES.index(one.severity), not _is_from_list(one)))
    return with_places(first, (one for one in findings if one is not first))


def with_places(finding: Finding, others: Iterable[Finding]) -> Finding:
    """Return a finding that speaks for others, too."""
    known = {_place_key(finding)}
    steps: list[FlowStep] = []
    unheeded = dict.fromkeys(finding.unheeded)
    for other in others:
        unheeded.update(dict.fromkeys(other.unheeded))
        said = "the same here" if other.message == finding.message else f"also here: {other.message}"
        own = FlowStep(other.path, other.start, other.end, said, other.cell, other.region, also=True)
        for step in (own, *other.places):
            if _place_key(step) not in known:
                known.add(_place_key(step))
                steps.append(step)
    return replace(finding, flow=(*finding.flow, *steps), unheeded=tuple(unheeded))


def _place_key(place: Finding | FlowStep) -> Hashable:
    return (place.path, place.cell, place.start, place.end)


def of_twins(findings: Sequence[Finding]) -> list[Finding]:
    """Without those of a notebook that its twin tells, too: the script of the same name beside it.

    The code is the same where the lines and the functions around them are, which the fingerprint says.
    """
    scripts: dict[Hashable, list[Finding]] = {}
    for finding in findings:
        if finding.cell is None:
            scripts.setdefault(_twin_key(finding), []).append(finding)
    if not scripts:
        return list(findings)
    places: dict[int, list[Finding]] = {}
    kept: list[Finding] = []
    for finding in findings:
        told = scripts.get(_twin_key(finding), ()) if finding.cell is not None else ()
        for script in told:
            places.setdefault(id(script), []).append(finding)
        if not told:
            kept.append(finding)
    return [with_places(finding, places.get(id(finding), ())) for finding in kept]


def of_clients(findings: Sequence[Finding]) -> list[Finding]:
    """Without those of a client that sends a person's attribute to a model which is looked at, too: where
    that predicts, or else where it learns, is told of it, of the same column if there is one.
    """
    models: dict[Hashable, list[Finding]] = {}
    for finding in findings:
        if finding.use.is_named_feature and not {SENT, LISTED} & finding.use.tags:
            models.setdefault(_input_key(finding), []).append(finding)

    def service(finding: Finding) -> Finding | None:
        told = models.get(_input_key(finding), ()) if SENT in finding.use.tags else ()
        elsewhere = [one for one in told if one.path != finding.path]
        return max(
            elsewhere,
            key=lambda one: (_column_key(one) == _column_key(finding), _last_word(one).startswith("predict")),
            default=None,
        )

    return _as_places(findings, service)


def of_lists(findings: Sequence[Finding]) -> list[Finding]:
    """Without those of a list that another file of the same program is told of: of a list that its own file
    gives no model (a module of constants, a schema that puts columns in order), of one whose columns come
    back to a model of its file, and of what is handed to a service whose model is looked at.
    """
    from pathlib import PurePath  # noqa: PLC0415 (start-up: few runs list anything)

    columns: dict[Hashable, list[Finding]] = {}
    given: dict[Hashable, list[Finding]] = {}
    for finding in findings:
        if finding.use.is_named_feature:
            columns.setdefault(_column_key(finding), []).append(finding)
            given.setdefault(_input_key(finding), []).append(finding)
    folders = {one.path: PurePath(one.path).parent.parts for each in columns.values() for one in each}
    depths = (depth for depth, names in enumerate(zip(*folders.values(), strict=False)) if len({*names}) > 1)
    top = next(depths, min(map(len, folders.values())))

    def is_near(finding: Finding, other: Finding) -> bool:
        own = folders[finding.path][top : top + 1]  # empty beside all programs
        return own in {(), folders[other.path][top : top + 1]}

    def model(finding: Finding) -> Finding | None:
        if LISTED not in finding.use.tags:
            return None
        same = columns[_column_key(finding)]
        if UNASKED in finding.use.tags:
            others = (one for one in same if UNASKED not in one.use.tags and is_near(finding, one))
            return min(others, key=_is_from_list, default=None)
        if _is_handed_over(finding):
            return next((one for one in same if _is_service(one, finding)), None)
        return next((one for one in same if not _is_from_list(one) and _ends_in(one, finding.path)), None)

    def is_left(finding: Finding) -> bool:
        """Return whether a service that is given a record has no such column among those of its model."""
        if LISTED not in finding.use.tags or not _is_handed_over(finding):
            return False
        columns_of = [one for one in given[_input_key(finding)] if _is_service(one, finding)]
        return bool(columns_of) and all(_column_key(one) != _column_key(finding) for one in columns_of)

    return _as_places([one for one in findings if not is_left(one)], model)


def _is_handed_over(finding: Finding) -> bool:
    """Return whether a column is one of a record that a service predicts by: `service.predict(record)`."""
    return "." in (finding.use.target or "") and _last_word(finding).startswith("predict")


def _is_service(finding: Finding, caller: Finding) -> bool:
    """Return whether a model is asked in another file, by a class or in a module of the name that a caller
    has for it: `ml_service.predict(record)` and `class MLModelService`.
    """
    from pathlib import PurePath  # noqa: PLC0415 (start-up: few runs list anything)

    if _is_from_list(finding) or finding.path == caller.path or not _last_word(finding).startswith("predict"):
        return False
    called = _name_parts((caller.use.target or "").split(".")[-2]) - _ANY_MODEL
    names = (finding.use.function.partition(".")[0], PurePath(finding.path).stem)
    return bool(called) and any(called <= _name_parts(name) for name in names)


def _name_parts(name: str) -> set[str]:
    return {part.lower() for part in _PART.findall(name)}


def _ends_in(finding: Finding, path: str) -> bool:
    """Return whether a column that is named in another file comes to a model in this one."""
    ends = [step for step in finding.flow if not step.also]
    return finding.path != path and bool(ends) and ends[-1].path == path


def _as_places(findings: Sequence[Finding], told_by: Callable[[Finding], Finding | None]) -> list[Finding]:
    """Return findings with those as places of another one that it tells."""
    places: dict[int, list[Finding]] = {}
    kept: list[Finding] = []
    for finding in findings:
        if (by := told_by(finding)) is None:
            kept.append(finding)
        else:
            places.setdefault(id(by), []).append(finding)
    return [with_places(finding, places.get(id(finding), ())) for finding in kept]


def _last_word(finding: Finding) -> str:
    return (finding.use.target or "").rpartition(".")[2]


def _input_key(finding: Finding) -> Hashable:
    """Return the attributes that a model is given."""
    return (finding.severity, finding.use.attributes)


def _column_key(finding: Finding) -> Hashable:
    """Return a column of a model, however its name is written, and whether or not it is coded."""
    name = "".join(character for character in (finding.use.detail or "").casefold() if character.isalnum())
    said = finding.use.kind if finding.use.is_named_feature else finding.rule
    return (said, finding.severity, finding.use.attributes, name)


def _twin_key(finding: Finding) -> Hashable:
    from pathlib import PurePath  # noqa: PLC0415 (start-up: few runs meet notebooks)

    return str(PurePath(finding.path).with_suffix("")), finding.fingerprint
