"""What runs code that nobody vouches for: each executor in processes of its own, under limits."""
