"""Libraries as data: what their functions and methods do, one TOML file a library. README.md explains it."""
