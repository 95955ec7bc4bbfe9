"""Seeding: the features that a map lists (prefabs, stairs, barriers, areas) are put on the canvas before its layout."""
