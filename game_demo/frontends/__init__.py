"""Terminal and window: where consoles are shown and keys come from. They know nothing of the game."""
