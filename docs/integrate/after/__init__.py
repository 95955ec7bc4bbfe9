"""Cellar: a small game in the style of tutorials for tcod. Its floors are levels of a world."""
