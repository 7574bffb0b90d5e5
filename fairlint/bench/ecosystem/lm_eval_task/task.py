"""A suite as a task of lm-evaluation-harness 0.4, which alone imports this module."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from datasets import Dataset
from lm_eval.api.task import ConfigurableTask

from fairlint.backends.requests import completion
from fairlint.bench.ecosystem.questions import (
    ALWAYS,
    HIGHER,
    asked_of,
    figures,
    judge_answer,
    questions,
    request_of,
)
from fairlint.bench.suites import suite_of

SUITE = "fairlint_suite"
OPTIONS = "fairlint"
"""Where `--metadata` has the options: '{"fairlint": {"samples": 2}}'."""
TEMPERATURE = 1.0
"""Where the suite leaves it to the model: the harness cannot, and would take the likeliest token always."""


class SuiteTask(ConfigurableTask):  # type: ignore[misc]  # the harness is no dependency
    """The requests of one suite, one document each, their answers judged as in the bench.

    With `--apply_chat_template` a model is asked in turns, else it goes on writing one text.
    """

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        told = {name: value for name, value in (config or {}).items() if name != "class"}
        metadata = told.get("metadata") or {}
        self._asked = asked_of(metadata[SUITE], metadata.get(OPTIONS) or {})
        self._suite = suite_of(self._asked.suite)
        self._chat = False
        own = {
            "output_type": "generate_until",
            "test_split": "test",
            "num_fewshot": 0,
            "doc_to_text": completion_of,
            "doc_to_target": "",
            "generation_kwargs": {
                "until": [],
                "max_gen_toks": self._suite.max_new_tokens,
                "do_sample": True,
                "temperature": TEMPERATURE if self._suite.temperature is None else self._suite.temperature,
            },
            "process_results": "fairlint",  # so that the harness looks for no metrics of these names
            "metric_list": self._metric_entries(),
        }
        super().__init__(config={**own, **told})

    def download(self, *_: Any, **__: Any) -> None:
        """Note the suite's requests; nothing is downloaded."""
        self.dataset = {"test": Dataset.from_list(questions(self._asked))}

    def build_all_requests(self, **settings: Any) -> None:
        """As the harness does it; how the model is asked is needed again when it is judged."""
        self._chat = bool(settings.get("apply_chat_template"))
        # The harness's cache knows the task's name and not its options.
        super().build_all_requests(**{**settings, "cache_requests": False})

    def fewshot_context(
        self,
        doc: Mapping[str, Any],
        num_fewshot: int = 0,  # noqa: ARG002 (the worked examples are the suite's)
        *,
        system_instruction: str | None = None,
        apply_chat_template: bool = False,
        fewshot_as_multiturn: bool = False,  # noqa: ARG002 (turns stay turns)
        chat_template: Callable[..., Any] | None = None,
        gen_prefix: str | None = None,  # noqa: ARG002 (the suite's is in the text)
    ) -> Any:
        """Return the suite's own turns by the chat template, or its one text."""
        if not (apply_chat_template and chat_template):
            text = completion_of(doc)
            return f"{system_instruction}\n\n{text}" if system_instruction else text
        turns = [dict(turn) for turn in doc["messages"]]
        if system_instruction and turns[0]["role"] == "system":
            turns[0]["content"] = f"{system_instruction}\n\n{turns[0]['content']}"
        elif system_instruction:
            turns.insert(0, {"role": "system", "content": system_instruction})
        return chat_template(turns, add_generation_prompt=True)

    def process_results(self, doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, Any]:
        """Return what the figures are made of: the judged answer for each."""
        if "bypass" in self._metric_fn_list:  # --predict_only
            return {"bypass": 0}
        request = request_of(doc)
        answer = judge_answer(self._suite, request, results[0], given="" if self._chat else request.header)
        return dict.fromkeys((*self._figure_names(), *ALWAYS), answer)

    def _figure_names(self) -> Sequence[str]:
        return self._suite.harness_figures

    def _metric_entries(self) -> list[dict[str, Any]]:
        return [
            {"metric": name, "aggregation": self._aggregation_of(name), "higher_is_better": name in HIGHER}
            for name in (*self._figure_names(), *ALWAYS)
        ]

    def _aggregation_of(self, name: str) -> Callable[[Iterable[Mapping[str, Any]]], float]:
        def aggregated(answers: Iterable[Mapping[str, Any]]) -> float:
            return figures(self._suite, answers, self._asked.protocol)[name]

        return aggregated


def completion_of(doc: Mapping[str, Any]) -> str:
    """Return what a model that only goes on writing is given."""
    return completion(request_of(doc))
