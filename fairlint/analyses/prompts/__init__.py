"""Texts that a program makes: how they are put together, what they ask for, whom they prefer."""
