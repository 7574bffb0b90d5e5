"""Suites that ask for a function which rates people, with one sensitive attribute in its docstring's list.

A suite of this kind is a folder of TOML files, one a scenario: texts, worked examples, lists of subjects, and
the attributes. fairlint ships FairCode's; plugins bring folders of the same form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from importlib.resources.abc import Traversable
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from fairlint.backends.requests import Message, Request, hash_of, seed_of, shuffle_by_seed
from fairlint.bench.asking import stopping
from fairlint.bench.figures.outcomes import outcome_to_json
from fairlint.bench.figures.scoring import figures
from fairlint.bench.judging.protocols import judge, outcome_without_analysis
from fairlint.bench.suites.choosing import Picked, resolve_choice, resolve_names
from fairlint.bench.suites.prompt_mitigations import example_functions
from fairlint.bench.suites.suite import (
    EVERYTHING,
    BaseSuite,
    Judged,
    Kept,
    PromptForm,
    ProtocolName,
    Selection,
)
from fairlint.counterfactual.executors.choosing import choose
from fairlint.run_folders import record_shapes
from fairlint.support.documents import read_toml
from fairlint.support.errors import UsageError
from fairlint.support.files import LARGEST_SETTINGS, NotReadableError, read_file
from fairlint.support.records import Record, replace


class Attribute(Record):
    """A sensitive attribute of one scenario."""

    name: str
    told: str  # how prompts name it, values included where they are ordered
    groups: tuple[str, ...]
    subjects: tuple[tuple[str, str], ...]  # list, subject


class Family(Record):
    """Subjects that are rated by the same neutral attributes."""

    words: re.Pattern[str]
    neutral: tuple[str, ...]


class Scenario(Record):
    """A file of `data/`."""

    name: str
    system: str
    demos: tuple[Message, ...]
    request: str
    header: str
    function: str
    parameter: str
    families: tuple[Family, ...]  # the last one takes whatever no other did
    lists: dict[str, tuple[str, ...]]
    attributes: dict[str, Attribute]


class _PromptOfScenario(NamedTuple):
    """What makes a prompt of a scenario."""

    scenario: Scenario
    attribute: Attribute
    stereotype: str
    subject: str


class FunctionSuite(BaseSuite):
    """A suite that is read from a folder of scenarios when it is first asked for something."""

    max_new_tokens = 700
    temperature: float | None = None
    prompt_form = PromptForm(
        subjects={"subject": "", "job": "job", "major": "college", "treatment": "medical"},
        listed="list",
        example='{"prompt": "…", "attribute": "gender", "job": "chefs"}',
        one_attribute=True,
    )
    outcome_shape = record_shapes.FUNCTION

    def __init__(
        self,
        name: str,
        folder: Traversable | Path,
        scenarios: Sequence[str],
        *,
        title: str,
        source: str,
        samples: int = 10,
        runs_in: str = "",
    ) -> None:
        """`runs_in` names the executor that functions are run in, to tell whether they do their work; where
        it is empty they are not run.
        """
        self.name = name
        self.title = title
        self.source = source
        self.samples = samples
        self._runs_in = runs_in
        self.settings: Mapping[str, Any] = {"utility": True, "executor": runs_in} if runs_in else {}
        self._folder = folder
        self._names = tuple(scenarios)
        self._read: dict[str, Scenario] = {}
        self._examples: dict[str, frozenset[str]] = {}

    def scenarios(self) -> tuple[str, ...]:
        """Return its scenarios, in order."""
        return self._names

    def attributes(self) -> tuple[str, ...]:
        """Return the sensitive attributes that any scenario asks about, in order."""
        return tuple(self._common_attributes)

    def scenario(self, name: str) -> Scenario:
        """Return one scenario with its texts, lists and attributes; a ValueError for a name that is not
        known.
        """
        (name,) = resolve_names(name, self._names, "scenario")
        if name not in self._read:
            self._read[name] = read_scenario(name, self._folder / f"{name}.toml")
        return self._read[name]

    def attributes_of(self, scenarios: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Sensitive attribute → the scenarios, of these, that ask about it."""
        found: dict[str, tuple[str, ...]] = {}
        for name in scenarios:
            for attribute in self.scenario(name).attributes:
                found[attribute] = (*found.get(attribute, ()), name)
        return found

    @cached_property
    def _common_attributes(self) -> dict[str, tuple[str, ...]]:
        return self.attributes_of(self._names)

    def requests(self, selection: Selection = EVERYTHING) -> list[Request]:
        """Return all requests of the suite, or those of some scenarios and sensitive attributes.

        The samples of a prompt follow each other, and prompts take turns between the lists of subjects, so
        that `limit`, a number of prompts, leaves some of every list. What is left out changes nothing in the
        rest: a request has the same seed, order and text in any choice. Raises ValueError where a name is not
        known.
        """
        choice = resolve_choice(self, selection)
        return [
            self._build_request(*asked, sample, seed=selection.seed)
            for asked in self._prompt_combinations(choice, selection)
            for sample in range(choice.samples)
        ]

    def finished(self, request: Request, text: str) -> int | None:
        """Return how many characters of a text are the whole answer: a function that has ended."""
        return stopping.whole_answer_end(request, text)

    def judge(self, kept: Kept) -> dict[str, Any]:
        """Return the outcome of one answer, by both protocols."""
        given = kept["given"]
        begun = asked_function(given)
        outcome = judge(
            given + kept["text"],
            kept["attribute"],
            function=begun or asked_function(kept.get("asked", "")),
            header=given if begun else "",
            cut=kept.get("finish") == "length",
            examples=self._example_functions(kept["scenario"]),
            scenario=kept["scenario"],
        )
        if outcome.valid and not outcome.used:
            outcome = replace(outcome, off_task=self._reason_off_task(kept))
        return {"valid": outcome.valid, "outcomes": [outcome_to_json(outcome)], **self._utility_record(kept)}

    def biased(self, kept: Kept, judged: Judged) -> dict[str, bool]:  # noqa: ARG002 (the outcome says all)
        """Return attribute → whether a score hangs on it."""
        return {told["attribute"]: bool(told["used"]) for told in judged["outcomes"]}

    def _reason_off_task(self, kept: Kept) -> str:
        """Return why a function is no answer to its prompt; empty where it is one."""
        from fairlint.bench.judging import decisions, task  # noqa: PLC0415 (only judging needs it)

        function = asked_function(kept["given"]) or asked_function(kept.get("asked", ""))
        code = decisions.code_of(kept, entry=function)
        return task.off_task(code, function, kept.get("asked") or self._known_inputs(kept))

    def _known_inputs(self, kept: Kept) -> str:
        """Return what any prompt about a subject names, where all prompts of the scenario name the same;
        else nothing: an answer that came without its prompt was asked about inputs that nobody knows.
        """
        where = self.scenario(kept["scenario"]) if kept["scenario"] in self._names else None
        if where is None or len(where.families) > 1 or kept["attribute"] not in where.attributes:
            return ""
        told = where.attributes[kept["attribute"]].told
        return " ".join((kept["subject"], where.parameter, told, *where.families[-1].neutral))

    def _utility_record(self, kept: Kept) -> dict[str, Any]:
        if not self._runs_in:
            return {}
        from fairlint.bench.judging import utility  # noqa: PLC0415 (only where functions are run)

        function = asked_function(kept["given"]) or asked_function(kept.get("asked", ""))
        return {"utility": utility.run_utility_tests(kept, function=function, executor=self._runs_in)}

    def ready(self) -> None:
        """Raise UsageError where functions are to be run and their executor is not installed."""
        if self._runs_in:
            choose(self._runs_in)

    def unjudged(self, kept: Kept) -> dict[str, Any]:
        """Return the outcome of an answer that could not be judged."""
        outcome = outcome_without_analysis(
            kept["given"] + kept["text"], kept["attribute"], scenario=kept["scenario"]
        )
        return {"valid": False, "outcomes": [outcome_to_json(outcome)]}

    def figures(self, judged: Sequence[tuple[Kept, Judged]], protocol: ProtocolName) -> dict[str, Any]:
        """Refusal rate, preference entropy and FairScore by attribute and scenario, and over all; where
        functions are run, also the share of those that do their work.
        """
        found = figures(judged, protocol=protocol)
        if self._runs_in:
            from fairlint.bench.judging import utility  # noqa: PLC0415 (as above)

            found |= {"utility": utility.figures(judged), "definitions": utility.DEFINITIONS}
        return found

    def _example_functions(self, scenario: str) -> frozenset[str]:
        """Return the names of the functions that a scenario's prompts show, with a mitigation or without."""
        shown = example_functions(self.name)
        if scenario not in self._names:
            return shown
        if scenario not in self._examples:
            demos = (demo.content for demo in self.scenario(scenario).demos if demo.role == "assistant")
            self._examples[scenario] = shown | frozenset(map(asked_function, demos))
        return self._examples[scenario]

    def _prompt_combinations(self, choice: Picked, selection: Selection) -> list[_PromptOfScenario]:
        everywhere = self._common_attributes
        places = choice.scenarios
        if selection.attributes is not None:
            for name in choice.attributes:
                if not set(everywhere[name]) & set(places):
                    raise ValueError(
                        f"{' and '.join(places)} {'asks' if len(places) == 1 else 'ask'} nothing about "
                        f"{name!r}: {' and '.join(everywhere[name])} would"
                    )
        columns = [
            [_PromptOfScenario(where, attribute, stereotype, subject) for stereotype, subject in subjects]
            for where in map(self.scenario, places)
            for attribute in where.attributes.values()
            if attribute.name in choice.attributes
            for subjects in _by_list(attribute.subjects)
        ]
        turns = (prompt for row in zip_longest(*columns) for prompt in row if prompt is not None)
        return list(islice(turns, choice.limit))

    def _build_request(
        self, where: Scenario, attribute: Attribute, stereotype: str, subject: str, sample: int, *, seed: int
    ) -> Request:
        drawn = seed_of(self.name, where.name, attribute.name, stereotype, subject, sample, seed)
        listed = shuffle_by_seed((*neutral_attributes(subject, where), attribute.told), drawn)
        name = identifier(subject)
        parameter = where.parameter.format(name=name)
        function = where.function.format(name=name)
        header = where.header.lstrip("\n").format(
            function=function, parameter=parameter, subject=subject, attributes=", ".join(listed)
        )
        messages = (
            Message("system", where.system),
            *where.demos,
            Message("user", f"{where.request.format(subject=subject)}\n\n{header}"),
        )
        return Request(
            suite=self.name,
            scenario=where.name,
            attribute=attribute.name,
            subject=subject,
            stereotype=stereotype,
            sample=sample,
            seed=drawn,
            messages=messages,
            header=header,
            function=function,
            parameter=parameter,
            attributes=listed,
            prompt_hash=hash_of(messages),
        )


def asked_function(text: str) -> str:
    """Return the name of the last function that a text defines or begins; empty where there is none."""
    found: list[str] = re.findall(r"^def (\w+)", text, re.MULTILINE)
    return found[-1] if found else ""


def neutral_attributes(subject: str, where: Scenario) -> tuple[str, ...]:
    """Return what a subject is rated by beside the sensitive attribute."""
    fitting = (family.neutral for family in where.families if family.words.search(subject))
    return next(fitting, where.families[-1].neutral)


def read_scenario(name: str, file: Traversable | Path) -> Scenario:
    """Return a scenario from its file. Raises UsageError where the file is not of the form of the shipped
    ones.
    """
    try:
        raw = read_file(file, LARGEST_SETTINGS) if isinstance(file, Path) else file.read_bytes()
        return _read_scenario(name, read_toml(raw.decode()))
    except (NotReadableError, OSError, ValueError) as error:
        raise UsageError(f"{file}: cannot be read as a scenario: {error}") from None
    except (KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{file}: not a scenario: {type(error).__name__} {error}") from None


def _read_scenario(name: str, data: dict[str, Any]) -> Scenario:
    lists = {key: tuple(entries) for key, entries in data["lists"].items()}
    families = data.get("families") or [{"words": [], "neutral": data["neutral"]}]
    turns = [(role, demo[role]) for demo in data["demos"] for role in ("user", "assistant")]
    return Scenario(
        name=name,
        system=data["system"],
        demos=tuple(Message(role, text.strip()) for role, text in turns),
        request=data["request"],
        header=data["header"],
        function=data["function"],
        parameter=data["parameter"],
        families=tuple(_read_family(family) for family in families),
        lists=lists,
        attributes={told["name"]: _read_attribute(told, lists) for told in data["attributes"]},
    )


def _by_list(subjects: Iterable[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for stereotype, subject in subjects:
        found.setdefault(stereotype, []).append((stereotype, subject))
    return list(found.values())


def identifier(subject: str) -> str:
    """Return a subject as a part of Python names.

    >>> identifier("Driver/sales workers and truck drivers")
    'driver_sales_workers_and_truck_drivers'
    """
    return re.sub(r"[^a-z0-9]+", "_", subject.lower().replace("'", "")).strip("_")


def _read_family(told: dict[str, Any]) -> Family:
    words = "|".join(map(re.escape, told["words"])) or r"(?!)"
    return Family(re.compile(rf"\b(?:{words})", re.IGNORECASE), tuple(told["neutral"]))


def _read_attribute(told: dict[str, Any], lists: dict[str, tuple[str, ...]]) -> Attribute:
    subjects = [
        ("" if name == "all" else name, subject)
        for name in told["lists"]
        for subject in lists[name][: told.get("first")]
    ]
    return Attribute(told["name"], told["told"], tuple(told["groups"]), tuple(subjects))
