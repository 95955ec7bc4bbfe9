"""The stages in which a level is made, a file each: what a stage takes are its arguments, what it gives it returns. From dressing on they are handed a `LevelState`.

`pipeline.make` runs them in order. Each is a generator of steps that returns a small frozen value for those after it;
the canvas in it is the one thing that changes hands, and goes on changing.
"""
