"""Models: who answers. One module a backend; all keep the contract of `model.py`."""
