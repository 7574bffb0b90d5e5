"""The benchmark: language models write code about people, and the same checker judges it."""
