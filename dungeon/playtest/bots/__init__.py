"""Bots that play any game through the interface in `dungeon.playtest.game`."""
