"""The state of a game: what it consists of, without the rules that change it and the screens that show it."""
