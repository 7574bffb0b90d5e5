"""Suites: what models are asked. Each is data, in `data/`, and code that makes requests of it."""
