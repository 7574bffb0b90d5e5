"""FairCode's function-implementation task (arXiv 2501.05396): rate applicants, students and patients.

A request shows a worked example that treats all people alike, then the head of a function whose docstring
lists neutral attributes and one sensitive one in a drawn order. Occupations, majors and treatments are the
published ones; the texts are fairlint's own with the published structure. Two things differ on purpose: the
docstring is closed, so that a model that only goes on writing starts with code, and names are valid Python.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from itertools import islice, zip_longest
from typing import Any

from fairlint.bench.suites.requests import Message, Request, hash_of, seed_of, shuffled
from fairlint.records import Record

SUITE = "faircode:function"
SCENARIOS = ("job", "college", "medical")
SAMPLES = 10
"""How often the published suite asks each prompt.

It counts 955 prompts, one for each entry of a list, so 9,550 answers. Of these entries, 60 majors are asked
about twice more (parents' degree, parents' income) and each treatment four times, so that the eleven columns
of its results rest on 1,360 prompts and 13,600 answers. That is what `requests()` makes.
"""


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


@cache
def scenario(name: str) -> Scenario:
    """One scenario with its texts, lists and attributes; a ValueError that names the nearest for another."""
    import tomllib  # noqa: PLC0415 (only who makes requests needs it)

    _known(name, SCENARIOS, "scenario")
    data = tomllib.loads((files(__package__) / "data" / f"{name}.toml").read_text(encoding="utf-8"))
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
        families=tuple(_family(family) for family in families),
        lists=lists,
        attributes={told["name"]: _attribute(told, lists) for told in data["attributes"]},
    )


def attributes_of(scenarios: Iterable[str] = SCENARIOS) -> dict[str, tuple[str, ...]]:
    """Sensitive attribute → the scenarios, of these, that ask about it."""
    found: dict[str, tuple[str, ...]] = {}
    for name in scenarios:
        for attribute in scenario(name).attributes:
            found[attribute] = (*found.get(attribute, ()), name)
    return found


def neutral_attributes(subject: str, scenario_name: str) -> tuple[str, ...]:
    """What a subject is rated by beside the sensitive attribute."""
    families = scenario(scenario_name).families
    return next((family.neutral for family in families if family.words.search(subject)), families[-1].neutral)


def requests(
    scenarios: Iterable[str] | str | None = None,
    attributes: Iterable[str] | str | None = None,
    samples: int = SAMPLES,
    limit: int | None = None,
    seed: int = 0,
) -> Iterator[Request]:
    """All requests of the suite, or those of some scenarios and sensitive attributes.

    The samples of a prompt follow each other, and prompts take turns between the lists of subjects, so that
    `limit`, a number of prompts, leaves some of every list. What is left out changes nothing in the rest: a
    request has the same seed, order and text in any choice. Raises ValueError where a name is not known.
    """
    prompts = _prompts(scenarios, attributes, samples, limit)
    return (
        _request(where, attribute, stereotype, subject, sample, seed=seed)
        for where, attribute, stereotype, subject in prompts
        for sample in range(samples)
    )


def count(
    scenarios: Iterable[str] | str | None = None,
    attributes: Iterable[str] | str | None = None,
    samples: int = SAMPLES,
    limit: int | None = None,
) -> int:
    """How many requests there are for the same choice."""
    return len(_prompts(scenarios, attributes, samples, limit)) * samples


def _prompts(
    scenarios: Iterable[str] | str | None,
    attributes: Iterable[str] | str | None,
    samples: int,
    limit: int | None,
) -> list[tuple[Scenario, Attribute, str, str]]:
    if samples < 1:
        raise ValueError(f"samples must be 1 or more, not {samples}")
    if limit is not None and limit < 1:
        raise ValueError(f"limit must be 1 or more, not {limit}")
    places = _chosen(scenarios, SCENARIOS, "scenario")
    everywhere = attributes_of()
    asked = _chosen(attributes, tuple(everywhere), "attribute")
    if attributes is not None:
        for name in asked:
            if not set(everywhere[name]) & set(places):
                raise ValueError(
                    f"{' and '.join(places)} {'asks' if len(places) == 1 else 'ask'} nothing about "
                    f"{name!r}: {' and '.join(everywhere[name])} would"
                )
    columns = [
        [(where, attribute, stereotype, subject) for stereotype, subject in subjects]
        for where in map(scenario, places)
        for attribute in where.attributes.values()
        if attribute.name in asked
        for subjects in _by_list(attribute.subjects)
    ]
    turns = (prompt for row in zip_longest(*columns) for prompt in row if prompt is not None)
    return list(islice(turns, limit))


def _by_list(subjects: Iterable[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    found: dict[str, list[tuple[str, str]]] = {}
    for stereotype, subject in subjects:
        found.setdefault(stereotype, []).append((stereotype, subject))
    return list(found.values())


def _request(
    where: Scenario, attribute: Attribute, stereotype: str, subject: str, sample: int, *, seed: int
) -> Request:
    drawn = seed_of(SUITE, where.name, attribute.name, stereotype, subject, sample, seed)
    listed = shuffled((*neutral_attributes(subject, where.name), attribute.told), drawn)
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
        suite=SUITE,
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


def identifier(subject: str) -> str:
    """A subject as a part of Python names.

    >>> identifier("Driver/sales workers and truck drivers")
    'driver_sales_workers_and_truck_drivers'
    """
    return re.sub(r"[^a-z0-9]+", "_", subject.lower().replace("'", "")).strip("_")


def _chosen(names: Iterable[str] | str | None, known: tuple[str, ...], what: str) -> tuple[str, ...]:
    """The known names that are meant, in the order in which they are known."""
    if names is None:
        return known
    given = [names] if isinstance(names, str) else list(names)
    if not given:
        raise ValueError(f"no {what} is chosen: {', '.join(known)} are known")
    meant = {re.sub(r"[\s_-]+", " ", name.strip().lower()) for name in given}
    for name in meant:
        _known(name, known, what)
    return tuple(name for name in known if name in meant)


def _known(name: str, known: tuple[str, ...], what: str) -> None:
    if name in known:
        return
    close = difflib.get_close_matches(name, known, n=1, cutoff=0.5) or [
        other for other in known if name and set(name.split()) & set(other.split())
    ]
    hint = f"did you mean {close[0]!r}? " if close else ""
    raise ValueError(f"there is no {what} {name!r}; {hint}known: {', '.join(known)}")


def _family(told: dict[str, Any]) -> Family:
    words = "|".join(map(re.escape, told["words"])) or r"(?!)"
    return Family(re.compile(rf"\b(?:{words})", re.IGNORECASE), tuple(told["neutral"]))


def _attribute(told: dict[str, Any], lists: dict[str, tuple[str, ...]]) -> Attribute:
    subjects = [
        ("" if name == "all" else name, subject)
        for name in told["lists"]
        for subject in lists[name][: told.get("first")]
    ]
    return Attribute(told["name"], told["told"], tuple(told["groups"]), tuple(subjects))
