"""A resident process that has fairlint loaded, and runs it for hooks and editors."""
