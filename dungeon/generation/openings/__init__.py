"""How a prefab is entered: where corridors meet it, which of its cells they reach, and drawing it on the map."""
