"""The executor: statements, expressions, calls and followed functions, which evaluate one another."""
