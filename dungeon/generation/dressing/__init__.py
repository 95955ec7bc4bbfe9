"""Dressing: what is laid over finished ground: water, chasms, grass, rubble, cracks, light."""
