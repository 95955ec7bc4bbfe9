"""Adapters from a level to consoles, tiles, entities, text, pictures, JSON and Tiled."""
