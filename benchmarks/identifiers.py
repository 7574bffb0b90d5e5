"""Precision and recall of the vocabulary on hand-labelled identifiers with context.

Run as `python benchmarks/identifiers.py [--misses]`. The split `held` is not tuned on; when each of its lines
was first judged, precision was 1.000 and recall 0.979. Exits with 1 where either figure of either split is
below the floor.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(
    0, str(Path(__file__).resolve().parent.parent)
)  # a checkout that is not installed can be measured too

from fairlint.support.records import field_names
from fairlint.vocabulary import Surroundings, default_vocabulary

FLOOR = 0.97
FOLDER = Path(__file__).parent / "identifiers"
SPLITS = ("tune", "held")


@dataclass(slots=True)
class Tally:
    """What came out for one split."""

    right: int = 0
    wrong: int = 0
    missed: int = 0
    lines: int = 0
    look_alikes: int = 0
    misses: list[str] = field(default_factory=list)

    @property
    def precision(self) -> float:
        """The share of what was claimed that is so."""
        return self.right / max(1, self.right + self.wrong)

    @property
    def recall(self) -> float:
        """The share of what is so that was claimed."""
        return self.right / max(1, self.right + self.missed)


def read_surroundings(entry: dict[str, object]) -> Surroundings:
    """What one line says of the surroundings; beside what is read of an object stand its own fields."""
    known = set(field_names(Surroundings))
    told = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in entry.items()
        if key in known
    }
    if told.get("receiver"):
        told["fields"] = told.get("siblings", ())
    return Surroundings(**told)  # type: ignore[arg-type]


def measure(split: str) -> Tally:
    """Judge every line of one split."""
    vocabulary, tally = default_vocabulary(), Tally()
    for line in (FOLDER / f"{split}.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        label = entry["label"]
        found = {
            mention.attribute
            for mention in vocabulary.is_person_attribute(entry["identifier"], read_surroundings(entry))
        }
        also = set(entry.get("also", ()))
        tally.lines += 1
        tally.look_alikes += label is None
        tally.right += label in found
        tally.missed += label is not None and label not in found
        unwanted = found - also - {label}
        tally.wrong += bool(unwanted)
        if unwanted or (label is not None and label not in found):
            tally.misses.append(f"{line}\n    found {sorted(found)}")
    return tally


def main() -> int:
    """Print the table; 1 where a figure is too low."""
    low = False
    for split in SPLITS:
        tally = measure(split)
        print(
            f"{split}: {tally.lines} identifiers ({tally.look_alikes} look-alikes), "
            f"precision {tally.precision:.3f}, recall {tally.recall:.3f}"
        )
        if "--misses" in sys.argv:
            print("\n".join(tally.misses))
        low = low or min(tally.precision, tally.recall) < FLOOR
    return int(low)


if __name__ == "__main__":
    raise SystemExit(main())
