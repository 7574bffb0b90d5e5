"""Cells for other programs that ask models, and the answers that these give back.

| form | what is written | what is read back | with probabilities |
|---|---|---|---|
| `csv` | key, prompt, an empty answer | the same file with answers | columns as `p(yes)` |
| `promptfoo` | a configuration with a test a cell | its results as JSON | not written |
| `inspect` | a data set of JSON lines | its log as JSON | `--top-logprobs 20` |
| `lm-eval` | a task with its data beside it | its samples as JSON lines | multiple choice |
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from fairlint.backends.requests import Request, chat, key_of
from fairlint.backends.server_answers import BrokenError
from fairlint.backends.server_scoring import Known, begun_probabilities
from fairlint.counterfactual.prompts.answers_read import Form
from fairlint.counterfactual.prompts.cells import Cell
from fairlint.run_folders.record_shapes import LOGARITHMS
from fairlint.support.documents import read_json
from fairlint.support.errors import UsageError
from fairlint.support.files import NotReadableError, read_file
from fairlint.support.shapes import fault_of

LARGEST_IMPORT = 512 << 20
"""Bytes of a file of answers."""
Pairs = Sequence[tuple[Request, Cell]]


def exported_files(pairs: Pairs, form: str, path: str, answers: Form) -> dict[str, str]:
    """Return the files that hold the cells for another program, by their paths.

    Raises UsageError for probabilities from a program that keeps none.
    """
    if form == "promptfoo" and any(request.allowed for request, _ in pairs):
        raise UsageError(
            "promptfoo keeps the probabilities of one answer only: leave --logprobs out, or export to csv, "
            "inspect or lm-eval"
        )
    return dict(_WRITERS[form](pairs, path, answers))


def imported_answers(path: str, allowed: Sequence[str] = ()) -> dict[str, dict[str, Any]]:
    """Return the answer to each key in a file that another program wrote, with the probabilities of allowed
    answers where it holds any.

    Raises UsageError in one line for a file that holds none.
    """
    try:
        text = read_file(path, LARGEST_IMPORT).decode("utf-8-sig")
    except (NotReadableError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {error}") from None
    try:
        answers = {
            key: (said, known) for key, said, known in _answers_in(text, Path(path).suffix.lower(), allowed)
        }
    except (BrokenError, ValueError, KeyError, TypeError, IndexError, AttributeError, csv.Error) as error:
        raise UsageError(f"{path}: no answers that can be read: {type(error).__name__} {error}") from None
    if not answers:
        raise UsageError(f"{path}: holds no answers: a key and an answer are needed for each cell")
    found: dict[str, dict[str, Any]] = {}
    for key, (said, known) in answers.items():
        found[key] = {"text": said}
        if known is not None:
            if fault := fault_of(LOGARITHMS, dict(known.probabilities)):
                raise UsageError(f"{path}: of the probabilities for {key!r}, {fault}")
            found[key] |= {"probabilities": dict(known.probabilities), "at_most": dict(known.at_most)}
    return found


# --------------------------------------------------------------------------------------------------- writing


class _WrittenFile(NamedTuple):
    """The path of a file, and its text."""

    path: str
    text: str


def _prompt_text(request: Request) -> str:
    """Return a single turn as it is; several as JSON, which programs take for a conversation."""
    if len(request.messages) == 1:
        return request.messages[0].content
    return json.dumps(chat(request), ensure_ascii=False)


def _write_csv(pairs: Pairs, path: str, _: Form) -> Iterator[_WrittenFile]:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    allowed = pairs[0][0].allowed if pairs else ()
    writer.writerow(("key", "prompt", "answer", *(f"p({one})" for one in allowed)))
    writer.writerows(
        (key_of(request), _prompt_text(request), "", *("" for _ in allowed)) for request, _ in pairs
    )
    yield _WrittenFile(path, out.getvalue())


def _write_promptfoo(pairs: Pairs, path: str, answers: Form) -> Iterator[_WrittenFile]:
    told = {
        "description": f"counterfactual people, to be answered with {answers.words}",
        "prompts": ["{{prompt}}"],
        "providers": ["echo"],
        "tests": [
            {"vars": {"prompt": _prompt_text(request)}, "metadata": {"key": key_of(request)}}
            for request, _ in pairs
        ],
    }
    yield _WrittenFile(path, json.dumps(told, ensure_ascii=False, indent=1) + "\n")


def _write_inspect(pairs: Pairs, path: str, _: Form) -> Iterator[_WrittenFile]:
    yield _WrittenFile(
        path,
        _json_lines({"id": key_of(request), "input": chat(request), "target": ""} for request, _ in pairs),
    )


def _write_lm_eval(pairs: Pairs, path: str, _: Form) -> Iterator[_WrittenFile]:
    data = Path(path).with_suffix(".jsonl")
    yield _WrittenFile(
        str(data),
        _json_lines(
            {"key": key_of(request), "prompt": _prompt_text(request)}
            | ({"choices": list(request.allowed)} if request.allowed else {})
            for request, _ in pairs
        ),
    )
    is_scored = any(request.allowed for request, _ in pairs)
    asked = (
        {"output_type": "multiple_choice", "doc_to_choice": "choices", "doc_to_target": 0, "metric": "acc"}
        if is_scored
        else {"output_type": "generate_until", "doc_to_target": "", "metric": "bypass"}
    )
    task = {
        "task": Path(path).stem,
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": data.name}},
        "test_split": "test",
        "doc_to_text": "{{prompt}}",
        "metric_list": [{"metric": asked.pop("metric")}],
        **asked,
    }
    yield _WrittenFile(path, json.dumps(task, indent=1) + "\n")  # JSON is YAML, too


def _json_lines(records: Iterable[Mapping[str, Any]]) -> str:
    return "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records)


_WRITERS: Mapping[str, Callable[[Pairs, str, Form], Iterator[_WrittenFile]]] = {
    "csv": _write_csv,
    "promptfoo": _write_promptfoo,
    "inspect": _write_inspect,
    "lm-eval": _write_lm_eval,
}
FORMS = tuple(_WRITERS)
"""The programs whose files are written."""


# --------------------------------------------------------------------------------------------------- reading


class _KeyedAnswer(NamedTuple):
    """An answer, and the key of the request that it is to."""

    key: str
    text: str
    known: Known | None = None
    """Probabilities, where the file has them."""


def _answers_in(text: str, suffix: str, allowed: Sequence[str]) -> Iterator[_KeyedAnswer]:
    if suffix == ".csv":
        for row in csv.DictReader(io.StringIO(text), strict=True):
            known = _known_of_row(row)
            if row["answer"] or known is not None:
                yield _KeyedAnswer(row["key"], row["answer"], known)
    elif suffix == ".jsonl":
        for line in text.splitlines():
            if line.strip():
                yield _answer_in_line(read_json(line.encode("utf-8")))
    else:
        told = read_json(text.encode("utf-8"))
        if "samples" in told:  # inspect's log
            for one in told["samples"]:
                output = one["output"]
                choice = _with_attributes(output["choices"][0]) if allowed and output.get("choices") else None
                if choice is not None:
                    choice.finish_reason = choice.__dict__.get("stop_reason")
                known = None if choice is None else begun_probabilities(choice, allowed)
                yield _KeyedAnswer(str(one["id"]), str(output["completion"]), known)
        else:  # promptfoo's results
            for one in told["results"]["results"]:
                yield _KeyedAnswer(str(one["testCase"]["metadata"]["key"]), str(one["response"]["output"]))


def _answer_in_line(told: Mapping[str, Any]) -> _KeyedAnswer:
    """Return a sample of lm-eval, or a line of a run folder."""
    if "doc" in told and "choices" in told["doc"]:
        logs = [float(response[0][0]) for response in told["resps"]]
        known = Known(dict(zip(map(str, told["doc"]["choices"]), logs, strict=True)), {})
        return _KeyedAnswer(
            str(told["doc"]["key"]), max(known.probabilities, key=known.probabilities.__getitem__), known
        )
    if "doc" in told:
        return _KeyedAnswer(str(told["doc"]["key"]), str(told["resps"][0][0]))
    kept = Known(told["probabilities"], told["at_most"]) if "probabilities" in told else None
    return _KeyedAnswer(str(told["key"]), str(told["text"]), kept)


def _known_of_row(row: Mapping[str, str]) -> Known | None:
    """Return the probabilities in the columns of a row; None where they are empty."""
    shares = {
        name[2:-1]: float(told)
        for name, told in row.items()
        if name.startswith("p(") and name.endswith(")") and told
    }
    if not shares:
        return None
    if not all(0 <= share <= 1 for share in shares.values()):
        raise ValueError(f"a probability of {row['key']!r} is not from 0 to 1")
    return Known({name: math.log(share) for name, share in shares.items() if share}, {})


def _with_attributes(told: Any) -> Any:
    """Return JSON with its names as attributes, as clients of OpenAI's interface have them."""
    if isinstance(told, list):
        return [_with_attributes(one) for one in told]
    if isinstance(told, dict):
        return SimpleNamespace(**{str(name): _with_attributes(one) for name, one in told.items()})
    return told
