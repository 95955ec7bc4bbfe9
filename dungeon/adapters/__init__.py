"""From a level to what games draw, run and keep: consoles, entities, text, pictures, JSON."""
