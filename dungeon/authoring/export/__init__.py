"""Writing a prefab down in another form."""
