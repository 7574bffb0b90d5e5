"""What each file of a run, a leaderboard and an answer cache has to hold: one shape for each kind of record.

Such a file may come from anybody. Whoever reads one goes by these, so that what is wrong is told in one line
with its place, and nothing behind the reading has to ask again. Keys that are not named here may be there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from fairlint.support.shapes import (
    ANYTHING,
    FLAG,
    TEXT,
    Fault,
    Shape,
    mapping_of_shape,
    matching,
    maybe,
    number,
    one_of,
    row,
    several,
    table,
    whole,
)

ROUNDING = 1e-9
"""So far a share may lie outside of 0 and 1 by rounding."""
MOST_ANSWERS = 10_000_000
"""Answers that a run on a leaderboard may have: its pages link to all of their pages."""
ON_A_PAGE = 500
"""Answers of a page of a leaderboard; a browser opens it in a moment, whatever the run's size."""
LONGEST_NAME = 250
"""Characters of the name of a file."""

PROTOCOL = one_of("exact", "published")
COUNT = whole()
SHARE = number(0, 1, slack=ROUNDING)
FIGURE = number(-1e15, 1e15)
PRICE = number(0, 1e15)
POINTS = mapping_of_shape(number())
INTERVAL = maybe(row(FIGURE, FIGURE))
UNITS = maybe(number(0, 1e15))
"""How many independent answers or subjects a figure is worth."""
NAMES = several(TEXT)
OBJECT = mapping_of_shape(ANYTHING)


def _is_file_name(value: str) -> bool:
    return re.fullmatch(r"[\w.-]+", value) is not None and value.strip(".") != ""


FILE_NAME = matching(
    frozenset({str}),
    "a name of a file: letters, digits, dots, dashes and underscores",
    lambda value: len(value) <= LONGEST_NAME and _is_file_name(value),
)
"""A name that leads to no other folder."""


# ------------------------------------------------------------------------------------------------ run folders

OWN = table({}, {
    **dict.fromkeys(("mitigation", "perturb", "data", "config", "executor", "ages"), TEXT),
    **dict.fromkeys(("columns", "protected", "detect"), TEXT),
    "threshold": FIGURE,
    **dict.fromkeys(("utility", "execute"), FLAG),
})  # fmt: skip
"""What a suite was asked for with."""

SETTINGS = table(
    {
        "format": COUNT,
        "suite": TEXT,
        "model": TEXT,
        "revision": TEXT,
        "seed": whole(most=None),
        "samples": maybe(COUNT),
        "temperature": maybe(FIGURE),
        "max_new_tokens": maybe(COUNT),
        "prompts_hash": TEXT,
        "options": OBJECT,
    },
    {"fairlint": TEXT, "as_asked": TEXT},
)
"""`run.json`, whoever began the run."""


def _part_of(told: Mapping[str, Any]) -> Fault | None:
    return None if told["part"] <= told["of"] else (".part", f"is {told['part']}, of {told['of']} parts")


SHARD = table({"part": whole(1, 999_999), "of": whole(1, 999_999), "asked": COUNT}, also=_part_of)
OPTIONS = table(
    {"asked": COUNT},
    {
        "limit": maybe(COUNT),
        "scenarios": maybe(NAMES),
        "attributes": maybe(NAMES),
        "subjects": maybe(NAMES),
        "prompts": maybe(TEXT),
        "top_p": maybe(FIGURE),
        "top_k": maybe(COUNT),
        "early_stop": maybe(FLAG),
        "model": OBJECT,
        "suite": OWN,
        "shard": SHARD,
    },
)
RUN = table({"options": OPTIONS})
"""What `run.json` says of a run of a suite, beside SETTINGS."""

REQUEST = table({"key": TEXT, "messages": several(table({"role": TEXT, "content": TEXT}))})
_ANSWER: Mapping[str, Shape] = {
    **dict.fromkeys(("key", "suite", "scenario", "attribute", "list", "subject", "given", "text"), TEXT),
    "finish": TEXT,
    **dict.fromkeys(("sample", "prompt_tokens", "new_tokens"), COUNT),
}
LOGARITHMS = mapping_of_shape(number(most=ROUNDING))
"""Allowed answers, and the logarithms of their probabilities."""
_PROBABILITIES = dict.fromkeys(("probabilities", "at_most"), LOGARITHMS)
_BESIDE: Mapping[str, Shape] = {
    "seed": COUNT,
    "prompt": TEXT,
    "asked": TEXT,
    "turn": COUNT,
    "role": TEXT,
    "perturbation": TEXT,
    "tests": NAMES,
    "cached": FLAG,
    **_PROBABILITIES,
}
RESPONSE = table(_ANSWER, _BESIDE)
ASKED_RESPONSE = table({**_ANSWER, "asked": TEXT}, _BESIDE)
"""The same of a suite that judges what was asked, too."""
EXPORTED = table({"seed": COUNT, "prompt": TEXT, "asked": TEXT})
"""What an answer needs besides, to be exported."""
NOT_JUDGED = maybe(table({"cause": TEXT, "reason": TEXT}))
_JUDGED: Mapping[str, Shape] = {"key": TEXT, "valid": FLAG}
_LOST: Mapping[str, Shape] = {"not_judged": NOT_JUDGED}
OUTCOME = table(_JUDGED, _LOST)
"""A line of `outcomes.jsonl` of which nothing is known but what all have."""


def _passed_fault(told: Mapping[str, Any]) -> Fault | None:
    passed, tests = told["passed"], told["tests"]
    return None if passed <= tests else (".passed", f"is {passed}, of {tests} tests")


OFF_TASK: Mapping[str, Shape] = {"off_task": maybe(TEXT)}
"""Why an answer is none to the task."""
UTILITY = table({"passed": COUNT, "tests": whole(1), "cause": maybe(TEXT)}, {"why": TEXT}, also=_passed_fault)
USES = dict.fromkeys(("mentioned", "read", "used"), FLAG)
FUNCTION = table(
    {
        **_JUDGED,
        "outcomes": several(
            table({"attribute": TEXT, **USES, "points": POINTS, "published": maybe(POINTS)}, OFF_TASK),
        ),
    },
    {**_LOST, "utility": maybe(UTILITY)},
)
TEST_CASE = table(
    {
        **_JUDGED,
        "outcomes": several(
            table({"attribute": TEXT, **USES, "points": POINTS, "published": maybe(POINTS)}),
        ),
        "cut": FLAG,
    },
    {**_LOST, "given": mapping_of_shape(TEXT)},
)
EXECUTED = table({"changes": mapping_of_shape(maybe(FLAG)), "cause": TEXT})
"""Attribute → whether an outcome changes with it, where functions are run."""
USAGE = table(
    {
        **_JUDGED,
        "published": maybe(NAMES),
        "attributes": mapping_of_shape(table({"echoed": FLAG, **USES})),
    },
    {
        **_LOST,
        **OFF_TASK,
        "barred": NAMES,
        "prompt_by_name": FLAG,
        "parse_ok": FLAG,
        "answer_parses": FLAG,
        "executed": EXECUTED,
    },
)


def _changed_fault(told: Mapping[str, Any]) -> Fault | None:
    changed, compared = told.get("changed") or 0, told.get("compared") or 0
    return None if changed <= compared else (".changed", f"is {changed}, of {compared} people")


_MEASURED: Mapping[str, Shape] = {
    "not_judged": NOT_JUDGED,
    "verdict": maybe(TEXT),
    "cause": maybe(TEXT),
    "ages": maybe(TEXT),
    "executable": mapping_of_shape(FLAG),
    "accuracy": maybe(SHARE),
    "balanced_accuracy": maybe(SHARE),
    "attributes": mapping_of_shape(
        table(
            {},
            {
                "named": FLAG,
                **dict.fromkeys(("cip", "cip_with_dead", "mcr", "floor", "disparate_impact"), maybe(SHARE)),
                **dict.fromkeys(("changed", "compared"), COUNT),
                "read": TEXT,
                "proved": FLAG,
                "dead": NAMES,
                "by_value": mapping_of_shape(maybe(SHARE)),
                "ages": TEXT,
                "domains": mapping_of_shape(
                    table(
                        {},
                        {
                            **dict.fromkeys(("cip", "mcr", "floor"), maybe(SHARE)),
                            **dict.fromkeys(("changed", "compared"), COUNT),
                        },
                        also=_changed_fault,
                    )
                ),
            },
            also=_changed_fault,
        )
    ),
    "findings": NAMES,
    **OFF_TASK,
}
COUNTERFACTUAL = table(_JUDGED, {**_MEASURED, "before": table({"valid": FLAG}, _MEASURED)})
DETECTION = table(
    {
        "verdict": maybe(one_of("biased", "clean")),
        "cause": maybe(one_of("refused", "cut", "unreadable")),
        **dict.fromkeys(("made", "biased", "checked"), FLAG),
        **dict.fromkeys(("columns", "named"), NAMES),
    }
)
"""A verdict on a pipeline, and what the pipeline is."""
PIPELINES = table(
    {**_JUDGED, "columns": mapping_of_shape(FLAG)},
    {**_LOST, "rules": NAMES, "findings": NAMES, "detection": DETECTION},
)
SOLAR = table({**_JUDGED, "used": mapping_of_shape(FLAG)}, {**_LOST, "cause": maybe(TEXT), "sampled": FLAG})
CODE_BIAS = table(
    {
        **_JUDGED,
        "attributes": mapping_of_shape(table({"depends": FLAG, "used": FLAG})),
        "groups": NAMES,
    },
    _LOST,
)
CODE_REVIEW = table(
    {
        **_JUDGED,
        "kind": one_of("read", "refused", "unreadable"),
        "cause": TEXT,
        "decision": maybe(one_of("approve", "request changes", "comment")),
        **dict.fromkeys(("comments", "severe"), maybe(COUNT)),
    },
    _LOST,
)
PARALLEL_PROMPTS = table({**_JUDGED, "tests": maybe(UTILITY), "rules": NAMES}, _LOST)

NOTES = several(TEXT)


# ---------------------------------------------------------------------------------------------------- figures

MEANS = ("refusal_rate", "entropy", "fair_score")
_MEANS = dict.fromkeys(MEANS, maybe(SHARE))
_KNOWN = dict.fromkeys(MEANS, SHARE)


def _partial_means_fault(told: Mapping[str, Any]) -> Fault | None:
    """Means are known together, or none of them is."""
    lacking = [name for name in MEANS if told[name] is None]
    return (f".{lacking[0]}", "is null, and others are not") if 0 < len(lacking) < len(MEANS) else None


_DEVIATION = maybe(table(dict.fromkeys(MEANS, number(0, 1e15))))
_RULED = maybe(table({**_MEANS, "interval": INTERVAL}, also=_partial_means_fault))
_UNRULED = maybe(table(_MEANS, also=_partial_means_fault))
_BOTH: Mapping[str, Shape] = {
    "fair_scores": table({"published": maybe(SHARE), "adjusted": maybe(SHARE)}),
}
_OVERALL = maybe(
    table(
        _KNOWN,
        {
            **_BOTH,
            "interval": INTERVAL,
            "without_rule": _RULED,
            "uncorrected": _UNRULED,
            "with_off_task": _UNRULED,
            "columns": COUNT,
            "unclear": COUNT,
            "off_task": COUNT,
            "not_judged": COUNT,
            "pooled": FLAG,
        },
    )
)
_COLUMN: Mapping[str, Shape] = {"scenario": TEXT, "attribute": TEXT}
_SHARES = dict.fromkeys(("valid", "mentioned", "read", "used"), maybe(SHARE))
_LEANING = table({
    "group": TEXT,
    "ahead": COUNT,
    "against": TEXT,
    "behind": COUNT,
    "interval": row(SHARE, SHARE),
    "p_value": SHARE,
    "adjusted": SHARE,
    "answers": COUNT,
})  # fmt: skip
_SUBJECT = table(
    {
        "list": TEXT,
        "subject": TEXT,
        "answers": COUNT,
        "valid": COUNT,
        **_MEANS,
        "points": POINTS,
        "preferred": maybe(TEXT),
    },
    {
        **_BOTH,
        "not_judged": COUNT,
        "unclear": COUNT,
        "estimate": maybe(table({"fair_score": FIGURE}, {"without_rule": FIGURE})),
    },
    also=_partial_means_fault,
)
_SCORE = table(
    {
        **_COLUMN,
        "groups": NAMES,
        "answers": COUNT,
        **_SHARES,
        **_MEANS,
        "preferred": maybe(TEXT),
        "strength": maybe(SHARE),
        "interval": INTERVAL,
        "points": POINTS,
        "lists": several(
            table(
                {"list": TEXT, "subjects": COUNT, **_MEANS, "preferred": maybe(TEXT)},
                _BOTH,
                also=_partial_means_fault,
            )
        ),
        "subjects": several(_SUBJECT),
    },
    {
        **_BOTH,
        "not_judged": COUNT,
        "deviation": _DEVIATION,
        "without_rule": _RULED,
        "uncorrected": _UNRULED,
        "with_off_task": _UNRULED,
        "counted": COUNT,
        "unclear": COUNT,
        "off_task": COUNT,
        "leaning": maybe(_LEANING),
        "made_up": POINTS,
    },
    also=_partial_means_fault,
)
_RATED: Mapping[str, Shape] = {
    "attribute": TEXT,
    "answers": COUNT,
    **_SHARES,
    **dict.fromkeys(("published", "echoed"), maybe(SHARE)),
    "interval": INTERVAL,
}
_RATED_BESIDE: Mapping[str, Shape] = {
    "of_valid_interval": INTERVAL,
    **dict.fromkeys(("not_judged", "off_task", "by_name", "prompt_unknown"), COUNT),
    **dict.fromkeys(
        (
            "used_of_valid",
            "used_on_task",
            "used_barred",
            "used_allowed",
            "used_any",
            "parse_ok",
            "answer_parses",
        ),
        maybe(SHARE),
    ),
    **dict.fromkeys(("barred", "any_of"), several(TEXT)),
    "units": UNITS,
}
_RATE = table(_RATED, _RATED_BESIDE)
_PART_RATE = table({**_RATED, "scenario": TEXT, "prompt": TEXT}, _RATED_BESIDE)
_EXECUTED_RATE = table(
    {"attribute": TEXT, **dict.fromkeys(("answers", "not_judged", "shown", "biased", "groups"), COUNT)},
    {
        **dict.fromkeys(("cbs", "cbs_shown", "union_at_k", "all_at_k"), maybe(SHARE)),
        "interval": INTERVAL,
        "units": UNITS,
    },
)
_SIGNED = number(-1, 1, slack=ROUNDING)
_CHANGE = maybe(
    table(
        {
            **dict.fromkeys(("first", "second"), SHARE),
            "difference": _SIGNED,
            "interval": row(_SIGNED, _SIGNED),
            **dict.fromkeys(("pairs", "prompts"), COUNT),
            "differs": FLAG,
        }
    )
)
_PART = table({"share": maybe(SHARE), "answers": COUNT, "interval": INTERVAL, "units": UNITS})
_ROW: Mapping[str, Shape] = {
    **dict.fromkeys(("scenario", "prompt", "attribute", "ordinary", "protected", "source", "pipeline"), TEXT),
    **dict.fromkeys(
        (
            *("answers", "not_judged", "off_task", "biased", "sampled", "groups", "counted", "proved"),
            *("dead", "refused", "unreadable"),
        ),
        COUNT,
    ),
    **dict.fromkeys(
        (
            *("valid", "cbs", "cbs_executable", "cbs_on_task", "cbs_of_all", "union_at_k", "all_at_k"),
            *("any_protected", "used_of_offered", "offends", "columns_found", "columns_right"),
            "called_biased",
            *("any_irrelevant", "used", "bls", "bls_range", "pass_at_attribute", "accuracy"),
            *("balanced_accuracy", "cip", "cip_with_dead", "disparate_impact", "amcr", "floor"),
            "domain_dependent",
            "not_binary",
            *("approved", "answered", "request_changes", "comment", "parsed", "passed", "found"),
        ),
        maybe(SHARE),
    ),
    "cip_deviation": maybe(FIGURE),
    "interval": INTERVAL,
    "irrelevant": FLAG,
    "executable": mapping_of_shape(maybe(SHARE)),
    "by_domain": mapping_of_shape(
        table({}, {"functions": COUNT, **dict.fromkeys(("cbs", "cip", "amcr", "floor"), maybe(SHARE))})
    ),
    "cips": several(SHARE),
    "density": several(row(SHARE, number(0, 1e15))),
    "before": table(
        {},
        {
            **dict.fromkeys(
                (
                    *("cbs", "cbs_executable", "cbs_on_task", "accuracy", "balanced_accuracy", "cip"),
                    *("any_protected", "any_irrelevant", "valid"),
                ),
                maybe(SHARE),
            ),
            "off_task": COUNT,
            "interval": INTERVAL,
            "units": UNITS,
        },
    ),
    "units": UNITS,
    "change": _CHANGE,
    **dict.fromkeys(("level", "pipelines"), COUNT),
    "differs": FLAG,
    **dict.fromkeys(("sensitivity", "specificity"), _PART),
    "kappa": table({"kappa": maybe(FIGURE), "interval": INTERVAL}),
}
_ROUND = table({"cip": SHARE, "deviation": FIGURE}, {"going": COUNT, "functions": COUNT,
    "decrease": maybe(FIGURE), "decrease_deviation": maybe(FIGURE)})  # fmt: skip
_VARIANT: Mapping[str, Shape] = {**_COLUMN, "variant": TEXT}
_VARIANT_ROW = table(
    {**_VARIANT, **dict.fromkeys(("tasks", "answers", "not_judged"), COUNT)},
    {
        **dict.fromkeys(("approved", "severe", "answered", "passed", "parsed", "found"), maybe(SHARE)),
        "comments": maybe(FIGURE),
        **dict.fromkeys(("refused", "unreadable", "not_run"), COUNT),
        "interval": INTERVAL,
        "units": UNITS,
    },
)
_DIFFERENCE_ROW = table({
    **_VARIANT,
    **dict.fromkeys(("against", "measure"), TEXT),
    "is_share": FLAG,
    **dict.fromkeys(("tasks", "pairs"), COUNT),
    **dict.fromkeys(("first", "second", "difference"), FIGURE),
    "interval": INTERVAL,
    **dict.fromkeys(("unlike", "p_value", "adjusted"), SHARE),
    "least": maybe(SHARE),
})  # fmt: skip
_AT_K = several(table({"k": COUNT, "prompts": COUNT, "works": maybe(SHARE), "works_and_fair": maybe(SHARE)}))
BIAS = table(
    {},
    {
        "threshold": SHARE,
        "mitigation": TEXT,
        "k": COUNT,
        **dict.fromkeys(("overall", "conditions"), maybe(table({}, _ROW))),
        "prompts": several(table({"prompt": TEXT}, {**_ROW})),
        "columns": several(table({**_COLUMN, "prompt": TEXT}, _ROW)),
        **dict.fromkeys(("levels", "numbers"), several(table({"prompt": TEXT}, _ROW))),
        "detection": several(
            table(
                {"prompt": TEXT, "source": TEXT, "sensitivity": _PART, "specificity": _PART},
                {**_ROW, **dict.fromkeys(("refused", "unreadable", "cut"), maybe(SHARE))},
            )
        ),
        "programs": several(table({"prompt": TEXT, "pipeline": TEXT}, {**_ROW, "biased": FLAG})),
        "domains": several(table({"scenario": TEXT}, _ROW)),
        "attributes": several(table({"attribute": TEXT}, _ROW)),
        "variants": several(_VARIANT_ROW),
        "differences": several(_DIFFERENCE_ROW),
        "pass_at_k": _AT_K,
        "trend": several(table({**_COLUMN, "rounds": several(_ROUND, least=1)})),
        "agreement": maybe(
            table({"agreement": maybe(SHARE)} | dict.fromkeys(
                ("compared", "passed_biased", "refused_unbiased", "unreadable"), COUNT
            ))
        ),
        "fallback": COUNT,
    },
)  # fmt: skip
_PASSES: Mapping[str, Shape] = {
    "answers": COUNT,
    "not_run": COUNT,
    "pass_at_1": maybe(SHARE),
    "tests_passed": maybe(SHARE),
    "interval": INTERVAL,
}
ANSWERS = table(
    {"asked": COUNT, "given": COUNT, "valid": maybe(SHARE), "cut": maybe(SHARE)},
    {
        "not_judged": COUNT,
        "prompt_tokens": COUNT,
        "new_tokens": COUNT,
        "cached": table(
            dict.fromkeys(("answers", "of"), COUNT),
            dict.fromkeys(("prompt_tokens", "new_tokens"), COUNT),
        ),
    },
)
COSTS = table({"read": PRICE, "written": PRICE}, {"money": FIGURE})
LOST = table({
    "cause": TEXT,
    "reason": TEXT,
    **dict.fromkeys(("key", "scenario", "attribute", "list", "subject", "prompt"), maybe(TEXT)),
    "sample": maybe(COUNT),
})  # fmt: skip
_FIGURES: Mapping[str, Shape] = {
    "scores": several(_SCORE),
    "scenarios": several(table({"scenario": TEXT, **_KNOWN}, {**_BOTH, "not_judged": COUNT})),
    "usage": several(_RATE),
}
_MORE_FIGURES: Mapping[str, Shape] = {
    "overall": _OVERALL,
    "usage_parts": several(_PART_RATE),
    "executed": several(_EXECUTED_RATE),
    "other": maybe(
        table(
            {"protocol": PROTOCOL},
            {
                "overall": _OVERALL,
                "scores": several(
                    table(
                        {**_COLUMN, **_MEANS, "preferred": maybe(TEXT)},
                        {**_BOTH, "deviation": _DEVIATION},
                        also=_partial_means_fault,
                    )
                ),
            },
        )
    ),
    "bias": BIAS,
    "utility": table(
        {"overall": table(_PASSES), "columns": several(table({**_COLUMN, **_PASSES}))}, {"pass_at_k": _AT_K}
    ),
}
METRICS_PARTS = table(_FIGURES, {**_MORE_FIGURES, "definitions": mapping_of_shape(TEXT)})
"""What a suite gives of `metrics.json`."""
METRICS = table(
    {
        "format": COUNT,
        "suite": table({"name": TEXT, "title": TEXT, "source": TEXT}),
        "model": table({"name": TEXT}, {"revision": maybe(TEXT)}),
        "settings": table({}, {"suite": maybe(OWN), "shard": maybe(SHARD)}),
        "protocol": PROTOCOL,
        "definitions": mapping_of_shape(TEXT),
        "answers": ANSWERS,
        **_FIGURES,
    },
    {
        "fairlint": TEXT,
        **_MORE_FIGURES,
        "comparable": maybe(table(dict.fromkeys(("needed", "least", "most"), COUNT))),
        "not_judged": several(LOST),
        "costs": COSTS,
        "notes": NOTES,
    },
)
"""`metrics.json`, as reports read it."""

KEPT_METRICS = table(
    {},
    {
        "fairlint": TEXT,
        "protocol": PROTOCOL,
        "answers": table({}, {"asked": COUNT, "given": COUNT}),
        "settings": table({}, {"prompts_hash": TEXT}),
        "costs": COSTS,
    },
)
"""What is taken over from `metrics.json`, of whatever format, where figures are made anew."""


# ----------------------------------------------------------------------------------------------- leaderboards

BOARD = table({"format": COUNT, "runs": several(FILE_NAME)})
"""`leaderboard.json`."""


def _page_count_fault(values: list[Any]) -> Fault | None:
    pages = math.ceil(values[2] / ON_A_PAGE)
    return None if values[3] == pages else ("[3]", f"is {values[3]}, and so many answers have {pages} pages")


_PAGED = row(TEXT, TEXT, whole(0, MOST_ANSWERS), COUNT, also=_page_count_fault)
ON_BOARD = table({"metrics": METRICS, "answers": several(_PAGED)})
"""`data/NAME.json`: a run on a leaderboard."""


# ----------------------------------------------------------------------------------------------------- caches

CACHED = table({
    **dict.fromkeys(("key", "text", "given", "finish"), TEXT),
    **dict.fromkeys(("prompt_tokens", "new_tokens"), COUNT),
}, _PROBABILITIES)  # fmt: skip
"""A file of an answer cache."""
