"""Groups: the places that tell them apart, and what each group gets there."""
