"""Prefabs: their drawings in every variant and orientation."""
