"""Encounters: which of them a map gets, how often, and what excludes what."""
