"""`fairlint server`: tells editors what `fairlint FILE` would, while somebody types."""
