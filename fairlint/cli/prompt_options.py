"""The options of `fairlint counterfactual --prompt`."""

from __future__ import annotations

from fairlint.cli.arguments import Option

PROMPTS = (
    (
        "a prompt",
        (
            Option(
                ("--prompt",),
                "a text or Jinja file with {placeholders}, messages.json, FILE.py:LINE or FILE.py:FUNCTION",
                takes="PROMPT",
            ),
            Option(("--cases",), "a CSV file with a column for each placeholder", takes="FILE"),
            Option(
                ("--groups",),
                "the groups of an attribute, as gender=female,male; repeatable",
                takes="NAME=A,B",
                repeats=True,
            ),
            Option(("--answer",), "yes/no, 0..10 or hire/reject (default: as the prompt says)", takes="FORM"),
            Option(("--logprobs",), "compare the probability of each allowed answer instead of a drawn one"),
            Option(
                ("--names",),
                "names of us, gb, de, fr, es or be, or of a CSV file: gender, race, first and last "
                "(default: us, or the country of the language)",
                takes="COUNTRY|FILE",
            ),
            Option(
                ("--proxies",),
                "a CSV file of values that hint at a group: placeholder, attribute, group and value",
                takes="FILE",
            ),
            Option(
                ("--language",),
                "the language of prompt and cases (default: as their words say)",
                takes="NAME",
                choices=("en", "de", "fr", "es"),
            ),
            Option(("--draws",), "names of each group in a case", takes="N", default="4"),
            Option(("--repeats",), "answers to each group in a case without names", takes="N", default="1"),
            Option(
                ("--mitigation",),
                "ask a changed prompt, too: instruction, redaction, criteria or all; repeatable",
                takes="NAME",
                repeats=True,
            ),
            Option(("--criteria",), "what --mitigation criteria names, one a line", takes="FILE"),
            Option(
                ("--label",), "the column of the right answer, to which answers are compared", takes="COLUMN"
            ),
            Option(
                ("--export",),
                "write the questions for another program instead of asking, to --output",
                takes="FORM",
                choices=("promptfoo", "csv", "inspect", "lm-eval"),
            ),
            Option(("--import",), "read the answers of that program instead of asking", takes="FILE"),
            Option(("--html",), "also write the report as a page", takes="FILE"),
            Option(("--dry-run",), "print questions, tokens, cost and power without asking a model"),
            Option(("--prices",), "price of a million tokens read and written, as 0.15,0.6", takes="IN,OUT"),
            Option(("--budget",), "ask nothing if it can cost more than this", takes="MONEY"),
        ),
    ),
    (
        "the model that is asked",
        (
            Option(("--model",), "as fairlint bench names it (default: the small one)", takes="NAME"),
            Option(("--temperature",), "how freely tokens are drawn", takes="T", default="0"),
            Option(("--max-new-tokens",), "the longest answer", takes="N", default="16"),
            Option(("--seed",), "the seed of order and answers", takes="N", default="0"),
            Option(("--device",), "auto, cpu, cuda, cuda:1 or mps", takes="DEVICE", default="auto"),
            Option(("--base-url",), "the server's address", takes="URL"),
            Option(("--api-key-env",), "the environment variable that holds the key", takes="NAME"),
            Option(("--concurrency",), "requests at a time", takes="N", default="8"),
            Option(("--timeout",), "seconds for each attempt at an answer", takes="S", default="120"),
            Option(("--run",), "the folder that keeps the answers (default: results/...)", takes="DIR"),
            Option(("--resume",), "continue what was started with the same settings"),
            Option(("--answer-cache",), "a folder in which runs share answers", takes="DIR"),
        ),
    ),
)
"""The groups of options, as `Command` takes them."""
