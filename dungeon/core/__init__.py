"""What all the rest stands on: errors, random streams, registries and shared words."""
