"""What a model's own bias is measured on: published data sets, and prompts of code.

One module a data set; `loading.load` has them all, `pairs.pairs` makes pairs for locating of their items.
"""
