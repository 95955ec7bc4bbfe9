"""The game without a screen: the interface by which bots play it."""
