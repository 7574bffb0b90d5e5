"""`fairlint counterfactual --prompt`: tests one's own prompt on counterfactual people."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from fairlint.cli.arguments import Arguments
from fairlint.cli.option_values import parse_seconds
from fairlint.cli.output import terminal_width, wants_color, write_file, write_stdout
from fairlint.statistics.intervals import computable
from fairlint.support.errors import UsageError

if TYPE_CHECKING:
    from fairlint.backends.cost import Cost
    from fairlint.backends.model import ModelOptions, Sampling
    from fairlint.counterfactual.prompts.audited import Audited
    from fairlint.counterfactual.prompts.planning import Audit
    from fairlint.reporters import ExitCode

TOLD_EVERY = 50
"""Answers after which progress is told."""


def run_prompt(options: Arguments) -> int:
    """Ask about a prompt, or only say what would be asked; the result is the exit code."""
    if options.words:
        raise UsageError("--prompt takes no function: leave it out, or leave --prompt out")
    if options.cases is None:
        raise UsageError("--cases is missing: a CSV file with a column for each placeholder")
    threshold = _parse_number("--threshold", options.threshold or "0", most=1.0)
    if not computable():
        raise UsageError('numpy and scipy are not installed: pip install "fairlint[bench]"')
    if options.logprobs and _parse_number("--temperature", options.temperature) not in {0.0, 1.0}:
        raise UsageError("--logprobs asks for the model's own probabilities: leave --temperature out")
    form = _form_of_report(options.format)
    from fairlint.counterfactual.executors.choosing import warning  # noqa: PLC0415 (few ask a model)

    if unsafe := warning(options.executor):
        _say(f"warning: {unsafe}")
    audit = _plan(options)
    prices, budget = _parse_prices(options.prices), options.budget
    sampling = _sampling(options)
    from fairlint.backends.extras import need  # noqa: PLC0415 (as above)
    from fairlint.counterfactual.prompts.asking import cost_of_audit  # noqa: PLC0415 (as above)

    cost = cost_of_audit(audit, sampling)
    if budget is not None:
        _check_budget(cost, prices, _parse_number("--budget", budget))
    if options.dry_run:
        from fairlint.counterfactual.prompts.text import plan_lines  # noqa: PLC0415 (as above)

        write_stdout(f"{line}\n" for line in plan_lines(audit, [_cost_line(cost, prices)], threshold))
        return 0
    if options.export is not None:
        return _export(options, audit)
    if options.html or options.format == "html":
        need("matplotlib.figure", "bench")  # before anything is paid for
    told = _ask(options, audit, sampling, prices, threshold)
    code = int(told.is_biased and not options.exit_zero)
    if options.html:
        write_file(options.html, _as_page(told, code, options))
    pieces = form(told, code, options)
    if options.output:
        write_file(options.output, pieces)
    else:
        write_stdout(pieces)
    return code


def _plan(options: Arguments) -> Audit:
    from fairlint.counterfactual.prompts.planning import plan_audit  # noqa: PLC0415 (as above)
    from fairlint.counterfactual.prompts.prompt_functions import Sandbox  # noqa: PLC0415 (as above)
    from fairlint.counterfactual.prompts.proxies import own_proxies  # noqa: PLC0415 (as above)

    return plan_audit(
        options.prompt,
        options.cases,
        options.names,
        attributes=[name.strip() for one in options.attribute or () for name in one.split(",")],
        groups=_parse_groups(options.groups or ()),
        answer=options.answer,
        favourable=options.favourable,
        draws=_parse_count("--draws", options.draws),
        repeats=_parse_count("--repeats", options.repeats),
        language=options.language,
        proxies=own_proxies(options.proxies) if options.proxies else (),
        logprobs=bool(options.logprobs),
        sandbox=Sandbox(options.executor, bool(options.packages), parse_seconds(options.time_limit)),
        **_mitigation_options(options),
    )


def _mitigation_options(options: Arguments) -> dict[str, Any]:
    """Return what `plan_audit` is told of mitigations and labels."""
    from fairlint.counterfactual.prompts.mitigations import chosen_mitigations  # noqa: PLC0415 (as above)

    names = chosen_mitigations(options.mitigation or ())
    if options.criteria is not None and "criteria" not in names:
        raise UsageError("--criteria is for --mitigation criteria")
    return {
        "mitigations": names,
        "criteria": () if options.criteria is None else _read_criteria(options.criteria),
        "label": options.label,
    }


def _read_criteria(path: str) -> list[str]:
    from fairlint.support.files import LARGEST_SETTINGS, NotReadableError, read_file  # noqa: PLC0415 (as above)

    try:
        text = read_file(path, LARGEST_SETTINGS).decode("utf-8-sig")
    except (NotReadableError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {error}") from None
    found = [line.strip() for line in text.splitlines() if line.strip()]
    if not found:
        raise UsageError(f"{path}: names no criteria: write one a line")
    return found


def _ask(
    options: Arguments,
    audit: Audit,
    sampling: Sampling,
    prices: tuple[float, float] | None,
    threshold: float,
) -> Audited:
    from fairlint.backends import registry  # noqa: PLC0415 (as above)
    from fairlint.backends.answer_cache import AnswerCache  # noqa: PLC0415 (as above)
    from fairlint.backends.names import resolve, slug  # noqa: PLC0415 (as above)
    from fairlint.counterfactual.prompts.asking import ask_audit, import_answers  # noqa: PLC0415 (as above)
    from fairlint.counterfactual.prompts.audited import summed_up  # noqa: PLC0415 (as above)
    from fairlint.counterfactual.prompts.exchange import imported_answers  # noqa: PLC0415 (as above)

    seed = _parse_count("--seed", options.seed, least=0)
    if (imported := getattr(options, "import")) is not None:
        answers = imported_answers(imported, audit.allowed)
        observations, asked = import_answers(audit, answers, seed, options.model or imported)
        return summed_up(audit, observations, asked, threshold=threshold, seed=seed)
    found = resolve(options.model)
    stem = f"prompt-{slug(Path(audit.template.path).stem)}-{audit.template.line}-{slug(found.name)}"
    path = Path(options.run or Path("results") / stem)
    model_options = _model_options(options)
    model = registry.later(options.model, model_options, lambda: _say(f"loading {found.name}"))
    try:
        observations, asked = ask_audit(
            audit,
            lambda: model.model,
            path,
            sampling,
            seed=seed,
            resume=bool(options.resume),
            cache=AnswerCache(Path(options.answer_cache)) if options.answer_cache else None,
            watch=_progress(),
        )
    finally:
        model.close()
    if prices is not None:
        asked["costs"] = (asked["prompt_tokens"] * prices[0] + asked["new_tokens"] * prices[1]) / 1e6
    return summed_up(audit, observations, asked, threshold=threshold, seed=seed)


def _export(options: Arguments, audit: Audit) -> int:
    """Write the cells for another program."""
    from fairlint.counterfactual.prompts.asking import requests_of  # noqa: PLC0415 (as above)
    from fairlint.counterfactual.prompts.exchange import exported_files  # noqa: PLC0415 (as above)

    if not options.output:
        raise UsageError("--export needs --output: the file that is written")
    pairs = requests_of(audit, _parse_count("--seed", options.seed, least=0))
    for path, text in exported_files(pairs, options.export, options.output, audit.form).items():
        write_file(path, [text])
        _say(f"{path}: {len(pairs):,} questions")
    return 0


def _progress() -> Callable[[int, int], None]:
    """Return what tells how many answers there are, each time so many more have come."""
    told = 0

    def tell(count: int, total: int) -> None:
        nonlocal told
        if count == total or count - told >= TOLD_EVERY:
            told = count
            _say(f"{count:,} of {total:,} answers")

    return tell


def _say(text: str) -> None:
    from fairlint.cli import say  # noqa: PLC0415 (it imports this module)

    say(f"fairlint: {text}")


def _sampling(options: Arguments) -> Sampling:
    from fairlint.backends.model import Sampling  # noqa: PLC0415 (as above)

    return Sampling(
        max_new_tokens=_parse_count("--max-new-tokens", options.max_new_tokens),
        temperature=_parse_number("--temperature", options.temperature),
        early_stop=False,
    )


def _model_options(options: Arguments) -> ModelOptions:
    from fairlint.backends.model import ModelOptions  # noqa: PLC0415 (as above)

    key = ""
    if options.api_key_env is not None:
        key = os.environ.get(options.api_key_env, "")
        if not key:
            raise UsageError(f"--api-key-env: there is no environment variable {options.api_key_env}")
    return ModelOptions(
        device=options.device,
        base_url=options.base_url or "",
        api_key=key,
        concurrency=_parse_count("--concurrency", options.concurrency),
        timeout=_parse_number("--timeout", options.timeout),
    )


# -------------------------------------------------------------------------------------------------- options


def _parse_number(name: str, text: str, *, most: float = math.inf) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= most:
        bound = "0 or more" if math.isinf(most) else f"from 0 to {most:g}"
        raise UsageError(f"{name} is a number {bound}, not {text!r}")
    return value


def _parse_count(name: str, text: str, *, least: int = 1) -> int:
    if not text.isdecimal() or int(text) < least:
        raise UsageError(f"{name} is a whole number, {least} or more, not {text!r}")
    return int(text)


def _parse_prices(text: str | None) -> tuple[float, float] | None:
    if text is None:
        return None
    parts = text.split(",")
    if len(parts) != 2:
        raise UsageError(f"--prices are two numbers 0 or more, as 0.15,0.6, not {text!r}")
    return _parse_number("--prices", parts[0]), _parse_number("--prices", parts[1])


def _parse_groups(given: Sequence[str]) -> dict[str, list[str]]:
    found = {}
    for one in given:
        name, equals, groups = one.partition("=")
        several = [group.strip() for group in groups.split(",") if group.strip()]
        if not equals or len(set(several)) < 2:
            raise UsageError(f"--groups {one}: write an attribute and its groups, as gender=female,male")
        found[name.strip()] = several
    return found


def _check_budget(cost: Cost, prices: tuple[float, float] | None, budget: float) -> None:
    if prices is None:
        raise UsageError("--budget needs --prices: what a million tokens read and written cost")
    if cost.money(prices) > budget:
        raise UsageError(
            f"--budget {budget:g} is not enough: {cost.answers:,} questions can cost "
            f"{cost.money(prices):,.2f}; take fewer cases, attributes, --draws or --max-new-tokens"
        )


def _cost_line(cost: Cost, prices: tuple[float, float] | None) -> str:
    told = f"{cost.answers:,} questions, about {cost.read:,} tokens read, {cost.written:,} written at most"
    return told if prices is None else f"{told}, costs {cost.money(prices):,.2f} at most"


# -------------------------------------------------------------------------------------------------- reports

Teller = Callable[["Audited", int, Arguments], Iterable[str]]


def _form_of_report(name: str) -> Teller:
    if name == "text":
        return _as_text
    if name == "json":
        return _as_json
    if name == "html":
        return _as_page
    from fairlint.reporters.registry import reporters  # noqa: PLC0415 (only for formats of the linter)
    from fairlint.rules.loading import load_rules  # noqa: PLC0415 (as above)

    known = reporters()
    if name not in known:
        raise UsageError(
            f"--format {name!r} is not known (choose from {', '.join(('text', *sorted(known)))})"
        )

    def told(audited: Audited, code: int, options: Arguments) -> Iterable[str]:
        from fairlint.counterfactual.prompts.findings import measured_report  # noqa: PLC0415 (as above)
        from fairlint.reporters import WIDTH, ReportOptions  # noqa: PLC0415 (as above)

        stream = None if options.output else sys.stdout
        shown = ReportOptions(
            color=wants_color(options.color, stream),
            width=terminal_width(stream, WIDTH),
            min_severity="note",
            exit_code=cast("ExitCode", code),
            load_rules=load_rules,
            tell=_say,
        )
        return known[name](measured_report(audited), shown)

    return told


def _as_text(told: Audited, _: int, __: Arguments) -> Iterable[str]:
    from fairlint.counterfactual.prompts.text import audit_lines  # noqa: PLC0415 (as above)

    return (f"{line}\n" for line in audit_lines(told))


def _as_page(told: Audited, _: int, __: Arguments) -> Iterable[str]:
    from fairlint.counterfactual.prompts.page.audit_page import audit_page  # noqa: PLC0415 (as above)

    return [audit_page(told)]


def _as_json(told: Audited, _: int, __: Arguments) -> Iterable[str]:
    from fairlint.counterfactual.prompts.document import audit_document  # noqa: PLC0415 (as above)

    return audit_document(told)
