"""Python: its grammar, lowered to the shared tree."""
