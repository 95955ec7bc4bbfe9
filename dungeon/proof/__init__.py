"""The proof: whether a finished level is playable, and is what it claims to be.

It is independent of the code that makes levels and calls none of it, so that a mistake there can't hide here.

- `puzzle`, `puzzle_moves`, `puzzle_search` and `puzzle_drops` solve locks and keys; `level_puzzle` and `solution` apply them
  to a level.
- `fields`, `flat` and `survey` read a level into columns and flat arrays.
- `check` runs the rules about a level by itself: `ground_rules`, `walking_rules`, `region_rules` and `contents_rules`.
- `prove` runs these, and with a world also `world_rules` and `spacing_rules`, which compare the level with its world.
"""
