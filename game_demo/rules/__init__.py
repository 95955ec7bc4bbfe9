"""What changes the state of a game: the player's actions, and what happens by itself on every turn."""
