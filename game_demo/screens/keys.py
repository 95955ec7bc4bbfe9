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

TAB_KEYS: Final = {"tab": 1, "shift+tab": -1}
"""Keys that go through what there is to choose from, forward and back."""

WAIT_KEYS: Final = (".", "5", "z")

HELP: Final = r"""
Walking  y k u   7 8 9   or arrows      Going far
          \|/     \|/                    o   explore, until something is up
         h-@-l   4-@-6   with Shift:     >   to the stairs, and on or down
          /|\     /|\    run             <   to the stairs, and back or up
         b j n   1 2 3                   _   choose a place to go to
         .  or 5 waits a turn            R   rest until you are whole
Walk into doors to open them, into
things to read them, into robots to     Knowing
strike; who is marked - lets you pass.  x ; look around, Enter goes there
 g ,  take what lies here               m   messages    M  map, Tab levels
 i a d  your pack: use, drop from it    e   your body; robots' marks, ! ? -
 f    shoot, if you have a gun          P   other colours (palette)
 t    sneak: unheard, but slow          ?   this help     q   leave
 c w  close a door; work on things      A click goes there, the other looks.
 s    find what is hidden beside you    Everything takes charge, and without
 r    once more what you did last       it you wear out: e tells what helps.
Depth tells how strong robots are, and how good what you find. All ways down
come to one end. Parts make you stronger, not fights; the haul ranks games.
For makers of levels:  v  designer's view, there x w  why is this here
 ctrl+g  any map of any world  ! report a mistake  w at the title: build one
""".strip("\n").split("\n")

BODY_HELP: Final = """
A turn takes {turn} charge. A hit point mends every 8 turns, for 4 charge.
Without charge no part works and you wear out: apply cells, use cradles.
Apply a part (i) to fit it; a number here takes one off, into your pack.

Robots see you far in lamp light, two thirds as far in the dark; half of it
if you stand, a third if you sneak (t), and then at 50% a move. Blows at
the unaware do your most, or up to double; shots don't. Doors muffle noise:
blows are heard {blow} steps away, also when you sneak, and shots {shot}.

Colours on the map, and marks in lists, show what robots do; at work, none:
!  after you       ~  waits for others       ?  searches for something
(  about to call   <  flees                  +  mends another
z  sleeps          x  shut down              &  is on your side
>  charges         *  reels                  -  no fighter: w strikes it
""".strip().split("\n")
"""How the player's body works, and what robots notice of it; for what is in braces the player reads what a turn takes, and how far blows and shots are heard."""

WATCH_HELP: Final = r"""
l  right      a step forward          h  left     a step back
pagedown      ten forward             pageup      ten back
j  down       the next stage          k  up       the stage before
end           the finished level      home        the beginning
space  enter  play, or stop           +  -        faster, slower

tab           next map; Shift: back   w  W        the next world, or back
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
