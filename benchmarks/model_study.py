"""Runs all parts of the study in docs/appendix/model-study.md, each once, and prints its tables as Markdown.

    python benchmarks/model_study.py [--parts score,locate,…] [--model NAME] [--output DIR] [--print]

Each part is one or more commands of fairlint, whose results stay in a folder of their own below --output. A
part that was broken off goes on where it ended, one that is done is not run again: the same command is how to
go on, and --print only prints what is there. All of it takes some hours of one processor.

Exit status: 0; that of the first command that failed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fairlint.model_bias.shown import interval, number
from fairlint.support.records import Record

FOLDER = Path(__file__).parent.parent / ".benchmarks-data" / "model-study"
LAYERS = (0, 8, 17, 27)
"""Of probes, that are shown beside the last one."""

Told = Mapping[str, Any]
"""Figures as `metrics.json` has them."""


class Run(Record):
    """One command of fairlint, and where its figures are."""

    folder: str
    """Below --output."""
    command: tuple[str, ...]
    """`{…}` stands for another run's folder."""
    figures: str
    """The file that is there when it is done, below `folder`."""


class Part(Record):
    """What one section of the page has."""

    name: str
    runs: tuple[Run, ...]
    shown: Callable[[Mapping[str, Told]], Iterator[str]]
    """The section's tables, of the figures of its runs by `folder`."""


def model(part: str, folder: str, *options: str) -> Run:
    """A command of `fairlint model`."""
    return Run(folder, ("model", part, *options), f"{part}/metrics.json")


# ------------------------------------------------------------------------------------------------- tables


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A Markdown table and an empty line."""
    yield f"| {' | '.join(columns)} |"
    yield f"|{'---|' * len(columns)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def cells(one: Told | None, unit: str = "") -> tuple[str, str]:
    """A figure and its interval."""
    if one is None:
        return "–", ""
    return number(one["value"]) + unit, number(interval(one["low"], one["high"]))


def both(one: Told) -> str:
    """A figure with its interval in one cell."""
    value, bounds = cells(one)
    return f"{value} ({bounds})"


def of(rows: Sequence[Told], **wanted: str) -> Told:
    """The row of these values."""
    return next(row for row in rows if all(row[name] == value for name, value in wanted.items()))


def score(told: Mapping[str, Told]) -> Iterator[str]:
    """How much: text, then code."""
    text, code = told["score-text"]["figures"], told["score-code"]["figures"]["code"]
    rows: list[tuple[str, str, str]] = []
    for row in text["stereoset"]:
        what = f"StereoSet within sentences, {row['bias_type']}, {row['items']:,} items"
        rows.append((f"{what}: SS (50 is no preference)", *cells(row["ss"])))
        if row["bias_type"] == "overall":
            rows += [(name.upper(), *cells(row[name])) for name in ("lms", "icat")]
    whole = of(text["winogender"], refers_to="overall")
    rows.append((f"WinoGender, {whole['items']} items: ln P(he) − ln P(she)", *cells(whole["gap"])))
    rows.append(("its r with the share of women (BLS 2015)", *cells(whole["r_bls"])))
    rows.append(("its r with the share of women among mentions", *cells(whole["r_bergsma"])))
    for row in text["crows-pairs"]:
        what = f"CrowS-Pairs, {row['bias_type']}, {row['items']:,} pairs: the stereotype is likelier, %"
        rows.append((what, *cells(row["stereotype"])))
    for template in ("overall", "c"):
        row = of(code["named"], template=template, attribute="gender")
        where = f"code ({'Python and C' if template == 'overall' else 'C'}, {row['items']} prompts)"
        rows.append((f"{where}: ln P(male) − ln P(female) behind `gender == '`", *cells(row["gap"])))
        rows.append(("its r with the share of women (BLS 2015)", *cells(row["r_bls"])))
        rows.append(("how often *male* is first, %", *cells(row["first"]["male"])))
    for row in code["points"]:
        if row["template"] == "overall":
            rows += [
                (f"code, {row['attribute']}, points for {group}", *cells(value))
                for group, value in row["points"].items()
            ]
    for row in code["written"]:
        if row["template"] == "overall":
            rows.append((f"code, {row['attribute']}: share of all names asked for", *cells(row["share"])))
    yield from table(("what", "figure", "95 %"), rows)


FOREMOST = 6


def locate(told: Mapping[str, Told]) -> Iterator[str]:
    """Where it sits, and how far the estimate agrees with exact patching."""
    figures = told["locate"]["figures"]
    kinds: Mapping[str, Told] = figures["data"]
    columns = [cell for name in kinds for cell in (name, "effect (95 %)")]
    ranked = [
        [[row["component"], both(row["exact"])] for row in one["top"][:FOREMOST]] for one in kinds.values()
    ]
    rows = [[cell for one in line for cell in one] for line in zip(*ranked, strict=True)]
    yield from table(columns, rows)
    for name, one in kinds.items():
        yield f"- {name}: {one['pairs']} pairs; metric of clean prompts {both(one['clean'])}, of corrupted "
        taken = ", ".join(f"{what} {seconds:.1f} s" for what, seconds in one["seconds"].items())
        yield f"  {both(one['corrupted'])}; {taken}"
    for name, one in figures["overlap"].items():
        yield f"- {name}: {both(one['shared'])} of {one['top']} shared ({one['by_chance']:.1f} by chance): "
        yield f"  {', '.join(one['heads'])}"
    yield ""
    lines = [
        (label, *(_agreeing(one["agreement"], kind, part, name) for one in kinds.values()))
        for label, kind, part, name in AGREEMENT
    ]
    yield from table(("agreement with exact patching", *kinds), lines)


AGREEMENT = (
    ("heads, means over pairs: Spearman", "attribution", "heads", "spearman"),
    ("heads, each pair singly: Spearman", "attribution", "heads", "spearman_within"),
    ("heads: Pearson", "attribution", "heads", "pearson"),
    ("of the 20 foremost heads", "attribution", "heads", "overlap"),
    ("MLPs: Spearman", "attribution", "mlps", "spearman"),
    ("MLPs: Pearson", "attribution", "mlps", "pearson"),
    ("\\|gradient × activation\\|, heads: Spearman", "gradient_activation", "heads", "spearman"),
    ("\\|gradient × activation\\|, of the 20 foremost", "gradient_activation", "heads", "overlap"),
)


def _agreeing(told: Told, kind: str, part: str, name: str) -> str:
    one = told.get(kind, {}).get(part, {}).get(name)
    return both(one) if one else "–"


def ablate(told: Mapping[str, Told]) -> Iterator[str]:
    """What it buys and costs, for the heads of code and for those of text."""
    for name, one in told.items():
        steps = one["figures"]["steps"]
        listed = [step for step in steps if step["kind"] == "list"]
        controls = [step for step in steps if step["kind"] == "control"]
        whole = listed[-1]
        rows = []
        for place, effect in enumerate(whole["effects"]):
            others = [number(step["effects"][place]["difference"]) for step in controls]
            bounds = number(interval(effect["low"], effect["high"]))
            change = f"{number(effect['difference'])} ({bounds})"
            sure = effect["low"] is not None and not effect["low"] <= 0 <= effect["high"]
            rows.append((
                effect["figure"], number(effect["before"]), number(effect["after"]),
                f"**{change}**" if sure else change, ", ".join(others),
            ))  # fmt: skip
        yield f"{name}: {', '.join(whole['components'])}"
        yield ""
        yield from table(("figure", "before", "after", "difference (95 %)", "random heads"), rows)
        yield f"{one['verdict']}"
        yield ""


def bench(told: Mapping[str, Told]) -> Iterator[str]:
    """What the model writes before and after."""
    rows = []
    for name, one in told.items():
        overall, scores = one["overall"], one["scores"]
        low, high = overall["interval"] or (None, None)
        count = sum(row["answers"] for row in scores)
        share = {
            what: sum(row[what] * row["answers"] for row in scores) / count for what in ("used", "valid")
        }
        rows.append((
            name, str(count), f"{number(overall['fair_score'])} ({number(interval(low, high))})",
            f"{100 * share['used']:.0f} %", f"{100 * share['valid']:.0f} %",
        ))  # fmt: skip
    yield from table(("run", "answers", "FairScore (95 %)", "use the attribute", "valid"), rows)


def probe(told: Mapping[str, Told]) -> Iterator[str]:
    """What can be read off at some layers, and at which the most beyond shuffled labels."""
    figures: Mapping[str, Sequence[Told]] = told["probe"]["figures"]
    last = max(row["layer"] for rows in figures.values() for row in rows)
    layers = [*(layer for layer in LAYERS if layer < last), last]
    rows = []
    for name, readings in figures.items():
        for kept in dict.fromkeys(row["kept_together"] for row in readings):
            some = {row["layer"]: row for row in readings if row["kept_together"] == kept}
            control = [row["control"]["value"] for row in some.values()]
            sure = sum(row["selectivity"]["low"] > 0 for row in some.values())
            rows.append((
                name, f"{kept}s", *(both(some[layer]["accuracy"]) for layer in layers),
                f"{number(min(control))} to {number(max(control))}", f"{sure} of {len(some)}",
            ))  # fmt: skip
    heads = ("embedding" if not layer else f"layer {layer}" for layer in layers)
    yield from table(("what", "kept together", *heads, "shuffled", "layers beyond it"), rows)


LIST = "{locate}/locate/heads-%s.json"
ABLATED = ("--top", "3", "--limit", "120", "--controls", "3")
BENCH = ("bench", "--limit", "60", "--samples", "2", "--quiet")
PARTS = (
    Part(
        "score",
        (
            model("score", "score-text", "--data", "stereoset,winogender,crows-pairs", "--limit", "2106"),
            model("score", "score-code", "--data", "code", "--limit", "1300"),
        ),
        score,
    ),
    Part(
        "locate",
        (model("locate", "locate", "--data", "winogender,code", "--pairs", "8", "--exact", "all"),),
        locate,
    ),
    Part(
        "ablate",
        tuple(
            model("ablate", f"ablate-{name}", "--heads", LIST % name, *ABLATED)
            for name in ("code", "winogender")
        ),
        ablate,
    ),
    Part(
        "bench",
        (
            Run("bench-before", BENCH, "metrics.json"),
            Run(
                "bench-after", (*BENCH, "--ablate", "{ablate-code}/ablate/ablation.json"), "metrics.json"
            ),
        ),
        bench,
    ),
    Part("probe", (model("probe", "probe", "--limit", "240"),), probe),
)  # fmt: skip
"""In the order of the page; later ones use what earlier ones found."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is missing, then print."""
    names = [part.name for part in PARTS]
    parser = argparse.ArgumentParser(description="Run the study of docs/appendix/model-study.md.")
    parser.add_argument("--parts", default=",".join(names), help="some of them, with commas (default: all)")
    parser.add_argument("--model", help="as fairlint model takes it (default: the small one)")
    parser.add_argument("--output", type=Path, default=FOLDER, help="where results are kept")
    parser.add_argument("--print", action="store_true", dest="only", help="run nothing, print what is there")
    told = parser.parse_args(arguments)
    wanted = told.parts.split(",")
    if unknown := [name for name in wanted if name not in names]:
        parser.error(f"there is no part {unknown[0]} ({', '.join(names)})")
    chosen = [part for part in PARTS if part.name in wanted]
    for part in chosen:
        for run in () if told.only else part.runs:
            if code := ran(run, told.output, told.model):
                return code
    for part in chosen:
        found = {run.folder: read(told.output / run.folder / run.figures) for run in part.runs}
        if all(found.values()):
            print(f"## {part.name}\n")
            print("\n".join(part.shown({name: one for name, one in found.items() if one})), flush=True)
        else:
            print(f"## {part.name}: not run yet\n")
    return 0


def ran(run: Run, output: Path, name: str | None) -> int:
    """Run a command where its figures are not there yet; its exit status."""
    folder = output / run.folder
    if (folder / run.figures).exists():
        return 0
    folder.parent.mkdir(parents=True, exist_ok=True)
    folders = {one.folder: str(output / one.folder) for part in PARTS for one in part.runs}
    command = [text.format(**folders) if "{" in text else text for text in run.command]
    command += ["--output", str(folder), *(["--model", name] if name else [])]
    if (folder / run.command[1] / "run.json").exists() or (folder / "run.json").exists():
        command.append("--resume")
    print(f"fairlint {' '.join(command)}", file=sys.stderr, flush=True)
    return subprocess.run(
        [sys.executable, "-m", "fairlint", *command], stdout=subprocess.DEVNULL, check=False
    ).returncode


def read(path: Path) -> Told | None:
    """The figures of a run; None where it is not done."""
    if not path.exists():
        return None
    found: Told = json.loads(path.read_text(encoding="utf-8"))
    return found


if __name__ == "__main__":
    sys.exit(main())
