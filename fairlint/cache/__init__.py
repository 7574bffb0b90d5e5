"""What an earlier run found, kept so that it need not be found again: the folder, and values as bytes.

Nothing here knows what is kept, or when that still holds: `known_results` says so.
"""
