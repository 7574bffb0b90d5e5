"""People who are written out in test data, with their groups and what is to come out for them."""
