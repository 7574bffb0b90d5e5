"""Cheap looks at the text of a file: whether it needs to be parsed, and which parts of it."""
