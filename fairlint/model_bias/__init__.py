"""A model's own bias, in the text and in the code that it writes: how much there is, and where it sits.

Not `fairlint.library_models`, which says what libraries do with values.
"""
