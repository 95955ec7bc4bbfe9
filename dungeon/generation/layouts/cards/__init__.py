"""The layout `cards`: rooms as cards on a grid of cells."""
