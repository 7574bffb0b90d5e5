"""Tables of people: their columns, what libraries do to them, and what a model is taught."""
