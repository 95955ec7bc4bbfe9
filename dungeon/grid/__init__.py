"""Masks and geometry on a grid. No game words live here."""
