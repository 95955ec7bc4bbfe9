"""What the player's body does: its battery, its parts, its blows and shots."""
