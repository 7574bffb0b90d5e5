"""Detectors observe: each module finds one kind of Use in an executed file."""

from __future__ import annotations

from fairlint.detectors import (
    decisions,
    defaults,
    encodings,
    features,
    filters,
    inference,
    judgements,
    labels,
    pairs,
    prompts,
    queries,
    rankings,
    reads,
    records,
    scores,
)
from fairlint.detectors.detector import Detector

__all__ = ["SHIPPED", "Detector"]

SHIPPED = (
    Detector("labels", observe_site=labels.observe),
    Detector("judgements", observe_site=judgements.observe_site),
    Detector("rankings", observe_site=rankings.observe),
    Detector("scores", observe_site=scores.observe),
    Detector("filters", observe_site=filters.observe),
    Detector("decisions", observe_site=decisions.observe),
    Detector("indirect rankings", observe_site=rankings.observe_indirect),
    Detector("pairs", observe_site=pairs.observe),
    Detector("reads", observe_site=reads.observe),
    Detector("features", observe_file=features.observe),
    Detector("records in judgements", observe_file=judgements.observe),
    Detector("encodings", observe_file=encodings.observe),
    Detector("defaults", observe_file=defaults.observe),
    Detector("inference", observe_file=inference.observe),
    Detector("prompts", observe_file=prompts.observe),
    Detector("queries", observe_file=queries.observe),
    Detector("records", observe_file=records.observe),
)
"""In the order in which they are asked."""
