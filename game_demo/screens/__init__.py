"""What the player sees, and what keys do there: title, play, dialogs, and watching a level being built."""
