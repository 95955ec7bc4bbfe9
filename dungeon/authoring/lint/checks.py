"""Everything that a look over content can say, in one place; ``docs/checks.md`` explains each to authors.

Words in braces are filled in: which entry, where, how many.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dungeon.core.errors import Severity


class Check(NamedTuple):
    """One thing that can be said.

    Attributes:
        severity: How bad it is.
        says: The message, with words in braces to be filled in.
    """

    severity: Severity
    says: str


_WARNINGS = {
    # drawings
    "unused character": "neither the drawing nor the steps of 'vary' ever use this character",
    "unplaceable": "it can never be placed {mode}, as encounter {encounter} wants it: {reason}",
    "unplaceable variants": "in {some} of {all} variants it can't be placed {mode}, as encounter {encounter} wants it: {reason}",
    "blind link": "this link lies under something that stays, so nobody can come in by it",
    "stuck link": "this link leads into terrain that is never dug, so no way starts here",
    "sometimes stuck link": "in {some} of {all} variants this link leads into terrain that is never dug, so no way starts here",
    "sometimes blind link": "in {some} of {all} variants this link lies under something that stays, so nobody can come in by it",
    "never seedable": "it can never be seeded, as map {map} wants it: it has {reason}",
    "not always seedable": "in {some} of {all} variants it can't be seeded, as map {map} wants it: it has {reason}",
    "never closed": "no link, door or open edge leads to this cell: as map {map} wants it, a way is dug there through a wall",
    "not always closed": "in {some} of {all} variants no link, door or open edge leads to this cell: as map {map} wants it, a way is dug there through a wall",
    "never drawn as it is": "as map {map} is drawn it has {reason}",
    "not always drawn as it is": "in {some} of {all} variants map {map}, as it is drawn, has {reason}",
    "locked prop": "it has a locked prop that nobody is sure to get to with its key, so that it stays shut",
    "sometimes locked prop": "in {some} of {all} variants it has a locked prop that nobody is sure to get to with its key, so that it stays shut",
    "changed as a map": "map {map} will not be as it is drawn here, for it has {reason}",
    "in closed terrain": "this can never stand here, in {terrain}{cells}",
    "where nobody walks": "this can never lie here, in {terrain}, where nobody walks{cells}",
    "over a machine": "this can never stand here: a machine takes up the cell{cells}",
    "door in the open": "steps lead around this door: no wall stands on both sides of it",
    "door sometimes in the open": "in {some} of {all} variants steps lead around this door: no wall stands on both sides of it",
    "machine without drawing": "no machine is drawn that this could name",
    "paints without paint": "there is no 'paint' in which these colours could be used",
    "unused paint": "'paint' never uses this character",
    "colours of a text": "a map drawn as text has no colours to be read",
    "nearest of none": "no colour is listed in any palette, so none can be the nearest",
    "nothing fits": "none of its prefabs fits into the cells that are marked {mark} here",
    "nothing ever fits": "none of its prefabs fits into any group of cells that is ever marked {mark}",
    # what symbols mean
    "object everywhere": "each of the {count} cells of the map drawn so becomes this object: {mark} has a meaning of its own",
    "unused parameter": "no switch asks for this parameter",
    "group of one": "no other character of prefab {prefab} is in this group, so this one always comes true",
    "group without weight": "all characters of prefab {prefab} in this group have the weight 0, so none comes true",
    "stairs to nowhere": "these stairs are never drawn: no map on which they may come up leads there",
    "lock without key": "nothing opens this lock",
    "lock of another map": "nothing on {maps} opens this lock, only things that lie elsewhere do",
    "key without lock": "there is no lock that this opens",
    "unknown state": "no {kind} that is asked for here has this state in the catalog",
    "toggles nothing": "this opens locks, and shuts none again: only props do that are not locked themselves, nor used up",
    "ambush without bait": "no item springs this ambush",
    "ambush of nobody": "no robot waits for this to be taken",
    "lock that nothing opens": "no {kind} of the catalog is what opens this lock",
    # encounters and maps
    "weight 0 everywhere": "its weight is 0 on all of its maps, so it never comes up",
    "depth of no map": "it never comes up: its maps lie at {depths} only",
    "too large": "prefab {prefab}, {size} cells, is larger than any room of {maps}, {largest} at most",
    "larger than the map": "prefab {prefab}, {size} cells, is larger than {maps}, {largest} at most",
    "encounter alone": "no other encounter is in this group, so it keeps nothing apart",
    "required elsewhere": "it never comes up: what it requires is on none of its maps",
    "company excluded": "it never comes up: {one} and {other} would have to be on the same map, and {reason}",
    "near to excluded": "it never comes up: all encounters that go by this exclude it, or what it requires",
    "near and far": "it never comes up: all encounters that it may be near to have to be farther away, by 'far_from'",
    "limit of 0": "it never comes up: its limit is 0",
    "least above most": "there can't be so many: there are {most} at most",
    "doors too many": "no room or cave of {maps} has so many ways in: the most found in a trial level are {most}",
    "guaranteed alone": "no such map can be made, for this is guaranteed there, and {lacking} never there",
    "near to nobody": "it never comes up: nobody who goes by this is on any of its maps",
    "over every budget": "it never comes up: it is expected to bring {dear}, and so with every budget of its maps",
    "nothing for the mix": "some of these are asked for, and no encounter of the category is possible at {map_id}",
    "limits below the mix": "{least} of these are asked for at least, and by their limits {map_id} can have {most} at most",
    "mix below the map": "{map_id} can have {most} with this mix of the {wanted} encounters or more that it is to have",
    "word for several": "{things} have this name, and all of these are meant",
    "bright category": "characters are hard to read on a colour as bright as this",
    "stand-in elsewhere": "it is on none of these maps, so it never takes a turn",
    "no such zone": "none of its maps has a zone of this name",
    "map without sites": "the layout {layout} of map {map} has no {places} to place encounters in",
    "never complete": "its maps can never be all that is asked for: {reason}",
    "fewer than asked": "in {all} tries at most {most} of the {wanted} that are asked for found space",
    "never locked": "in {all} tries there was no place for enough of what opens this lock, so that nothing was locked with it",
    "nothing to lock": "the layout {layout} of map {map} has no rooms to be locked",
    "space too seldom": "on {map_id} there is space for it in {some} of {all} ground plans, even with nothing else there, and its weight asks for {asked}: it needs {needs} ({rules})",
    "no encounter": "encounters are asked for, and none is possible at {map_id}",
    "unused map": "the world has no map of this name",
    "dead end": "in {some} of {all} worlds nothing leads on from {map_id}: they lack all that it leads to",
    # features of maps
    "variant without weight": "its weight is 0, so this variant never comes up",
    "area larger than the map": "this is larger than the map, which is {size} cells at most",
    "off the map": "here it would reach off the map, which is {size} cells at most",
    "no such place": "it can lie nowhere on the map, which is {size} cells at most: nothing is right by all that is said here of its place",
    "farther than the map": "no two cells of the map, which is {size} cells at most, are so many steps apart",
    "never lay there": "in {all} tries it never had a place: {reason}",
    "never on the map": "no level has a place for this: {reason}",
    "no space left": "this covers the whole map, which is {size} cells at most, so that nothing can be dug",
    "never lies so": "prefab {prefab} permits none of these orientations",
    "no stairs to lead there": "none of its prefabs has stairs down or an exit",
    # dressing of maps
    "nothing to dress": "the layout {layout} of map {map} makes no such region, so there is nothing to dress",
    "no space to dress": "this has no space on the map, which is {size} cells at most",
    # machines of maps
    "never a machine": "it can never be a machine, as map {map} wants it: {reason}",
    "not always a machine": "in {some} of {all} variants it can't be a machine, as map {map} wants it: {reason}",
    # objects that are asked for
    "no member": "no {kind} of {asked} fits {depths}, where {way} asks for one {fallback}",
}

_ERRORS = {
    "no level": "in {some} of {all} tries no level could be made of it: {reason}",
    "no level if drawn as it is": "no level of map {map} can be made of this: it has {reason}",
}

_NOTES = {
    "map limit above world limit": "a map may have more copies than the world, which may have {world}",
    "alone on this map": "it never comes to this map: {lacking} is never there",
    "without its zones": "it never comes to this map, which has none of its zones",
    "mix of nothing": "the map gets no encounters, so this changes nothing",
    "far from nobody": "nobody who goes by this is on any of its maps, so it keeps no distance",
    "counts for nothing": "budgets count this for nothing, as it does not say its '{stake}'",
    "way said twice": "other rules say all that this one says",
    "size not asked": "the layout {layout} brings its own size",
    "crossing without need": "one can walk on what it crosses, so nothing need lead across",
    "never comes": "with a chance of 0% this never comes true",
    "chance without effect": "where its chance keeps it away it comes all the same{cells}: nobody could get to its place",
    "unique of one": "there is just one object to choose, so all neighbours get it anyway",
    "unasked prefab": "no encounter, map or 'fit' asks for this prefab",
    "unasked tag": "no encounter, map or 'fit' asks for this tag",
    "unused legend": "no prefab and no other legend uses this legend",
    "unused palette": "no prefab and no other palette uses this palette",
    "unused lock": "nothing is locked with this",
    "unused theme": "no map uses this theme",
    "unused terrain": "nothing uses this kind of terrain",
    "unused category": "no encounter is of this category",
    "unused weight word": "nothing uses this word",
    "edition of nobody": "no encounter has this name any more",
    "no prototype": "no {kind} of {asked} that fits {depths} is a prototype, so this changes nothing",
    "unreachable object": "nothing in the content ever brings one of these into the world",
    # mods
    "two mods": "another mod has a say in this, in {other}; this one counts, as it is laid over that",
}

CHECKS: Mapping[str, Check] = MappingProxyType(
    {name: Check("warning", says) for name, says in _WARNINGS.items()}
    | {name: Check("error", says) for name, says in _ERRORS.items()}
    | {name: Check("note", says) for name, says in _NOTES.items()}
)
