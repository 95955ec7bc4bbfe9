"""The works answer back: what the player can do to what stands about, other than walking into it, and what comes of it."""
