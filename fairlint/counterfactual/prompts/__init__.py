"""One's own prompts on counterfactual people: what is asked, and how the answers of groups are compared."""
