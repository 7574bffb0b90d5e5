"""Amounts as sums of known numbers and unknown things.

An amount is a polynomial: it maps a product of unknown things, a sorted tuple of their keys, to its factor;
the empty product is the known number. `2 + 3·x` is `{(): 2.0, ("x",): 3.0}`.
"""

from __future__ import annotations

from collections.abc import Mapping

Amount = Mapping[tuple[str, ...], float]

OLD_KEY = "@old"
"""Stands for the value that a variable had before."""

NO_ENTRY = "no entry"
"""Stands for what a table gives to a key that it lacks: nothing that can be compared."""
NO_VALUE = "no value"
"""Stands for what is missing in a table: NaN or NULL, which every amount that it takes part in becomes."""
_NOTHING = frozenset({NO_ENTRY, NO_VALUE})

LARGEST = 1e150
"""What is beyond it counts as it: products of two stay finite, and differences are numbers."""

MAX_TERMS = 48
"""A product with more terms, or more factors in one, is one unknown thing."""


def number(value: float) -> Amount:
    """Return a known number."""
    return {(): _clamp_value(value)}


def _clamp_value(value: float) -> float:
    return float(max(-LARGEST, min(LARGEST, value)))


def unknown(key: str) -> Amount:
    """Return one unknown thing."""
    return {(key,): 1.0}


def known_number(amount: Amount) -> float | None:
    """Return the number that `amount` is, or None if unknown things take part in it."""
    if not amount:
        return 0.0
    return amount.get(()) if len(amount) == 1 else None


def _drop_zero_terms(terms: dict[tuple[str, ...], float]) -> Amount:
    return {
        key: rounded if -LARGEST <= rounded <= LARGEST else round(_clamp_value(value), 10)
        for key, value in terms.items()
        if (rounded := round(value, 10)) != 0.0
    }


def add(left: Amount, right: Amount) -> Amount:
    """Return the sum."""
    if len(right) > len(left):
        left, right = right, left
    terms = dict(left)  # a long sum is copied as a whole, and only what may change is looked at
    for key in (*right, ()):
        total = round(_clamp_value(left.get(key, 0.0) + right.get(key, 0.0)), 10)
        if total == 0.0:
            terms.pop(key, None)
        else:
            terms[key] = total
    return terms


def scale(amount: Amount, factor: float) -> Amount:
    """`amount` times a known number."""
    return _drop_zero_terms({key: value * factor for key, value in amount.items()})


def multiply(left: Amount, right: Amount) -> Amount | None:
    """Return the product, or None where it has too many terms, or a term too many factors."""
    if len(left) * len(right) > MAX_TERMS or _degree_of_amount(left) + _degree_of_amount(right) > MAX_TERMS:
        return None
    if len(right) == 1 and (factor := right.get(())) is not None:
        return scale(left, factor)
    if len(left) == 1 and (factor := left.get(())) is not None:
        return scale(right, factor)
    terms: dict[tuple[str, ...], float] = {}
    for left_key, left_value in left.items():
        for right_key, right_value in right.items():
            key = tuple(sorted((*left_key, *right_key)))
            terms[key] = terms.get(key, 0.0) + left_value * right_value
    return _drop_zero_terms(terms)


def _degree_of_amount(amount: Amount) -> int:
    return max(map(len, amount), default=0)


def readable(amount: Amount) -> str:
    """Return the amount as a formula: `5 + 2·c.years`."""
    terms = []
    for product in sorted(amount, key=lambda product: (product != (), product)):
        factor = amount[product]
        name = "·".join(product)
        terms.append(f"{factor:g}" if not product else name if factor == 1 else f"{factor:g}·{name}")
    return " + ".join(terms) or "0"


def is_missing(amount: Amount) -> bool:
    """Return whether a table without an entry for this group takes part, or a missing value."""
    return any(part in _NOTHING for product in amount for part in product)


def is_no_value(amount: Amount) -> bool:
    """Return whether a missing value takes part, so that the whole is missing."""
    return any(NO_VALUE in product for product in amount)


def substitute(amount: Amount, key: str, replacement: Amount) -> Amount:
    """`amount` with the unknown `key` replaced; products that hold it more than once keep it."""
    result: Amount = {}
    for product, factor in amount.items():
        if product.count(key) != 1:
            result = add(result, {product: factor})
            continue
        rest = tuple(part for part in product if part != key)
        replaced = multiply({rest: factor}, replacement)
        result = add(result, replaced if replaced is not None else {product: factor})
    return result
