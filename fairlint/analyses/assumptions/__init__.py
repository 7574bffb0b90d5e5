"""What a file assumes about people, read as it is written: defaults, what is filled in, codes, guesses."""
