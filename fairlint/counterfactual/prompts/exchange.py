"""Cells for other programs that ask models, and the answers that these give back.

| form | what is written | what is read back |
|---|---|---|
| `csv` | key, prompt, an empty answer | the same file with answers |
| `promptfoo` | a configuration with a test a cell | its results as JSON |
| `inspect` | a data set of JSON lines | its log as JSON |
| `lm-eval` | a task with its data beside it | its samples as JSON lines |
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from fairlint.backends.requests import Request, chat, key_of
from fairlint.counterfactual.prompts.answers_read import Form
from fairlint.counterfactual.prompts.cells import Cell
from fairlint.support.documents import read_json
from fairlint.support.errors import UsageError
from fairlint.support.files import NotReadableError, read_file

LARGEST_IMPORT = 512 << 20
"""Bytes of a file of answers."""
Pairs = Sequence[tuple[Request, Cell]]


def exported_files(pairs: Pairs, form: str, path: str, answers: Form) -> dict[str, str]:
    """Return the files that hold the cells for another program, by their paths."""
    return dict(_WRITERS[form](pairs, path, answers))


def imported_answers(path: str) -> dict[str, str]:
    """Return the answer to each key in a file that another program wrote.

    Raises UsageError in one line for a file that holds none.
    """
    try:
        text = read_file(path, LARGEST_IMPORT).decode("utf-8-sig")
    except (NotReadableError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {error}") from None
    try:
        found = dict(_answers_in(text, Path(path).suffix.lower()))
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, csv.Error) as error:
        raise UsageError(f"{path}: no answers that can be read: {type(error).__name__} {error}") from None
    if not found:
        raise UsageError(f"{path}: holds no answers: a key and an answer are needed for each cell")
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
    writer.writerow(("key", "prompt", "answer"))
    writer.writerows((key_of(request), _prompt_text(request), "") for request, _ in pairs)
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
        _json_lines({"key": key_of(request), "prompt": _prompt_text(request)} for request, _ in pairs),
    )
    task = {
        "task": Path(path).stem,
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": data.name}},
        "test_split": "test",
        "output_type": "generate_until",
        "doc_to_text": "{{prompt}}",
        "doc_to_target": "",
        "metric_list": [{"metric": "bypass"}],
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


def _answers_in(text: str, suffix: str) -> Iterator[_KeyedAnswer]:
    if suffix == ".csv":
        for row in csv.DictReader(io.StringIO(text), strict=True):
            if row["answer"]:
                yield _KeyedAnswer(row["key"], row["answer"])
    elif suffix == ".jsonl":
        for line in text.splitlines():
            if line.strip():
                yield _answer_in_line(read_json(line.encode("utf-8")))
    else:
        told = read_json(text.encode("utf-8"))
        if "samples" in told:  # inspect's log
            for one in told["samples"]:
                yield _KeyedAnswer(str(one["id"]), str(one["output"]["completion"]))
        else:  # promptfoo's results
            for one in told["results"]["results"]:
                yield _KeyedAnswer(str(one["testCase"]["metadata"]["key"]), str(one["response"]["output"]))


def _answer_in_line(told: Mapping[str, Any]) -> _KeyedAnswer:
    """Return a sample of lm-eval, or a line of a run folder."""
    if "doc" in told:
        return _KeyedAnswer(str(told["doc"]["key"]), str(told["resps"][0][0]))
    return _KeyedAnswer(str(told["key"]), str(told["text"]))
