"""Names of functions that give what the rest of their name says."""

GETTER_PREFIXES = (
    "get_",
    "calculate_",
    "compute_",
    "calc_",
    "fetch_",
    "read_",
    "get",
    "calculate",
    "compute",
)
