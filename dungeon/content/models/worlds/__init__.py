"""The world of a game as its author says it, and as a chart of maps."""
