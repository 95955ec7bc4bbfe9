"""What keys mean, and the help texts."""

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
"""Key -> the direction in which it steps."""

RUN_KEYS: Final[dict[str, Direction]] = {
    key: way
    for way, (letter, arrow, _) in _DIRECTION_KEYS.items()
    for key in (letter.upper(), f"shift+{arrow}")
}
"""Key -> the direction in which it runs."""

TAB_KEYS: Final = {"tab": 1, "shift+tab": -1}
"""Key -> 1 for the next choice, -1 for the one before."""

WAIT_KEYS: Final = (".", "5", "z")

HELP: Final = r"""
Walking  y k u   7 8 9   or arrows      Going far
          \|/     \|/                   o   explore until something happens
         h-@-l   4-@-6   with Shift:    >   to the stairs, on or down
          /|\     /|\    run            <   to the stairs, back or up
         b j n   1 2 3                  _   choose a place to go to
         .  or 5 waits a turn           R   rest until hit points are full
Walk into doors to open (& is locked),
into things to read, into robots to     Knowing
strike; robots marked - let you pass.   x ; look around, Enter goes there
 g ,  take what lies here               m   messages    M  map, Tab levels
 i a d  your pack: use or drop things   e   your body; robots' marks, ! ? -
 Tab  strike the nearest; waits if it   P   change the colours (palette)
      comes to you      f  shoot        ?   this help     q   leave
 t    sneak: silent but slow            Left click goes there, right looks.
 c w  close a door; work on things      Turns use charge: without it you
 s r  search here; repeat your action   lose hit points (e tells more).
Deeper levels have stronger robots and better finds. All ways down meet at
the end. Parts make you stronger, fights do not; the haul ranks your game.
For makers of levels:  v  designer's view: why is this here, by which odds
 ctrl+g  any map of any world  ! report a mistake  w t at the title: watch
""".strip("\n").split("\n")

BODY_HELP: Final = """
A turn takes {turn} charge. A hit point mends every 8 turns, for 4 charge.
Without charge no part works and you lose hit points: use cells and cradles.
Use a part (i) to fit it. Press its number here to take it off again.

Robots see you at full range in lamp light, at two thirds in the dark; at
half of that if you stand still. If you sneak (t), at a third, and each of
your moves escapes them half the time. Your blow does full to double damage
to a robot that is not aware of you; a shot does not. Doors muffle noise:
blows are heard {blow} steps away, even when you sneak, and shots {shot}.

Colours on the map and these marks in lists show what a robot is doing:
!  after you       ~  waits for others       ?  searches for something
(  about to call   <  flees                  +  mends another
z  sleeps          x  shut down              &  is on your side
>  charges         *  reels                  -  harmless: w strikes it
""".strip().split("\n")
"""How the body works and how robots notice it. `{turn}` is the charge of a turn; `{blow}` and `{shot}` are how far they are heard."""

WATCH_HELP: Final = r"""
l  right      a step forward          h  left     a step back
pagedown      ten forward             pageup      ten back
j  down       the next stage          k  up       the stage before
end           the finished level      home        the beginning
space  enter  play, or stop           +  -        faster, slower

tab           next map; Shift: back   w  W        the next world, or back
v             tint encounters         z           all of the map, or near
f             follow what is new      HJKL        look elsewhere
t             the tour, or all steps  q  Esc      back to the title

New cells have violet ground. The stages of building a level:
plan      choose the size and draw the encounters
seed      stamp the prefabs that stand before anything is dug
layout    dig rooms, corridors, caves, and the doors between them
place     put each encounter in one of the places where it fits
dress     lay water, grass and rubble over the ground
exits     choose where you arrive, and where the ways on are
locks     lock doors and boxes, and choose where their keys lie
populate  furnish prefabs, and scatter things over the rest
paint     choose what the ground is made of
prove     check that the level can be played
""".strip("\n").split("\n")
"""The keys of the screen that shows how a level is built."""
