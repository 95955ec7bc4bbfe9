"""Populating: objects (robots, props, traps, items) for everything that prefabs draw and that maps and encounters scatter."""
