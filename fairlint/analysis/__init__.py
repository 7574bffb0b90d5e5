"""What code does with a protected attribute: symbolic values, guards, points and effects."""
