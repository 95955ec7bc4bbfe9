"""Telling what a prefab says: each character's meaning, and its exact odds."""
