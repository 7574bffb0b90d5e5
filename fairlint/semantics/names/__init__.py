"""Names: what they stand for in a file, in its imports and in libraries."""
