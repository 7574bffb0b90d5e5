"""Requests: what one model is asked once, and the seed that its answer is drawn with."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence

from fairlint.support.records import Record

THINKING = "<think>"
"""What opens the thoughts of models that think aloud."""


class Message(Record):
    """One turn of a conversation."""

    role: str  # system, user or assistant
    content: str


class Request(Record):
    """One question to a model. The same prompt is asked several times: samples differ in their seeds."""

    suite: str
    scenario: str
    attribute: str  # the sensitive one, by its plain name: `parents income`
    subject: str  # the occupation, major or treatment
    stereotype: str  # the group whose list the subject is from; empty where there are no such lists
    sample: int
    seed: int
    messages: tuple[Message, ...]  # ends with the turn that asks
    prompt_hash: str
    header: str = ""  # the function that is to be filled in: signature and docstring
    function: str = ""
    parameter: str = ""
    attributes: tuple[str, ...] = ()  # all that the docstring lists, as and in the order it does
    plain: bool = False  # whether a model that only goes on writing is given the turns as they are
    turn: int = 0  # how many requests of the same conversation came before
    role: str = ""  # what the answer is for, where a suite asks for several things; empty: what is judged
    perturbation: str = ""  # in what other way than the suite's own it is put; empty: as the suite puts it
    tests: tuple[str, ...] = ()  # Python that raises where the code of the answer does not do its work
    allowed: tuple[str, ...] = ()  # answers whose probabilities are wanted in place of a drawn answer


def key_of(request: Request) -> str:
    """Return what tells a request from all others, for people and for a run that goes on later.

    It holds neither the seed nor the texts: those may change between runs, and then the hash says so. A slash
    in a name is `~1` and a tilde `~0`, as in JSON Pointer (RFC 6901, section 3), but for the subject, which
    comes last. Behind the sample stands the turn, from the second request of a conversation on.
    """
    parts = (request.suite, request.scenario, request.attribute, request.stereotype)
    told = "".join(part.replace("~", "~0").replace("/", "~1") + "/" for part in parts)
    turn = f".{request.turn}" if request.turn else ""
    return f"{told}{request.subject}#{request.sample}{turn}"


def chat(request: Request) -> list[dict[str, str]]:
    """Return the conversation as chat templates and servers take it."""
    return [{"role": message.role, "content": message.content} for message in request.messages]


def completion(request: Request) -> str:
    """Return one text for a model that only goes on writing: Python, which ends where the body is missing.

    What users ask becomes comments above the functions; the system's turn is for assistants and left out.
    A plain request keeps what users ask as it is.
    """
    if request.plain:
        return "\n\n".join(message.content for message in request.messages if message.role != "system")
    parts = []
    for message in request.messages:
        if message.role == "user":
            asked = message.content.removesuffix(request.header).strip()
            parts.append("\n".join(f"# {line}".rstrip() for line in asked.splitlines()))
        elif message.role == "assistant":
            parts.append(message.content.rstrip() + "\n\n")
    return "\n".join((*parts, request.header))


def hash_of(messages: Iterable[Message]) -> str:
    """Sixteen hex digits that change with any character of a prompt."""
    told = json.dumps([(message.role, message.content) for message in messages], ensure_ascii=False)
    data = told.encode("utf-8", "surrogatepass")  # answers that are replayed may hold half a pair
    return hashlib.sha256(data).hexdigest()[:16]


def seed_of(*parts: str | int) -> int:
    """Return a seed of 31 bits, which every backend takes, for what is asked. It depends on nothing else.

    >>> seed_of("job", "gender", 0) == seed_of("job", "gender", 0)
    True
    """
    told = json.dumps(parts, ensure_ascii=False)
    return int.from_bytes(hashlib.sha256(told.encode("utf-8")).digest()[:4]) >> 1


def shuffle_by_seed(items: Sequence[str], seed: int) -> tuple[str, ...]:
    """Return the items in an order drawn by the seed, the same one with every version of Python."""
    return tuple(sorted(items, key=lambda item: hashlib.sha256(f"{seed}\0{item}".encode()).digest()))
