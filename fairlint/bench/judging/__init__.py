"""What an answer does with a protected attribute."""
