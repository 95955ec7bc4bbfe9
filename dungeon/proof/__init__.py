"""The proof: whether a finished level is playable, and is what it claims to be.

It is independent of the code that makes levels and calls none of it, so that a mistake there can't hide here. `level` checks a
level by itself, `play` solves its locks and keys, and `world_rules` and `spacing` compare it with its world.
"""
