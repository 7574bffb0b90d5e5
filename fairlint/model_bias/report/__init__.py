"""The page of a folder of results, and its figures one by one, for a paper."""
