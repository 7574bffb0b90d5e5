"""The one evaluator: what code means, as symbolic values, events, and sites that tell groups apart."""
