"""Playing the locks and keys of a level, as a puzzle of areas: how far a player gets, and whether one can be stranded."""
