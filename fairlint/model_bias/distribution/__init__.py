"""How a model shares professions out among groups, and moving it towards a target."""
