"""What all layouts have in common that join something: the mouths of what was seeded, ways from them, and where portals land."""
