"""Level generation: the stages of a level, and the packages that they use."""
