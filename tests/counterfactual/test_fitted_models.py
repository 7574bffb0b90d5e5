"""`fairlint counterfactual model.joblib`: fitted models, loaded and asked in a process of their own."""

from __future__ import annotations

import importlib
import json
import pickle
from pathlib import Path
from typing import Any

import joblib
import numpy
import pandas
import pytest
from python_executor import needs_process
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from fairlint import UsageError
from fairlint.cli import main
from fairlint.counterfactual.executors import frames
from fairlint.counterfactual.loading import load
from fairlint.counterfactual.models import facts_of_object
from fairlint.counterfactual.population import Cell, Population
from fairlint.testing import assert_counterfactual_fair

pytestmark = needs_process
HOW = ("--executor", "process", "--packages")
PEOPLE = "income,gender,race\n20,male,White\n20,female,Black\n40,male,White\n40,female,White\n"
DATA = """\
[columns]
income = { type = "number" }
gender = { attribute = "gender", values = ["male", "female"] }
race = { attribute = "race", values = ["White", "Black"] }
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "people.csv").write_text(PEOPLE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def german() -> Population:
    return load("german", ages="numbers")


def frame_of(population: Population, rows: Any = None) -> pandas.DataFrame:
    return pandas.DataFrame(rows or population.rows, columns=[one.name for one in population.columns])


@pytest.fixture(scope="module")
def model(german: Population) -> Any:
    people = frame_of(german)
    texts = [one.name for one in german.columns if isinstance(one.values[0], str)]
    numbers = [one.name for one in german.columns if one.name not in texts]
    assert german.favourable is not None
    coded = make_column_transformer((OneHotEncoder(), texts), (StandardScaler(), numbers))
    return make_pipeline(coded, LogisticRegression()).fit(people, numpy.array(german.favourable) > 0)


def plain_cip(model: Any, population: Population, name: str) -> float:
    """The share of people for whom some other value changes the prediction, the slow way."""
    people = frame_of(population)
    own = model.predict(people)
    changed = numpy.zeros(len(people), dtype=bool)
    column = next(one for one in population.columns if one.name == name)
    for value in column.values:
        changed |= model.predict(people.assign(**{name: value})) != own
    weights = numpy.array(population.weights)
    return float(weights[changed].sum() / weights.sum())


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, Any]:
    code = main(["counterfactual", *arguments, *HOW, "--format", "json"])
    out, err = capsys.readouterr()
    assert not err
    return code, json.loads(out)


@pytest.mark.usefixtures("folder")
def test_a_pipeline_is_measured_as_it_predicts(
    model: Any, german: Population, capsys: pytest.CaptureFixture[str]
) -> None:
    joblib.dump(model, "model.joblib", compress=3)
    _, document = told(capsys, "model.joblib", "--data", "german")
    assert document["executable"] is True
    assert (document["function"], document["line"], document["findings"]) == ("predict", None, [])
    for name in ("sex", "age"):
        assert document["rates"][name]["cip"] == plain_cip(model, german, name)
        assert document["rates"][name]["proved"] is False
    assert document["rates"]["sex"]["cip"] > 0


def small(*columns: str) -> Any:
    """Says yes to incomes above about 30, or to men where it was taught gender."""
    people = pandas.DataFrame({"income": [20, 20, 40, 40], "gender": ["female", "female", "male", "male"]})
    if columns == ("income",):
        return LogisticRegression().fit(people[["income"]], [0, 0, 1, 1])
    coded = make_column_transformer((OneHotEncoder(), ["gender"]))
    return make_pipeline(coded, LogisticRegression()).fit(people, ["no", "no", "yes", "yes"])


@pytest.mark.usefixtures("folder")
def test_columns_that_a_model_does_not_take_are_proved_alike(capsys: pytest.CaptureFixture[str]) -> None:
    # it was taught income and gender, and looks at gender alone: so everybody changes, and race cannot
    Path("model.pkl").write_bytes(pickle.dumps(small("income", "gender")))
    code, document = told(capsys, "model.pkl", "--data", "people.csv")
    assert code == 1
    rates = document["rates"]
    assert {name: (one["cip"], one["proved"]) for name, one in rates.items()} == {
        "gender": (1.0, False),
        "race": (0.0, True),
    }


@pytest.mark.usefixtures("folder")
def test_probabilities_and_several_processors(capsys: pytest.CaptureFixture[str]) -> None:
    people = numpy.array([[20, 0], [20, 1], [40, 0], [40, 1]])
    forest = RandomForestClassifier(8, n_jobs=4, random_state=0).fit(people, [0, 1, 0, 1])
    joblib.dump(forest, "model.joblib")  # taught an array: no names, two columns in their order
    Path("coded.csv").write_text("income,gender\n20,0\n20,1\n40,0\n40,1\n")
    Path("coded.toml").write_text('[columns.gender]\nattribute = "gender"\n')
    data = ("--data", "coded.csv", "--data-config", "coded.toml")
    code, document = told(capsys, "model.joblib:predict_proba", *data)
    assert (code, document["rates"]["gender"]["cip"]) == (1, 1.0)
    assert document["measured"]["outcomes"][0]["kind"] == "list"


@pytest.mark.usefixtures("folder")
def test_a_value_that_a_model_was_never_taught_is_no_outcome(capsys: pytest.CaptureFixture[str]) -> None:
    Path("more.csv").write_text(PEOPLE + "40,diverse,White\n")
    Path("model.pkl").write_bytes(pickle.dumps(small("income", "gender")))
    _, document = told(capsys, "model.pkl", "--data", "more.csv")
    assert document["measured"]["answered"] == 4
    assert "diverse" in document["raised"]["ValueError"]
    assert "The model was never taught 'diverse' of gender." in document["data"]["notes"]


@pytest.mark.usefixtures("folder")
def test_onnx(capsys: pytest.CaptureFixture[str]) -> None:
    convert = importlib.import_module("skl2onnx").convert_sklearn
    types = importlib.import_module("skl2onnx.common.data_types")
    inputs = [("income", types.Int64TensorType([None, 1])), ("gender", types.StringTensorType([None, 1]))]
    graph = convert(small("income", "gender"), initial_types=inputs)
    Path("model.onnx").write_bytes(graph.SerializeToString())
    code, document = told(capsys, "model.onnx", "--data", "people.csv")
    rates = document["rates"]
    assert (code, rates["gender"]["cip"], rates["race"]["proved"]) == (1, 1.0, True)


class Unknown:
    """Nothing that a model is."""


def write(path: str, model: object) -> None:
    Path(path).write_bytes(model if isinstance(model, bytes) else pickle.dumps(model))


@pytest.mark.parametrize(
    ("place", "model", "said"),
    [
        ("nowhere.pkl", None, "nowhere.pkl"),
        ("model.pkl", b"no pickle", "is no model that joblib or pickle saved"),
        ("model.onnx", b"no graph", "is no ONNX model that can be run"),
        ("model.pkl", {"model": 1}, "holds dict, which has no predict, so it is no fitted model"),
        ("model.pkl:guess", small("income", "gender"), "holds Pipeline, which has no guess (it has predict"),
        ("model.pkl:predict proba", None, "names no method"),
        ("model.pkl", b"cnot_there_at_all\nModel\n.", "needs not_there_at_all, which is not installed"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_what_is_wrong_is_one_line(
    place: str, model: object, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if model is not None:
        write(place.partition(":")[0], model)
    code = main(["counterfactual", place, "--data", "people.csv", *HOW])
    out, err = capsys.readouterr()
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("how", [(), ("--executor", "process")])
@pytest.mark.usefixtures("folder")
def test_to_load_a_model_is_asked_for(how: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    write("model.pkl", small("income", "gender"))
    assert main(["counterfactual", "model.pkl", "--data", "people.csv", *how]) == 2
    assert "--executor process --packages" in capsys.readouterr().err


class Hostile:
    """Writes a file when it is loaded."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return (exec, (f"open({self.path!r}, 'w').write('loaded')",))


def test_what_a_pickle_runs_stays_in_its_process(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("model.pkl", Hostile(str(folder / "loaded.txt")))
    assert main(["counterfactual", "model.pkl", "--data", "people.csv", *HOW]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (folder / "loaded.txt").exists()


# --------------------------------------------------------------------------------------- in one's own tests


def test_an_assertion_about_a_fitted_model(model: Any, german: Population) -> None:
    with pytest.raises(AssertionError, match="another sex changes the outcome of") as raised:
        assert_counterfactual_fair(model.predict, german, "sex")
    assert "for instance" in str(raised.value)
    measured = assert_counterfactual_fair(model.predict, german, "sex", threshold=0.5)
    assert measured.attributes[0].cip.value == plain_cip(model, german, "sex")


def test_an_assertion_about_a_model_that_lacks_the_column() -> None:
    people: list[dict[str, Cell]] = [{"income": 20, "gender": "male"}, {"income": 40, "gender": "female"}]
    measured = assert_counterfactual_fair(small("income").predict, people, "gender")
    assert measured.attributes[0].proved
    with pytest.raises(UsageError, match="LogisticRegression: takes 'income', which is no column"):
        assert_counterfactual_fair(small("income").predict, [{"gender": "male"}], "gender")


def coded_by_others() -> Any:
    """Lets what it does not know pass in silence: it would say that gender changes nothing."""
    encoder = OneHotEncoder(handle_unknown="ignore")
    return make_pipeline(encoder, LogisticRegression()).fit(
        pandas.DataFrame({"gender": ["A91", "A92"]}), [0, 1]
    )


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (small("income"), "LogisticRegression: takes 'income', which is no column of the given people"),
        (LogisticRegression().fit([[1.0], [2.0]], [0, 1]), "takes 1 column without a name, and the given"),
        (
            coded_by_others(),
            "was taught 'A91', 'A92' of 'gender', and column 'gender' of the given people has none of these",
        ),
        (
            LogisticRegression().fit(pandas.DataFrame({"gender": [0, 1], "sex": [0, 1]}), [0, 1]),
            "takes 'gender' and 'sex', which are both column 'gender'",
        ),
    ],
)
def test_models_that_take_what_people_lack(model: Any, said: str) -> None:
    people: list[dict[str, Cell]] = [{"salary": 20, "gender": "male"}, {"salary": 40, "gender": "female"}]
    with pytest.raises(UsageError) as raised:
        assert_counterfactual_fair(model.predict, people, "gender")
    assert said in str(raised.value)


# -------------------------------------------------------------------------------------------------- frames


def test_rows_that_a_model_refuses_are_found_one_by_one() -> None:
    calls = []

    def predict(frame: pandas.DataFrame) -> Any:
        calls.append(len(frame))
        if frame["sex"].eq("x").any():
            raise ValueError("unknown sex")
        if (frame["age"].eq(7) & frame["sex"].eq("f")).any():
            raise KeyError(7)
        return frame["age"] > 3

    sexes, ages = ["m", "f", "x"], list(range(10))
    rows = [(sex, age) for sex in range(3) for age in range(10)] * 20
    columns = [(sexes, [one for one, _ in rows]), (ages, [one for _, one in rows])]
    found = frames.outcomes(predict, ["sex", "age"], columns, len(rows))
    for (sex, age), (value, error) in zip(rows, found, strict=True):
        if sexes[sex] == "x":
            assert str(error) == "unknown sex"
        elif (sexes[sex], age) == ("f", 7):
            assert isinstance(error, KeyError)
        else:
            assert (value, error) == (age > 3, None)
    assert len(calls) < len(rows)


def test_too_few_outcomes_are_no_outcomes() -> None:
    found = frames.outcomes(lambda _: [1], ["age"], [([1, 2], [0, 1, 0])], 3)
    assert [value for value, _ in found] == [1, 1, 1]  # each alone gets one, three together do not
    found = frames.outcomes(lambda _: 1, ["age"], [([1, 2], [0, 1, 0])], 3)
    assert {str(error) for _, error in found} == {"gives no list but int for 1 people"}


def test_numbers_are_compared_without_their_last_digits() -> None:
    assert frames.values_of(numpy.array([0.1 + 0.2, 1e9 / 3]), 2) == [0.3, 333333333.0]
    assert frames.values_of(numpy.array([[0.25, 1 / 3]], dtype="float32"), 1) == [[0.25, 0.33333]]
    assert frames.values_of([{"a": numpy.float64(0.5)}], 1) == [{"a": 0.5}]


def test_what_a_model_says_of_itself(model: Any, german: Population) -> None:
    facts = facts_of_object(model, "predict")
    assert facts.names == tuple(one.name for one in german.columns)
    assert facts.categories["sex"] == ("female", "male")
    assert facts_of_object(LogisticRegression().fit([[1, 2], [3, 4]], [0, 1]), "predict").count == 2
