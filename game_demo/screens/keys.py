"""What the keys mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from game_demo.state.geometry import Direction

_DIRECTION_KEYS: Final[dict[Direction, tuple[str, str, str]]] = {
    (-1, 0): ("k", "up", "8"),
    (1, 0): ("j", "down", "2"),
    (0, -1): ("h", "left", "4"),
    (0, 1): ("l", "right", "6"),
    (-1, -1): ("y", "home", "7"),
    (-1, 1): ("u", "pageup", "9"),
    (1, -1): ("b", "end", "1"),
    (1, 1): ("n", "pagedown", "3"),
}

DIRECTIONS: Final[dict[str, Direction]] = {key: way for way, keys in _DIRECTION_KEYS.items() for key in keys}
"""Keys that mean a direction."""

RUN_KEYS: Final[dict[str, Direction]] = {
    key: way
    for way, (letter, arrow, _) in _DIRECTION_KEYS.items()
    for key in (letter.upper(), f"shift+{arrow}")
}
"""Keys that mean to run in a direction."""

WAIT_KEYS: Final = (".", "5", "z")

HELP: Final = r"""
Walking  y k u   7 8 9   or arrows      Going far
          \|/     \|/                    o   explore, until something is up
         h-@-l   4-@-6   with Shift:     >   to the stairs, and down them
          /|\     /|\    run             <   to the stairs, and up them
         b j n   1 2 3                   _   choose a place to go to
         .  or 5 waits a turn            R   rest until you are whole
Walk into doors to open them, into
robots to strike, into things to read   Knowing
them. On boats and the like > crosses.  x ; look around, Enter goes there
                                        m   messages      M   map so far
Things                                  P   other colours (palette)
 g ,  take what lies here               ?   this help     q   leave
 i a  your pack; a letter uses it
 c    close a door                      For those who make levels
 s    search next to you: some traps    v   all there is, in tints
      and doors are hidden              x   and then w: why is this here
 r    the last key once more            ctrl+g  any map of any world
                                        !   write a report of a mistake
A click goes there, the other button looks. Damage mends with time.
Find the stairs down, and at the bottom what you came for.
At the title, w watches a level being built.
""".strip("\n").split("\n")

WATCH_HELP: Final = r"""
l  right      a step forward          h  left     a step back
pagedown      ten forward             pageup      ten back
j  down       the next stage          k  up       the stage before
end           the finished level      home        the beginning
space  enter  play, or stop           +  -        faster, slower

tab           the next map            w  W        the next world, or back
v             tint encounters         z           all of the map, or near
f             follow what is new      HJKL        look elsewhere
                                      q  Esc      back to the title

Where something is new the ground is violet. These are the stages:

plan      how large it is, how many encounters it gets
seed      prefabs that stand before anything is dug
layout    rooms, passages, caves, and the doors between them
place     encounters, each in one of all the places where it fits
exits     where you arrive, and where the ways on are
populate  what stands in prefabs, and what is scattered over the rest
paint     what the ground is made of
prove     that it can be played
""".strip("\n").split("\n")
"""The keys of the screen on which one watches a level being built."""
