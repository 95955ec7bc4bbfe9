"""What things are, beyond their place on a level: the parts of the player's body, the minds of robots, and how authors say so."""
