"""What is put aside stays so while the code around it is edited, and what is new is told."""

from __future__ import annotations

from adoption import TARGET, measure
from identity import FREE


def test_edits_lose_nothing_that_was_put_aside() -> None:
    tallies = measure(90, seed=11)

    assert {way for way, _ in tallies} == {"baseline", "comments", "changed lines"}
    assert [key for key, tally in tallies.items() if tally.mistaken] == []
    held = sum(tally.held for (_, edit), tally in tallies.items() if edit not in FREE)
    lost = sum(tally.lost for (_, edit), tally in tallies.items() if edit not in FREE)
    assert held / (held + lost) >= TARGET
