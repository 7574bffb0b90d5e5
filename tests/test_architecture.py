"""Which package may lean on which, and what a run may load. The plan is `docs/architecture.md`."""

from __future__ import annotations

import ast
import builtins
import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

import fairlint
from fairlint import detectors
from fairlint.checking.result_cache import USERS
from fairlint.syntax import SHIPPED

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "fairlint"

FLOORS = (
    "support",
    "vocabulary processes cache run_folders statistics rendering engines",
    "plugins laws daemon",
    "syntax",
    "findings search",
    "config project semantics",
    "analyses backends library_models rules sources",
    "detectors suppression",
    "checking",
    "fixes reporters",
    "__init__ bundle worker",
    "counterfactual",
    "bench mcp server testing",
    "fleet model_bias",
    "cli",
    "__main__",
)
"""The packages, from the ground up: each may import those on lower floors, and none on its own."""

NARROW: dict[tuple[str, str], str] = {
    ("bench", "sources"): "answers",
    ("detectors", "sources"): "",
    ("model_bias", "counterfactual"): "",
    ("rules", "vocabulary"): "model",
}
"""Where a package may import one module of another only; nothing at all where it is empty."""

NODES_ALLOWED = {"syntax", "semantics", "analyses", "detectors", "library_models"}
NODE_MODULES = {"tree", "lowering", "parser", "completeness"}
PLAIN = {
    "DataText",
    "Form",
    "Gap",
    "Span",
    "Tree",
    "is_outline",
    "returning_functions",
    "lacking_names",
    "bound_names",
}
"""What everybody may take from them: places, the tree as a closed box, whether a source is whole."""

THIRD_PARTY: dict[str, set[str]] = {
    "tree_sitter": {"syntax"},
    "tree_sitter_c": {"syntax"},
    "tree_sitter_python": {"syntax"},
    "re2": {"vocabulary", "sources"},
    "pluggy": {"plugins"},
    "sqlglot": {"analyses"},
    "yaml": {"fleet", "syntax"},
    "tqdm": {"cli"},
    "jinja2": {"backends", "bench", "counterfactual", "model_bias", "rendering"},
    "markupsafe": {"rendering"},
    "libcst": {"fixes"},
    "pygls": {"server"},
    "lsprotocol": {"server"},
    "watchfiles": {"cli"},
    "mcp": {"mcp"},
    "numpy": {"backends", "bench", "counterfactual", "statistics", "model_bias"},
    "matplotlib": {"bench", "counterfactual", "model_bias", "rendering"},
    "pandas": {"counterfactual"},
    "pyarrow": {"bench", "counterfactual"},
    "pydantic_monty": {"counterfactual"},
    "scipy": {"backends", "bench", "counterfactual", "statistics", "model_bias"},
    "sklearn": {"model_bias"},
    "concept_erasure": {"model_bias"},
    "peft": {"backends", "bench", "model_bias"},
    **{name: {"backends", "bench", "model_bias"} for name in ("huggingface_hub", "torch", "transformers")},
    **{
        name: {"backends", "bench", "run_folders"}
        for name in (
            "accelerate",
            "datasets",
            "filelock",
            "httpx2",
            "inspect_ai",
            "lm_eval",
            "openai",
            "platformdirs",
            "vllm",
        )
    },
}
"""Third-party package → where it may be imported. All others import the standard library alone."""

HEAVY = {
    "argparse", "asyncio", "concurrent.futures", "dataclasses", "email", "hypothesis",
    "importlib.metadata", "inspect", "jsonschema", "libcst", "logging", "multiprocessing", "numpy",
    "pandas", "pluggy", "pydoc", "rich", "socket", "ssl", "tomllib", "torch", "transformers",
    "unittest", "urllib.request", "xml.etree.ElementTree",
}  # fmt: skip
"""What no run over one small file may load. With `tomllib`, compiled data would not be used."""


@dataclass(frozen=True)
class Import:
    """One imported name."""

    place: str
    room: str
    module: tuple[str, ...]
    name: str


def module_of(path: Path) -> tuple[str, ...]:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[:-1] if parts[-1] == "__init__" and len(parts) > 2 else parts


def imports_of(path: Path) -> Iterator[Import]:
    room, file = module_of(path)[1], path.relative_to(ROOT).as_posix()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        place = f"{file}:{node.lineno}"
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(place, room, tuple(alias.name.split(".")), "")
        else:
            assert not node.level, f"{place}: imports name the whole path"
            module = tuple((node.module or "").split("."))
            for alias in node.names:
                if len(module) == 1 and module[0] == "fairlint":
                    yield Import(place, room, (*module, alias.name), "")
                else:
                    yield Import(place, room, module, alias.name)


MODULES = sorted(PACKAGE.rglob("*.py"))


@cache
def imports() -> list[Import]:
    return [found for path in MODULES for found in imports_of(path)]


def inner_imports() -> list[Import]:
    return [found for found in imports() if found.module[0] == "fairlint" and len(found.module) > 1]


FLOOR = {package: floor for floor, packages in enumerate(FLOORS) for package in packages.split()}


def target(found: Import) -> str:
    """The package of what is imported; `__init__` for a name of fairlint itself."""
    first = found.module[1]
    return first if first in FLOOR else "__init__"


def test_every_package_has_its_place_in_the_plan() -> None:
    assert {module_of(path)[1] for path in MODULES} == set(FLOOR)


def test_packages_import_only_what_is_on_lower_floors() -> None:
    wrong = [
        f"{found.place}: {found.room} → {'.'.join(found.module)}"
        for found in inner_imports()
        if target(found) != found.room and FLOOR[target(found)] >= FLOOR[found.room]
    ]
    assert wrong == []


def test_some_packages_take_one_module_of_another_only() -> None:
    wrong = [
        f"{found.place}: {found.room} → {'.'.join(found.module)}"
        for found in inner_imports()
        if (only := NARROW.get((found.room, target(found)))) is not None
        and only not in (*found.module[2:], found.name)
    ]
    assert wrong == []


def test_syntax_nodes_stay_behind_the_detectors() -> None:
    wrong = [
        f"{found.place}: {found.room} imports {found.name or '.'.join(found.module)}"
        for found in inner_imports()
        if target(found) == "syntax" and found.room not in NODES_ALLOWED
        if not NODE_MODULES.isdisjoint((*found.module[2:], found.name)) and found.name not in PLAIN
    ]
    assert wrong == []


def test_third_party_packages_stay_in_their_places() -> None:
    wrong = [
        f"{found.place}: {found.module[0]}"
        for found in imports()
        if found.module[0] not in sys.stdlib_module_names | {"fairlint"}
        and found.room not in THIRD_PARTY.get(found.module[0], set())
    ]
    assert wrong == []


def circles() -> set[frozenset[str]]:
    """Modules that import each other, be it inside functions, in the largest sets that do."""
    names = {".".join(module_of(path)): path for path in MODULES}
    edges: dict[str, set[str]] = {name: set() for name in names}
    for name, path in names.items():
        for found in run_time_imports(path):
            edges[name].update({found} & names.keys() - {name})
    reached = {name: reach(name, edges) for name in names}
    alike = {
        frozenset({name} | {other for other in reached[name] if name in reached[other]}) for name in names
    }
    return {circle for circle in alike if len(circle) > 1}


def reach(name: str, edges: dict[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    stack = [name]
    while stack:
        for other in edges[stack.pop()] - seen:
            seen.add(other)
            stack.append(other)
    return seen


def run_time_imports(path: Path) -> Iterator[str]:
    """The modules that a module imports when it runs: what only type checkers see is left out."""
    stack: list[ast.AST] = [ast.parse(path.read_bytes())]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            stack.extend(node.orelse)
            continue
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:  # a module of a package, or a name in a module
                inner = ROOT.joinpath(*node.module.split("."), alias.name)
                is_module = inner.is_dir() or inner.with_suffix(".py").exists()
                yield f"{node.module}.{alias.name}" if is_module else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        stack.extend(ast.iter_child_nodes(node))


def test_modules_do_not_import_each_other_in_a_circle() -> None:
    assert circles() == set()


def test_checking_code_never_imports_the_bench() -> None:
    allowed = ("fairlint/bench/", "fairlint/cli/bench", "fairlint/cli/model", "fairlint/model_bias/")
    assert [
        found.place
        for found in inner_imports()
        if target(found) == "bench" and not found.place.startswith(allowed)
    ] == []


OWN_TREE = {
    "calling", "chance", "definitions", "executors/answers", "executors/monty_gaps", "literals",
    "odd_functions", "own_code/functions", "own_code/running", "record_reads", "signatures", "trial_people",
    "value_flow", "value_reads",
}  # fmt: skip
"""Modules of `counterfactual` that read programs in Python's own tree. Whatever can be guessed, the evaluator
knows."""
MOST_OF_OWN_TREE = 2_980
"""Lines of them together: a second reading of Python does not grow."""
OWN_SCOPES = {"syntax/python/own_parser"}


def imports_module(path: Path, name: str) -> bool:
    return any(found.module == (name,) for found in imports_of(path))


def test_python_is_read_a_second_time_in_few_modules_only() -> None:
    folder = PACKAGE / "counterfactual"
    found = [path for path in sorted(folder.rglob("*.py")) if imports_module(path, "ast")]
    assert {path.relative_to(folder).with_suffix("").as_posix() for path in found} == OWN_TREE
    assert sum(len(path.read_text("utf-8").splitlines()) for path in found) <= MOST_OF_OWN_TREE


def test_scopes_are_those_of_pythons_own_compiler() -> None:
    asking = [path for path in MODULES if imports_module(path, "symtable")]
    assert {path.relative_to(PACKAGE).with_suffix("").as_posix() for path in asking} == OWN_SCOPES


def test_methods_of_texts_are_said_once() -> None:
    """A table of what a text's methods answer, other than the shared one, holds two of them at least."""
    tables = [
        (path.relative_to(PACKAGE).as_posix(), ast.unparse(node))
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.Dict)
    ]
    answers = {place for place, table in tables if table.count(": str.") > 1}
    assert answers == {"syntax/text_methods.py"}


MOST_COMPLEX = 25


def complexity(function: ast.AST) -> int:
    """The ways through a function: branches, loops, handlers, `and` and `or`, as radon counts them."""
    ways = 1
    stack = [*ast.iter_child_nodes(function)]
    while stack:
        node = stack.pop()
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                continue
            case ast.If() | ast.IfExp() | ast.Assert() | ast.ExceptHandler() | ast.match_case():
                ways += 1
            case ast.For() | ast.While() | ast.AsyncFor():
                ways += 1 + bool(node.orelse)
            case ast.comprehension():
                ways += 1 + len(node.ifs)
            case ast.BoolOp():
                ways += len(node.values) - 1
        stack += ast.iter_child_nodes(node)
    return ways


def test_no_function_is_too_complex() -> None:
    functions = (
        (path, node)
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    counted = ((complexity(node), f"{path.relative_to(ROOT)}: {node.name}") for path, node in functions)
    assert sorted(found for found in counted if found[0] > MOST_COMPLEX) == []


PARTICULARS = {"None", "NULL", "nullptr"} | {
    word
    for language in SHIPPED
    for conventions in (language.conventions,)
    for word in (
        *(language.name, *language.suffixes, conventions.constructor, conventions.main),
        *(*conventions.receivers, *conventions.parents, *conventions.static, *conventions.of_class),
    )
    if word
}
"""What a language's record is for: its name, and what code in it calls things."""
NO_PARTICULARS = {
    "bench/judging/decisions.py": "what is run is Python",
    "bench/suites/pipelines": "pipelines are asked for in Python",
    "bench/suites/faircode_testcase.py": "forms of a question, which are called after languages",
    "vocabulary/words.py": "letters without case are of the kind `c`",
    "library_models/": "Python's own functions; and a key that files of models may have",
    "bench/evaluating.py": "fairlint itself is Python",
    "daemon/stamps.py": "fairlint itself is Python",
    "counterfactual/": "what is run is Python",
    "project/related_files.py": "models are trained in Python, whatever asks them",
    "vocabulary/load.py": "the same",
    "support/records.py": "the same",
    "analyses/sql/": "SQL has a NULL",
    "analyses/test_records/texts.py": "JSON is read as Python's literals",
    "semantics/names/known_calls.py": "a key that files of models may have",
    "semantics/names/library.py": "the same",
}
"""Where such words mean something else."""


def particulars(path: Path) -> Iterator[tuple[str, str]]:
    """What a module says of one language: words of its own, and its record by name."""
    place = path.relative_to(PACKAGE).as_posix() if path.is_relative_to(PACKAGE) else path.name
    for node in ast.walk(ast.parse(path.read_bytes())):
        match node:
            case ast.Constant(value=bytes() as raw):
                word = raw.decode("latin-1")
            case ast.Constant(value=str() as text):
                word = text
            case ast.ImportFrom(module="fairlint.syntax.python" | "fairlint.syntax.c" as module):
                word = module
            case ast.Attribute(attr="stdlib_module_names" as word):
                pass
            case _:
                continue
        if word in PARTICULARS or not isinstance(node, ast.Constant):
            yield place, f"{place}:{node.lineno}: {word}"


@cache
def all_particulars() -> list[tuple[str, str]]:
    return [found for path in MODULES for found in particulars(path)]


def test_only_syntax_knows_one_language_from_another() -> None:
    allowed = ("syntax/", *NO_PARTICULARS)
    assert [where for place, where in all_particulars() if not place.startswith(allowed)] == []


def test_no_leave_to_name_a_language_is_left_over() -> None:
    assert [
        place
        for place in NO_PARTICULARS
        if not any(found.startswith(place) for found, _ in all_particulars())
    ] == []


@pytest.mark.parametrize(
    "code",
    [
        "if source.language == 'python': pass",
        "match node:\n    case Name(id='self' | 'cls'): pass",
        "NULLS = {'NULL', 'nan'}",
        "from fairlint.syntax.c import C",
        "starts = word == b'super()'",
    ],
)
def test_a_question_for_one_language_is_seen(tmp_path: Path, code: str) -> None:
    path = tmp_path / "asks.py"
    path.write_text(code)
    assert [place for place, _ in particulars(path)][:1] == ["asks.py"]


def test_every_detector_has_a_test_file_of_its_name() -> None:
    modules = {
        observe.__module__.rpartition(".")[2]
        for detector in detectors.SHIPPED
        for observe in (detector.observe_site, detector.observe_file)
        if observe is not None
    }
    folder = ROOT / "tests" / "detectors"
    assert [name for name in sorted(modules) if not (folder / f"test_{name}.py").exists()] == []


CODE_NAMES = {"Field": "name", "Name": "id"}
"""Nodes that say what code calls something, and where."""
NAME_HOLDERS = ("name", "id", "called", "method", "function")
"""Variables that hold such a name, by the last word of theirs."""
OF_PYTHON = {name for kind in (builtins, str, list, dict, set, object) for name in dir(kind)}
"""What Python itself calls things: no library says what these do."""
NAMES_LEFT = {
    "detectors/encodings.py": "alias withColumn",
    "detectors/feature_classes.py": "call forward transform",
    "detectors/around_models.py": "fit",
    "detectors/kept_columns.py": "drop select",
    "detectors/learnt_columns.py": "drop",
    "detectors/query_purpose.py": "execute",
    "analyses/assumptions/encoders.py": "Categorical apply as_ordered astype codes defaultdict "
    "reorder_categories set_categories",
    "analyses/assumptions/encodings.py": "value",
    "analyses/assumptions/inferred_groups.py": "loc",
    "analyses/assumptions/ordinal_encodings.py": "NA NaN nan",
    "semantics/interpreter/access.py": "cat name tm_year value year",
    "semantics/interpreter/calls.py": "total_seconds year",
    "semantics/interpreter/orm.py": "F asc col column desc",
    "semantics/interpreter/selections.py": "_default_manager delete objects query",
    "semantics/interpreter/stored_values.py": "loc",
    "semantics/tables/chained.py": "iloc loc",
    "semantics/tables/gradients.py": "T",
    "semantics/tables/table_access.py": "iloc",
    "semantics/tables/table_assignments.py": "at loc",
    "semantics/tables/table_functions.py": "iloc loc",
    "semantics/tables/table_methods.py": "alias",
}
"""Names of libraries that no model says yet, and why: docs/architecture.md, "Libraries"."""


def library_names(path: Path) -> Iterator[tuple[str, str]]:
    """The names of functions, methods and fields that a module compares with what code calls things."""
    place = path.relative_to(PACKAGE).as_posix() if path.is_relative_to(PACKAGE) else path.name
    for node in ast.walk(ast.parse(path.read_bytes())):
        asked: list[ast.AST] = []
        match node:
            case ast.MatchClass(cls=ast.Attribute(attr=kind)) if kind in CODE_NAMES:
                pairs = zip(node.kwd_attrs, node.kwd_patterns, strict=True)
                asked = [pattern for attr, pattern in pairs if attr == CODE_NAMES[kind]]
            case ast.Compare(left=left, comparators=comparators) if _holds_name(left):
                asked = [one for one in comparators if isinstance(one, ast.Constant | ast.Set | ast.Tuple)]
            case _:
                pass
        for part in (inner for one in asked for inner in ast.walk(one)):
            if isinstance(part, ast.Constant) and isinstance(part.value, str) and part.value.isidentifier():
                yield place, part.value


def _holds_name(node: ast.expr) -> bool:
    match node:
        case ast.Attribute(attr="name" | "id", value=ast.Name(id=owner) | ast.Attribute(attr=owner)):
            return owner not in {"attribute", "clause", "context"}
        case ast.Name(id=name):
            return name.split("_")[-1] in NAME_HOLDERS
        case ast.Call(func=ast.Name(id="last_name" | "dotted_name")):
            return True
        case ast.Subscript(value=ast.Call(func=ast.Attribute(attr="rpartition"))):
            return True
        case _:
            return False


def test_what_libraries_call_things_is_said_by_models() -> None:
    own = OF_PYTHON | {"_", "age", "return"}
    found = {
        (place, name)
        for folder in ("semantics", "detectors", "analyses")
        for path in sorted((PACKAGE / folder).rglob("*.py"))
        for place, name in library_names(path)
        if name not in own
    }
    left = {(place, name) for place, names in NAMES_LEFT.items() for name in names.split()}
    assert sorted(found - left) == []


@pytest.mark.parametrize(
    "code",
    [
        "match node:\n    case tree.Call(function=tree.Field(name='fillna' | 'dropna')): pass",
        "is_one = last_name(call.function) == 'fillna'",
        "is_one = node.function.name in {'fillna', 'dropna'}",
        "is_one = called.rpartition('.')[2] == 'fillna'",
        "is_one = method_name == 'fillna'",
    ],
)
def test_a_library_name_in_code_is_seen(tmp_path: Path, code: str) -> None:
    path = tmp_path / "asks.py"
    path.write_text(code)
    assert ("asks.py", "fillna") in library_names(path)


UNFAIR = """\
def rate_applicant(applicant):
    score = applicant.years_experience
    if applicant.gender == "male":
        score += 5
    return score
"""


def loaded_by(folder: Path, *arguments: str) -> set[str]:
    """The modules that a run of the command line has loaded when it ends."""
    code = (
        "import sys; before = set(sys.modules); from fairlint.cli import main; main(sys.argv[1:]);"
        "after = set(sys.modules) - before; import json; print('\\0' + json.dumps(sorted(after)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "--isolated", *arguments],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(done.stdout.rpartition("\0")[2]))


@pytest.fixture(scope="module", autouse=True)
def compiled_data(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The first run after a change compiles the data, for which it has to load more than others."""
    folder = tmp_path_factory.mktemp("first_run")
    (folder / "rate.py").write_text(UNFAIR)
    loaded_by(folder, "rate.py")


def test_a_run_without_a_configuration_loads_nothing_that_reads_one(tmp_path: Path) -> None:
    (tmp_path / "rate.py").write_text("x = 1\n")
    loaded = loaded_by(tmp_path, "rate.py")
    assert "fairlint.config.configurations" in loaded
    assert loaded.isdisjoint(
        {
            "fairlint.config.table",
            "fairlint.config.reading",
            "fairlint.config.toml_files",
            "pathlib",
            "tomllib",
        }
    )


@pytest.mark.parametrize("format_", ["text", "concise", "json", "sarif", "github", "markdown"])
def test_a_run_with_findings_loads_nothing_heavy(tmp_path: Path, format_: str) -> None:
    (tmp_path / "rate.py").write_text(UNFAIR)
    loaded = loaded_by(tmp_path, "--format", format_, "rate.py")
    assert {"fairlint.detectors", "tree_sitter"} <= loaded
    assert loaded & HEAVY == set()


def test_a_run_with_findings_loads_no_module_for_what_it_does_not_meet(tmp_path: Path) -> None:
    (tmp_path / "rate.py").write_text(UNFAIR)
    loaded = loaded_by(tmp_path, "--no-cache", "rate.py")
    assert "fairlint.findings.deduplication" in loaded
    rare = {
        "fairlint.checking.result_cache",
        "fairlint.project.requirement_files",
        "json",
        "pathlib",
        "threading",
        "urllib",
    }
    assert loaded.isdisjoint(rare)


SYNTAX_RECORDS = {
    "fairlint.syntax",
    "fairlint.syntax.c",
    "fairlint.syntax.c.tokens",
    "fairlint.syntax.conventions",
    "fairlint.syntax.language",
    "fairlint.syntax.python",
    "fairlint.syntax.python.intact",
    "fairlint.syntax.python.tokens",
    "fairlint.syntax.registry",
    "fairlint.syntax.source",
    "fairlint.syntax.tokens",
}
"""What says which languages there are, how their comments and texts look, and asks Python for errors."""


def test_a_file_without_a_protected_word_is_never_parsed(tmp_path: Path) -> None:
    (tmp_path / "area.py").write_text("def area(width, height):\n    return width * height\n")
    loaded = loaded_by(tmp_path, "area.py")
    assert not {name for name in loaded if name.startswith(("tree_sitter", "fairlint.syntax.tree"))}
    assert {name for name in loaded if name.startswith("fairlint.syntax")} <= SYNTAX_RECORDS
    assert not loaded & (HEAVY | {"fairlint.detectors", "fairlint.rules.rule"})


def test_importing_fairlint_loads_nothing() -> None:
    code = (
        "import sys; before = set(sys.modules); import fairlint;"
        "print(sorted(set(sys.modules) - before - {'__future__'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['fairlint']"


def test_plain_names_are_exported_lazily_and_all_exist() -> None:

    assert set(fairlint.__all__) <= set(dir(fairlint))
    for name in fairlint.__all__:
        assert getattr(fairlint, name) is not None


ANALYSIS = {
    "analyses", "checking/finding_builder", "checking/parsing", "detectors",
    "findings/deduplication", "findings/fingerprints", "findings/identity", "search/function_outline",
    "project/links", "project/module_graph", "project/module_index", "project/related_files",
    "project/template_files", "search/name_uses", "semantics", "suppression/comments", "syntax",
}  # fmt: skip
"""What is given bytes and looks at no file."""
LOOKING = {
    "exists", "getenv", "glob", "isdir", "isfile", "iterdir", "lexists", "listdir", "lstat", "open",
    "read_bytes", "read_file", "read_text", "rglob", "scandir", "stat",
}  # fmt: skip
"""What looks at files. A result that is kept would not know that it hangs on what was seen."""


WRITING_METHODS = frozenset({
    "write_text", "write_bytes", "touch", "rename", "symlink_to", "hardlink_to", "save_pretrained",
    "to_csv", "to_parquet", "to_json", "write_table",
})  # fmt: skip
WRITING_FUNCTIONS = frozenset({
    "os.open", "os.replace", "os.rename", "os.link", "os.symlink", "os.truncate", "shutil.copy",
    "shutil.copy2", "shutil.copyfile", "shutil.copytree", "shutil.move", "tempfile.mkstemp",
    "tempfile.NamedTemporaryFile", "tempfile.mktemp", "torch.save",
})  # fmt: skip
WRITERS = {
    "fairlint/support/whole_files.py": "the one way to write a file",
    "fairlint/analyses/sql/reading.py": "puts a node of a query in another's place",
    "fairlint/__main__.py": "opens the null device where a stream is closed",
    "fairlint/support/git.py": "makes a folder of its own for git to look at",
    "fairlint/daemon/client.py": "opens the current folder and the null device",
    "fairlint/daemon/server.py": "opens the lock of its socket, which stays empty",
    "fairlint/support/files.py": "opens to read",
    "fairlint/run_folders/jsonl.py": "adds lines to what a run has, and follows no link",
    "fairlint/run_folders/made_beside.py": "moves what was made beside its place there",
    "fairlint/fleet/jobs.py": "moves files of a repository to where other workers see them",
    "fairlint/fleet/parts.py": "pyarrow writes into a folder that whole_files made",
    "fairlint/bench/exporting/parquet.py": "pyarrow writes into a folder that was made for it",
    "fairlint/backends/shipped.py": "transformers writes into a folder of a random name",
    "fairlint/run_folders/run_folder.py": "opens a folder to bring its names to the disk",
    "fairlint/cli/output.py": "opens the null device",
    "fairlint/support/downloads.py": "goes on with a download, under a random name",
    "fairlint/counterfactual/executors/child.py": "opens the null device",
    "fairlint/counterfactual/executors/confinement.py": "opens folders for Landlock",
    "fairlint/model_bias/distribution/adapters.py": "peft writes into a folder that whole_files made",
    "fairlint/model_bias/distribution/tensor_files.py": "torch writes to a file that whole_files opened",
}
"""Modules that may write otherwise, or that only look like it, each with its reason."""


def test_kept_results_leave_no_package_out_that_makes_them() -> None:
    floors = [floor.split() for floor in FLOORS]
    checking = next(number for number, floor in enumerate(floors) if "checking" in floor)

    assert {package for floor in floors[checking + 1 :] for package in floor} >= USERS
    assert all((PACKAGE / package).is_dir() for package in USERS)


def _writes(node: ast.Call) -> bool:
    """Whether a call may write a file by another way than `whole_files`."""
    written = ast.unparse(node.func)
    modes = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg == "mode")]
    opens = written == "open" or (isinstance(node.func, ast.Attribute) and node.func.attr == "open")
    if opens and any(
        isinstance(mode, ast.Constant) and isinstance(mode.value, str) and set(mode.value) <= set("rwxabt+")
        and set(mode.value) & set("wxa+")
        for mode in modes
    ):  # fmt: skip
        return True
    if written in WRITING_FUNCTIONS:
        return True
    if not isinstance(node.func, ast.Attribute) or written.startswith(
        ("whole_files.", "run.", "folder.", "self.")
    ):
        return False
    moves = node.func.attr == "replace" and len(node.args) == 1 and not node.keywords  # a text's has two
    return moves or node.func.attr in WRITING_METHODS


def test_files_are_written_in_one_way() -> None:
    found = {
        path.relative_to(ROOT).as_posix()
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.Call) and _writes(node)
    }
    assert sorted(found - set(WRITERS)) == []
    assert sorted(set(WRITERS) - found) == [], "leave to write that nobody needs"


@pytest.mark.parametrize(
    "code",
    [
        "open(path, 'w')", "path.open('ab')", "open(path, mode='x')", "path.write_text(text)",
        "os.replace(a, b)", "os.open(path, flags)", "shutil.copy(a, b)", "tempfile.NamedTemporaryFile()",
        "frame.to_csv(path)", "path.replace(target)",
    ],
)  # fmt: skip
def test_another_way_to_write_is_seen(code: str) -> None:
    call = ast.parse(code, mode="eval").body
    assert isinstance(call, ast.Call)
    assert _writes(call)


def test_the_analysis_looks_at_files_by_what_it_is_given_alone() -> None:
    wrong = []
    for path in MODULES:
        if not path.relative_to(PACKAGE).with_suffix("").as_posix().startswith(tuple(sorted(ANALYSIS))):
            continue
        for node in ast.walk(ast.parse(path.read_bytes())):
            if not isinstance(node, ast.Call):
                continue
            name = ast.unparse(node.func)
            owner, _, called = name.rpartition(".")
            if called in LOOKING and owner in {"", "os", "os.path", "Path"}:
                wrong.append(f"{path.relative_to(ROOT)}:{node.lineno} {name}")
    assert wrong == []
