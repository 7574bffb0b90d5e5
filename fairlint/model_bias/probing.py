"""What can be read off a model's residual stream, layer by layer, by linear probes, and what cannot.

A probe may learn by heart whom a text is about instead of what is asked. So texts of one pair or of one
target are never on both sides of a split, and the same probe is asked for labels that were shuffled: what it
gets right there is its own memory (Hewitt and Liang 2019, Designing and interpreting probes with control
tasks). Labels are shuffled many times, and what counts of a shuffle is its best layer: the best of many
layers is high by chance (Westfall and Young 1993, Resampling-based multiple testing).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from fairlint.backends.extras import need
from fairlint.backends.model import ModelError
from fairlint.model_bias.data.stereoset import StereoSetItem
from fairlint.model_bias.data.winogender import WinoGenderItem
from fairlint.model_bias.hooks import Changes, hook_model
from fairlint.model_bias.likelihood import tokens_of
from fairlint.model_bias.loading import Loaded
from fairlint.model_bias.passes import Batch, over
from fairlint.model_bias.scores.resampling import plain
from fairlint.statistics.intervals import LEVEL, Interval
from fairlint.support.records import Record

if TYPE_CHECKING:
    import numpy

    from fairlint.model_bias.hooks import Change

    Array = numpy.ndarray[Any, numpy.dtype[numpy.float64]]

EXTRA = "model"
FOLDS = 5
DRAWS = 2_000
"""Of the bootstrap."""
SHUFFLES = 19
"""Of the labels: the fewest with which a layer above all of them is one in twenty by chance."""
Position = Literal["last", "mean"]
DEFINITIONS = {
    "accuracy": "share of held-out texts whose label a logistic regression says (5 folds)",
    "control": f"the same where labels were shuffled within pairs, or among targets that have one label, the "
    f"mean over {SHUFFLES} shuffles",
    "selectivity": "accuracy - control (Hewitt and Liang 2019)",
    "adjusted": "p-value adjusted for all layers: how often the best layer of a shuffle, or of the labels "
    "themselves, is as accurate",
    "auc": "area under the ROC curve of held-out texts, mean over folds that have both labels",
    "groups": "pairs or targets that are kept together",
}
DIRECTIONS = (
    "directions-LABEL.npz has `weights` [layers, width] and `bias` [layers] of a logistic regression on all "
    "texts: the residual stream times the weights, plus the bias, is the log odds of label 1"
)
"""What the files of directions hold."""
PENALTY = 0.1
"""C of scikit-learn: how much weights may grow."""
INTERVALS = ("accuracy", "control", "selectivity")
"""Those that are an interval."""


class Example(Record):
    """A text with its label."""

    text: str
    label: int
    """0 or 1."""
    pair: str
    """Texts of one pair differ in the label alone."""
    target: str
    """Whom it is about."""


class Reading(Record):
    """How well a label is read off one layer."""

    layer: int
    """0 is the embedding, n what the n-th block hands on."""
    kept_together: str
    """`pair` or `target`: what is never on both sides of a split."""
    accuracy: Interval
    """Share of held-out texts whose label the probe says, with bounds by a bootstrap over what is kept
    together."""
    control: Interval
    """The same for labels that were shuffled, the mean over shuffles."""
    selectivity: Interval
    """Accuracy minus control, paired."""
    adjusted: float
    """p-value, adjusted for all layers."""
    groups: int
    """How many pairs or targets there are."""
    auc: float | None = None
    """None where it was not measured, or no fold has both labels."""

    @property
    def as_json(self) -> dict[str, Any]:
        """The same as JSON; `read` reads it back."""
        told: dict[str, Any] = {"layer": self.layer, "kept_together": self.kept_together}
        return {**told, **{name: plain(getattr(self, name)) for name in DEFINITIONS}}


def read(told: Mapping[str, Any]) -> Reading:
    """Return what `Reading.as_json` made."""
    right, control, more = (
        Interval(*(told[name][each] for each in ("value", "low", "high"))) for name in INTERVALS
    )
    return Reading(
        told["layer"], told["kept_together"], right, control, more, told["adjusted"], told["groups"],
        told.get("auc"),
    )  # fmt: skip


def stereotype_examples(items: Sequence[StereoSetItem], bias_type: str) -> list[Example]:
    """Return which sentence of a twin is the stereotype (1)."""
    return [
        Example(text, label, item.id, item.target)
        for item in items
        if item.task == "intrasentence" and item.bias_type == bias_type
        for label, text in ((1, item.stereotype), (0, item.anti_stereotype))
    ]


def pronoun_examples(items: Sequence[WinoGenderItem]) -> list[Example]:
    """Return whether the pronoun in a sentence is female (1) or male (0): a label that stands in the text."""
    return [
        Example(text, label, item.id, item.occupation)
        for item in items
        for label, text in ((1, item.female), (0, item.male))
    ]


def occupation_examples(items: Sequence[WinoGenderItem]) -> list[Example]:
    """Return whether mostly women work in the occupation (1), from the prompt before the pronoun."""
    return [
        Example(item.prompt, int(item.women.bls > 50), item.id, item.occupation)
        for item in items
        if item.women is not None and item.women.bls != 50
    ]


def activations(loaded: Loaded, texts: Sequence[str], position: Position = "last") -> Array:
    """Return the residual stream of each text: [layers + 1, texts, width], the embedding first.

    At the last word, or as the mean over all tokens but the first one of a causal model's; texts begin and
    end with what they do in training. Blocks' outputs are read by hooks, as the last of transformers'
    `hidden_states` is already normed. One forward pass a text.
    """
    import numpy  # noqa: PLC0415 (an extra)

    anatomy = loaded.anatomy
    tokens = [loaded.whole_text(tokens_of(loaded, text)) for text in texts]
    last = 1 if loaded.masked and len(loaded.whole_text([0])) > 2 else 0  # what texts end with is no word
    found = numpy.zeros((anatomy.layers + 1, len(tokens), anatomy.width))
    seen: dict[int, Any] = {}

    def keep(layer: int) -> Change:
        return lambda values: seen.update({layer: values})

    reading = Changes(keep(0), blocks={layer: keep(layer + 1) for layer in range(anatomy.layers)})

    def work(batch: Batch) -> None:
        import torch  # noqa: PLC0415 (an extra)

        model: Any = loaded.model
        with torch.inference_mode():
            model(**batch.inputs)
        for layer, values in seen.items():
            told = values.double().cpu().numpy()
            for row, place in enumerate(batch.places):
                length = len(tokens[place])
                skip = 0 if loaded.masked or length == 1 else 1
                end = length - last
                span = told[row, end - 1 : end] if position == "last" else told[row, skip:length]
                found[layer, place] = span.mean(0)

    with hook_model(anatomy, reading):
        for _ in over(loaded, tokens, work):
            pass
    return found


def probe(
    values: Array,
    examples: Sequence[Example],
    *,
    kept_together: Literal["pair", "target"],
    folds: int = FOLDS,
    shuffles: int = SHUFFLES,
    seed: int = 0,
    done: Callable[[int, int], None] | None = None,
) -> list[Reading]:
    """Return how well logistic regressions read labels off each layer of `values` [layers, texts, width].

    Numbers are standardised by the training part. Every text is held out once. Shuffled labels are drawn anew
    for each pair, so that each still has both; where texts of a target all have one label, targets change
    theirs. Raises ModelError where there is too little to split, or
    scikit-learn is missing.
    """
    import numpy  # noqa: PLC0415 (an extra)

    groups = numpy.array([getattr(one, kept_together) for one in examples])
    labels = numpy.array([one.label for one in examples])
    if len(set(groups.tolist())) < folds or len(set(labels.tolist())) < 2:
        raise ModelError(f"too few texts: a probe needs {folds} {kept_together}s or more, of both labels")
    random = numpy.random.default_rng(seed)
    asked = [labels, *(_shuffle_labels(labels, examples, random) for _ in range(shuffles))]
    splits = _cross_validation_splits(labels, groups, folds, seed)
    hits, areas = [], []
    for layer, rows in enumerate(values):
        scores = _probe_scores(rows, asked, splits)  # [labels and shuffles, texts]
        hits.append([(one > 0) == some for one, some in zip(scores, asked, strict=True)])
        areas.append(_mean_auc(scores[0], labels, splits))
        if done:
            done(layer + 1, len(values))
    best = numpy.max([numpy.mean(one, axis=1) for one in hits], axis=0)  # of all layers
    found = []
    for layer, (first, *shuffled) in enumerate(hits):
        mean, right = numpy.mean(shuffled, axis=0), first.astype(float)
        accuracy, control, more = (_bootstrap_interval(one, groups) for one in (right, mean, right - mean))
        adjusted = (1 + int((best[1:] >= right.mean()).sum())) / (1 + shuffles)
        count = len(set(groups.tolist()))
        found.append(Reading(layer, kept_together, accuracy, control, more, adjusted, count, areas[layer]))
    return found


def _shuffle_labels(labels: Array, examples: Sequence[Example], random: numpy.random.Generator) -> Array:
    """Return labels shuffled within each pair where pairs have both labels, among targets where each has one
    label, else among all texts.
    """
    import numpy  # noqa: PLC0415 (an extra)

    by_pair, by_target = (_places_by(name, examples) for name in ("pair", "target"))
    if all(len(some) > 1 for some in by_pair):
        made = labels.copy()
        for some in by_pair:
            made[some] = random.permutation(labels[some])
        return made
    if all(len(set(labels[some].tolist())) == 1 for some in by_target):
        drawn = random.permutation([labels[some[0]] for some in by_target])
        made = numpy.empty_like(labels)
        for some, label in zip(by_target, drawn, strict=True):
            made[some] = label
        return made
    return random.permutation(labels)


def _places_by(name: str, examples: Sequence[Example]) -> list[list[int]]:
    """Return which examples have the same pair or target."""
    places: dict[str, list[int]] = {}
    for place, one in enumerate(examples):
        places.setdefault(getattr(one, name), []).append(place)
    return list(places.values())


def _cross_validation_splits(
    labels: Array, groups: Array, folds: int, seed: int
) -> list[tuple[Array, Array]]:
    """Training and held-out places of each fold; groups stay whole, labels are spread."""
    model_selection = need("sklearn.model_selection", EXTRA)
    split = model_selection.StratifiedGroupKFold(n_splits=folds, shuffle=True, random_state=seed)
    return list(split.split(labels[:, None], labels, groups))


def directions(values: Array, examples: Sequence[Example]) -> dict[str, Array]:
    """Return what tells labels apart at each layer, learned from all texts: `weights` [layers, width] and
    `bias` [layers], for the residual stream as it is.
    """
    import numpy  # noqa: PLC0415 (an extra)

    labels = numpy.array([one.label for one in examples])
    weights, bias = numpy.zeros((len(values), values.shape[2])), numpy.zeros(len(values))
    for layer, rows in enumerate(values):
        mean, spread = rows.mean(0), rows.std(0)
        spread[spread == 0] = 1.0
        known = (rows - mean) / spread
        basis = numpy.linalg.qr(known.T)[0] if known.shape[1] > len(known) else numpy.eye(known.shape[1])
        learner = _fit(known @ basis, labels)
        weights[layer] = (basis @ learner.coef_[0]) / spread
        bias[layer] = learner.intercept_[0] - weights[layer] @ mean
    return {"weights": weights, "bias": bias}


def _fit(rows: Array, labels: Array) -> Any:
    learner = need("sklearn.linear_model", EXTRA).LogisticRegression(C=PENALTY, max_iter=1_000)
    return learner.fit(rows, labels)


def _mean_auc(scores: Array, labels: Array, splits: Sequence[tuple[Array, Array]]) -> float | None:
    """Return the mean area under the ROC curve over folds; scores of two folds are of two probes and are not
    comparable.
    """
    metrics = need("sklearn.metrics", EXTRA)
    areas = [
        float(metrics.roc_auc_score(labels[test], scores[test]))
        for _, test in splits
        if len(set(labels[test].tolist())) > 1
    ]
    return sum(areas) / len(areas) if areas else None


def _probe_scores(rows: Array, asked: Sequence[Array], splits: Sequence[tuple[Array, Array]]) -> Array:
    """Return the log odds of label 1 that the probe gives each text when it was trained without it, for each
    set of labels: [sets, texts].
    """
    import numpy  # noqa: PLC0415 (an extra)

    found = numpy.zeros((len(asked), len(rows)))
    for train, test in splits:
        mean, spread = rows[train].mean(0), rows[train].std(0)
        spread[spread == 0] = 1.0
        known, new = ((rows[some] - mean) / spread for some in (train, test))
        if known.shape[1] > len(known):
            # the penalty keeps weights within what the training texts span: as many numbers as texts will do
            basis = numpy.linalg.qr(known.T)[0]
            known, new = known @ basis, new @ basis
        for place, labels in enumerate(asked):
            if len(set(labels[train].tolist())) < 2:
                raise ModelError("too few texts: a training part has one label only")
            found[place, test] = _fit(known, labels[train]).decision_function(new)
    return found


def _bootstrap_interval(values: Array, groups: Array) -> Interval:
    """Return the mean over texts, with bounds from drawing groups anew.

    Groups are of different sizes, so what is drawn is a ratio of sums.
    """
    import numpy  # noqa: PLC0415 (an extra)

    names, places = numpy.unique(groups, return_inverse=True)
    sizes, sums = numpy.bincount(places), numpy.bincount(places, weights=values)
    random = numpy.random.default_rng(0)
    drawn = random.multinomial(len(names), numpy.full(len(names), 1 / len(names)), size=DRAWS)
    means = (drawn @ sums) / (drawn @ sizes)
    low, high = numpy.quantile(means, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Interval(float(values.mean()), float(low), float(high))
