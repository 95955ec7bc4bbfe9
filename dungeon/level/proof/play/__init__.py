"""Playing the locks and keys of a level, as a puzzle of areas: how far one gets, and whether one can be stranded."""
