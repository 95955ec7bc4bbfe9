"""Cellar: a small game in the shape that tutorials for tcod have, with the levels of a world as its floors."""
