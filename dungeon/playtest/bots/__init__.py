"""Bots that play any game through `dungeon.playtest.game`."""
