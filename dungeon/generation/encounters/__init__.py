"""Which encounters a map gets, how many of each, and why not others."""
