"""Populating: from references to concrete spawns."""
