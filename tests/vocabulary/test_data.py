import ast
import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import fairlint.vocabulary
from fairlint.vocabulary import default_vocabulary

VOCABULARY = default_vocabulary()
FOLDER = Path(fairlint.vocabulary.__file__).parent
ROOT = FOLDER.parent.parent
DOMAINS = {"hiring", "credit", "housing", "education", "health", "justice", "insurance", "public"}


def test_the_vocabulary_knows_nothing_of_the_rest_of_fairlint() -> None:
    for path in FOLDER.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, path
                names = [node.module or ""]
            for name in names:
                own = ("support", "vocabulary")
                allowed = tuple(f"fairlint.{package}" for package in own)
                assert not name.startswith("fairlint") or name.startswith(allowed), (path, name)


def test_importing_it_reads_no_data() -> None:
    code = "import sys, fairlint.vocabulary; print('tomllib' in sys.modules, 're2' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.split() == ["False", "False"]


def test_every_attribute_is_complete() -> None:
    for name, attribute in VOCABULARY.attributes.items():
        assert attribute.name == name
        assert attribute.title, name
        assert attribute.laws, name
        assert set(attribute.laws) <= {"us", "eu", "uk"}, name
        assert attribute.domains <= DOMAINS, name
        assert set(attribute.proxy_for) <= set(VOCABULARY.attributes), name
        assert bool(attribute.proxy_for) == (attribute.kind == "proxy"), name
        has_groups = attribute.kind != "proxy" and name != "demographics"  # which stands for several at once
        assert bool(attribute.core_groups) or not has_groups, name


def test_the_attributes_that_others_name_exist() -> None:
    expected = """gender race ethnicity age religion national_origin disability health genetic pregnancy
    marital_status
    family_status sexual_orientation veteran caste political union public_assistance skin_color
    parents_degree parents_income income_level insurance_status zip_code name language region school body
    employment_gap title arrest demographics"""
    assert set(expected.split()) <= set(VOCABULARY.attributes)


def test_the_ready_made_prefilter_follows_the_data() -> None:
    built = VOCABULARY.extended([]).prefilter_pattern()
    assert VOCABULARY.prefilter_pattern() == built


def test_an_unknown_attribute_is_a_key_error() -> None:
    with pytest.raises(KeyError):
        VOCABULARY.attribute("shoe_size")


def _benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location("identifiers", ROOT / "benchmarks" / "identifiers.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["identifiers"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("split", ["tune", "held"])
def test_identifiers_in_context_are_told_apart(split: str) -> None:
    benchmark = _benchmark()
    tally = benchmark.measure(split)
    assert tally.precision >= benchmark.FLOOR, tally.misses
    assert tally.recall >= benchmark.FLOOR, tally.misses


def test_the_list_of_identifiers_is_long_and_half_of_it_look_alikes() -> None:
    benchmark = _benchmark()
    tallies = [benchmark.measure(split) for split in benchmark.SPLITS]
    lines = sum(tally.lines for tally in tallies)
    assert lines >= 320
    assert 0.45 <= sum(tally.look_alikes for tally in tallies) / lines <= 0.55
