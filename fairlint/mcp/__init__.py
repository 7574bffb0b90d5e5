"""`fairlint mcp`: lets coding agents ask what `fairlint FILE` tells, over the model context protocol."""
