"""Where consoles are shown and keys come from: a terminal or a window. They know nothing of the game."""
