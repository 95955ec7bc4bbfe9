"""A level: the canvas while it is being built, the frozen model when it is done, its journal and its proof."""
