"""The layout `static`: a prefab that is the whole map."""
