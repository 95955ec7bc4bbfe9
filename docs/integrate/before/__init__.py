"""Cellar: a small game in the style of tutorials for tcod. It makes its own floors."""
