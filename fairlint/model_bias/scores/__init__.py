"""How much bias a model has: published scores, and scores of the code that it writes.

One module a data set: `plan` says which tokens the model is asked for, `figures` makes figures of its
answers. `scoring.score` does both.
"""
