"""A run's requests: chosen, asked, kept, stopped and continued."""
