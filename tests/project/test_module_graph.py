"""What modules say of each other, whichever way their imports lead."""

from __future__ import annotations

import re
from itertools import permutations
from pathlib import Path

import pytest

from fairlint.project import module_graph
from fairlint.project.links import follow_imports
from fairlint.project.module_graph import ModuleGraph
from fairlint.syntax.python import PYTHON

TENANTS = """\
from rents import Lease, offer
from leases import *

FIELDS = ["gender"]

class Tenant:
    gender: str
"""
RENTS = """\
from leases import LISTED, Lease
from tenants import *

def offer(tenant):
    return model.predict(LISTED)
"""
LEASES = """\
from tenants import FIELDS, Tenant
from rents import offer

LISTED = FIELDS

class Lease:
    tenant: Tenant
"""
CIRCLE = {"tenants.py": TENANTS, "rents.py": RENTS, "leases.py": LEASES}
NAMES = (b"Lease", b"LISTED", b"FIELDS", b"offer", b"Tenant", b"nobody")


class Reading:
    """Reads files, and knows which."""

    def __init__(self) -> None:
        self.paths: list[str] = []

    def __call__(self, path: str, limit: int) -> bytes | None:
        self.paths.append(path)
        try:
            return Path(path).read_bytes()[:limit]
        except OSError:
            return None


def graph_of(folder: Path, reading: Reading | None = None) -> ModuleGraph:
    def search(data: bytes, _: object) -> list[int]:
        return [found.start() for found in re.finditer(b"gender", data)]

    return ModuleGraph(str(folder), PYTHON, reading or Reading(), search)


@pytest.fixture
def circle(tmp_path: Path) -> Path:
    for name, text in CIRCLE.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("order", [*permutations(CIRCLE)])
def test_questions_that_lead_in_circles_have_the_same_answers_in_every_order(
    circle: Path, order: tuple[str, ...]
) -> None:
    graph = graph_of(circle)
    said = {}
    for name in order:
        module = graph.module(str(circle / name))
        assert module is not None
        for word in NAMES:
            said[name, word] = (module.is_record(word), module.makes_rows(word), module.makes_model(word))
    assert said["rents.py", b"Lease"] == (True, False, False)  # of a tenant, who has a gender
    assert said["tenants.py", b"Lease"] == (True, False, False)
    assert said["leases.py", b"offer"] == (False, True, False)
    assert {said[name, b"nobody"] for name in CIRCLE} == {(False, False, False)}


@pytest.mark.parametrize("order", [*permutations(CIRCLE)])
def test_what_is_followed_in_a_circle_is_the_same_in_every_order(
    circle: Path, order: tuple[str, ...]
) -> None:
    def followed(graph: ModuleGraph, name: str) -> object:
        path = str(circle / name)
        data = (circle / name).read_bytes()
        graph.begin(data)
        return follow_imports(graph, path, data, graph.hits(path, data))

    graph = graph_of(circle)
    together = {name: followed(graph, name) for name in order}
    assert together == {name: followed(graph_of(circle), name) for name in CIRCLE}
    assert [name for name in CIRCLE if together[name]] == ["tenants.py", "rents.py"]  # others say nothing


def test_a_module_is_read_once_although_texts_are_forgotten(
    circle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module_graph, "MOST_KNOWN", 1)
    reading = Reading()
    graph = graph_of(circle, reading)
    for _ in range(3):
        graph.begin(b"import tenants")
        module = graph.module(str(circle / "tenants.py"))
        assert module is not None
        assert module.hits
        assert [one.module for one in module.imports] == ["rents", "leases"]
    assert reading.paths == [str(circle / "tenants.py")]
