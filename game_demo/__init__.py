"""A small game that plays the worlds of `dungeon`: run it with ``python -m game_demo``."""
