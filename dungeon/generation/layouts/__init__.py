"""Layouts: the algorithms that dig the rooms, caves and corridors of a map.

The files of a layout begin with its name, and the function to read first has the name itself: `tunnels.tunnels`,
`connected.connected`, `caves.caves`, `mines.mines`, `cards.cards`, `patchwork.patchwork`, `static.static`. All layouts share:

    job         what a layout is given, and the retries until it succeeds
    seeded      ways to prefabs that were put on the map before the layout
    doorways    kinds of door, mouths of prefabs, doors that lead nowhere
    exits       the cells of the stairs; exits_pools: which cells may be stairs
    shaping     shapes of rooms without an encounter
    dice        values of the content grammar as lookup tables
"""
