"""Reading the world: which maps it has, and what leads where."""
