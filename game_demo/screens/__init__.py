"""What the player sees and what the keys do there: title, play, dialogs, and watching a level being built."""
