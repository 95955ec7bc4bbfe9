"""The stages in which a level is generated; `pipeline.make` runs them in order.

Each stage is a generator: it yields a `Step` after each change and returns a small frozen value for later stages. The stages from
`dress` on take these values as one `LevelState`. The canvas in it keeps changing; nothing else does.
"""
