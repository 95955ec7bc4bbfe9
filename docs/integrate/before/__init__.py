"""Cellar: a small game in the shape that tutorials for tcod have, with floors of its own making."""
