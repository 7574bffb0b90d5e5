"""What other judges say of answers than the linter: their execution, a model, people."""
