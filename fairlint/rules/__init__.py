"""Rules: their pages, and how they judge a use."""
