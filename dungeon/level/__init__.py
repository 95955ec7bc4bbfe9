"""A level: the canvas while it is being built, the frozen model when it is done, and the journal of decisions."""
