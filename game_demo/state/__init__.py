"""The state of a game: its data, without the rules that change it and the screens that show it."""
