"""Locks and keys: what a level's locks divide, where keys may lie, and which doors are locked besides."""
