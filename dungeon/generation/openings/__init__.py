"""How a prefab is entered: where ways meet it, what of its inside they lead to, and putting it on the map so."""
