"""Code that others bring: who offers what, and calls of it that cannot harm a run."""
