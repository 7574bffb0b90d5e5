"""How much time of the processor and memory a file of a million people takes to become a population.

    python benchmarks/counterfactual_data.py [--rows 1000000]

Each case is loaded by a process of its own, whose largest size is what is told. `few` has some ten thousand
distinct rows, as data have whose columns are words and bands; in `all` every row is another one.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

from fairlint.counterfactual.loading import load

CASES = ("few", "all")
KINDS = ("csv", "parquet")
HEADER = ["age", "sex", "race", "job", "city", "hours", "paid"]
DESCRIPTION = """
label = { column = "paid", favourable = "yes" }
columns.age = { attribute = "age", bands = [{ name = "young", to = 39 }, { name = "old", from = 40 }] }
columns.sex.attribute = "gender"
columns.race.attribute = "race"
"""
IN_A_MEBIBYTE = 1024 if sys.platform != "darwin" else 1 << 20


def people(rows: int, case: str) -> Iterator[list[object]]:
    """So many people; the same ones each time."""
    chance = random.Random(1)
    for number in range(rows):
        hours = number if case == "all" else chance.randrange(20, 60)
        sex, race = chance.choice(["female", "male"]), chance.choice(["black", "white", "asian"])
        job, city = f"job {chance.randrange(12)}", f"city {chance.randrange(5)}"
        yield [chance.randrange(18, 80), sex, race, job, city, hours, chance.choice(["yes", "no"])]


def write(path: Path, rows: int, case: str) -> None:
    """Write these people to a CSV or a Parquet file."""
    if path.suffix == ".csv":
        with path.open("w", encoding="utf-8") as file:
            file.write(",".join(HEADER) + "\n")
            file.writelines(",".join(map(str, row)) + "\n" for row in people(rows, case))
        return
    import pyarrow as pa  # noqa: PLC0415 (an extra)
    import pyarrow.parquet  # noqa: PLC0415 (an extra)

    columns = zip(*people(rows, case), strict=True)
    pyarrow.parquet.write_table(pa.table(dict(zip(HEADER, map(list, columns), strict=True))), path)


def measure(data: str, config: str) -> None:
    """Load a file, and print what it took as JSON."""
    began = time.process_time()
    found = load(data, config=config)
    seconds = time.process_time() - began
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / IN_A_MEBIBYTE
    print(json.dumps({"people": found.people, "distinct": len(found.rows), "s": seconds, "MiB": size}))


def main() -> None:
    """Measure all cases, each in a process of its own."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(*options.measure)
        return
    print(f"{'':<16}{'people':>12}{'distinct':>12}{'seconds':>10}{'MiB':>8}")
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder, "people.toml")
        config.write_text(DESCRIPTION, encoding="utf-8")
        for kind in KINDS if find_spec("pyarrow") else KINDS[:1]:
            for case in CASES:
                path = Path(folder, f"people.{kind}")
                write(path, options.rows, case)
                done = subprocess.run(
                    [sys.executable, __file__, "--measure", path, config], capture_output=True, check=True
                )
                told = json.loads(done.stdout)
                print(
                    f"{f'{kind}, {case}':<16}{told['people']:>12,}{told['distinct']:>12,}{told['s']:>10.1f}"
                    f"{told['MiB']:>8.0f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
