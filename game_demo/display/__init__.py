"""Drawing the state of a game on a console."""
