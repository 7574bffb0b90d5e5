"""Languages whose texts can be rewritten for the other sex: words as data, and one way of reading them."""
