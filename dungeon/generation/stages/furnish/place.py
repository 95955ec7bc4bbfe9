"""Placing: encounters come to stand on the finished ground plan, one after the other.

They come in order of arrival, so that a new encounter leaves those before it where they are; and those that are late, as what a mod
or a later edition adds is, have their turns in that order, but choose their places after those that are not, or are less late, whom
they leave where they are. If one of those that are due finds all the places that it could have had taken, all begin again, and it
comes before others: who has the choice yields to who has none. After the "squeaky wheel" optimization (Joslin and Clements, 1999).

Something late makes of a level what it would be without that, and itself: those that would be there without it have their homes, where
they would lie then, and are tried there first; whoever else comes spares these homes, and takes one only if there is no other place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dungeon.core.errors import CrowdedError, counted
from dungeon.core.frozen import NOTHING
from dungeon.core.registry import PLACINGS
from dungeon.generation.encounters.draw import NO_ENCOUNTER, Draw, Rank
from dungeon.generation.encounters.veto import Veto
from dungeon.generation.placing.attempt import Placed, Refused
from dungeon.generation.populate.placed import PlacedDrawing
from dungeon.generation.populate.scattering import Scatter
from dungeon.generation.stages.brief import finished
from dungeon.generation.stages.furnish.asking import covered, place_in_a_form, placer_of, spacing_of
from dungeon.level.model import Placement
from dungeon.level.steps import Phase, Step

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from dungeon.content.models.encounters import EncounterEntry, Form
    from dungeon.content.prefab.drawing import Drawing
    from dungeon.core.streams import Stream
    from dungeon.generation.encounters.draw import Arrival, Decided
    from dungeon.generation.encounters.spacing import Spacing
    from dungeon.generation.layouts.exits.ways import Foreseen
    from dungeon.generation.stages.brief import Brief, Stage
    from dungeon.generation.stages.layout import GroundPlan
    from dungeon.generation.stages.seed import SeededMap
    from dungeon.level.canvas import Canvas
    from dungeon.terrain import Colour


MOST_PRESSING = 4
"""So many copies, at most, come before others on a map, besides those that are guaranteed or late: for each all are placed anew."""


Homes = Mapping[tuple[str, int], Placement]
"""(encounter, copy) -> where it would lie if nothing so late came as does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Furnishing:
    """What has been placed, and what is to fill it.

    Attributes:
        canvas: The map.
        placements: The seeded prefabs, then the encounters.
        drawings: The prefabs of the encounters, to be filled.
        scatters: What they scatter over their rooms and caves.
        spacing: How far they lie from each other, and from stairs.
        homes: Where those that come would lie if nothing late came, or nothing as late.
    """

    canvas: Canvas
    placements: tuple[Placement, ...]
    drawings: tuple[PlacedDrawing, ...]
    scatters: tuple[Scatter, ...]
    spacing: Spacing
    homes: Homes

    @property
    def gone(self) -> list[Placement]:
        """What would be here if nothing late had come: stairs keep off it, to be where they would be then."""
        here = {(each.encounter, each.copy) for each in self.placements}
        return [each for key, each in self.homes.items() if key not in here]


def place(  # who comes, and where there is space
    brief: Brief,
    seeded: SeededMap,
    ground: GroundPlan,
    kept: Collection[int] = (),
    foreseen: Sequence[Foreseen] = (),
    before: int | None = None,
) -> Stage[Furnishing]:
    """Place encounters in order of their arrival until there are enough, or none is left.

    Args:
        brief: Which level.
        seeded: The prefabs that lie there already.
        ground: The map, before anything else is placed. It stays as it is.
        kept: The ids of the regions that are left to stairs, if something can be placed elsewhere.
        foreseen: Where the entrance and each exit would be if no encounter came.
        before: Nothing is placed whose lateness is so much or more; None to place all.

    Raises:
        CrowdedError: One that is guaranteed has no place.
    """
    pressing: dict[str, int] = {}
    homes: Homes | None = None
    noted = len(brief.journal.decisions)
    while True:
        placing = _Placing(brief, seeded, ground, kept, foreseen, pressing, homes, before)
        squeezed = yield from placing.run()
        if squeezed is None:
            return placing.furnishing()
        homes = placing.homes
        del brief.journal.decisions[noted:]
        for arrival in squeezed:
            for name, copy in placing.draw.with_company(arrival).items():
                pressing[name] = max(pressing.get(name, 0), copy)
            noted += 1
            reason = "others had left it no place: all are placed anew, and it comes before them"
            brief.journal.note("place", arrival.encounter, "retried", reason)


class _Placing:
    """The encounters of a map while they are placed.

    Args:
        brief: Which level.
        seeded: The prefabs that lie there already.
        ground: The map; a copy of it is changed.
        kept: The ids of the regions that are left to stairs.
        foreseen: Where stairs would be if no encounter came.
        pressing: Encounter -> how many copies of it come before others.
        homes: Where those that come would lie if nothing so late came; None if that is not known, or nothing late comes.
        before: What is later than that does not come.

    Attributes:
        placements: All prefabs, those of the encounters as they are placed.
        homes: As above, as soon as it is known.
    """

    def __init__(
        self,
        brief: Brief,
        seeded: SeededMap,
        ground: GroundPlan,
        kept: Collection[int],
        foreseen: Sequence[Foreseen],
        pressing: Mapping[str, int] = NOTHING,
        homes: Homes | None = None,
        before: int | None = None,
    ) -> None:
        self._begun = brief, seeded, ground, kept, foreseen
        self._pressing = pressing
        self._before = before
        self._late: list[Arrival] = []
        self.homes = homes
        self.brief = brief
        self.draw = Draw(
            brief.content, brief.name, brief.depth, brief.shares, brief.streams, brief.first, pressing, before
        )
        self.canvas = ground.canvas.copy()
        self._board = self.canvas.board
        self.zones = ground.zones
        self.placements = [*seeded.placements]
        self.drawings: list[PlacedDrawing] = []
        self.scatters: list[Scatter] = []
        self.spacing = spacing_of(brief, self.canvas, ground.zones, foreseen)
        self._where = ""
        self._placer = placer_of(brief, seeded, replace(ground, canvas=self.canvas), kept)
        if homes is not None:
            self._placer.spare([each.region for each in homes.values()])

    def run(self) -> Stage[list[Arrival] | None]:
        """Place one after the other, the late ones last. If all are to be placed anew return who has found its places taken, if anybody.

        Raises:
            CrowdedError: One that is guaranteed was refused.
        """
        draw, owed = self.draw, self.draw.wanted
        turns: Iterator[Decided[Refused | Veto]] = draw.run(self._come)
        for turn in turns:
            is_crowded_out = bool(turn.refused) and turn.refused[0][1].kind == "space"
            is_late = draw.lateness(turn.arrival) > 0
            is_due = owed > 0 or turn.arrival.rank is Rank.GUARANTEED
            # Who is late and does not come leaves all others what they are owed.
            owed -= turn.taking is not None or (is_crowded_out and not is_late)
            if is_crowded_out and is_due and self._may_press(turn.arrival):
                return [turn.arrival]
            if turn.taking is None:
                self._insist(turn.arrival, "; ".join(_told(*each) for each in turn.refused))
            elif turn.taking.encounter == NO_ENCOUNTER:
                self._note(self.brief.id, "a turn at which nothing comes")
            elif turn.taking not in self._late:
                yield self._step(turn.taking)
        if self._late:
            if self.homes is None and not self._find_homes():
                return []
            squeezed = yield from self._place_late()
            if squeezed:
                return squeezed
        for arrival, veto in draw.unmet():
            self._refuse(arrival, veto)
            self._insist(arrival, veto.reason)
        self._tell()
        return None

    def furnishing(self) -> Furnishing:
        """Return what has been placed."""
        return Furnishing(
            canvas=self.canvas,
            placements=tuple(self.placements),
            drawings=tuple(self.drawings),
            scatters=tuple(self.scatters),
            spacing=self.spacing,
            homes=self.homes or NOTHING,
        )

    def _place_late(self) -> Stage[list[Arrival]]:
        """Place those that are late, and return those of them that find no place."""
        squeezed = []
        for arrival in sorted(self._late, key=self.draw.lateness):
            found = self._find_place(arrival)
            if isinstance(found, Refused):
                squeezed.append(arrival)
                continue
            self._take(arrival, *found)
            yield self._step(arrival)
        return squeezed

    def _find_homes(self) -> bool:
        """Find out where those that are here would lie if nothing so late came; tell whether those that have places have these."""
        brief, seeded, ground, kept, foreseen = self._begun
        latest = max(map(self.draw.lateness, self._late))
        plain = finished(place(replace(brief, watched=False), seeded, ground, kept, foreseen, latest))
        count, first = len(ground.canvas.regions), len(seeded.placements)
        self.homes = {
            **plain.homes,
            **{
                (each.encounter, each.copy): each
                for each in plain.placements[first:]
                if each.region <= count  # what is dug there is no part of this map
            },
        }
        self._placer.spare([each.region for each in self.homes.values()])
        return all(
            self.homes.get((each.encounter, each.copy), each).region == each.region
            for each in self.placements[first:]
        )

    def _may_press(self, arrival: Arrival) -> bool:
        """Tell whether one that was refused may come before others, has not done so yet, and could be placed if none were there.

        Of those that are neither guaranteed nor late few may, for whatever their number they are to come as their weights say.
        """
        pressing, lateness = self._pressing, self.brief.content.lateness
        if pressing.get(arrival.encounter, 0) >= arrival.copy:
            return False
        is_sure = arrival.rank is Rank.GUARANTEED or lateness[arrival.encounter] > 0
        count = sum(copies for name, copies in pressing.items() if not lateness[name])
        if count >= MOST_PRESSING and not is_sure:
            return False
        return not isinstance(_Placing(*self._begun).attempt(arrival), Refused | Veto)

    def _come(self, arrival: Arrival) -> Refused | Veto | None:
        """Place an encounter, or put it off if it is late; or return why it is refused."""
        is_late = self.draw.lateness(arrival) > 0
        found = self._put_off(arrival) if is_late else self.attempt(arrival)
        if isinstance(found, Refused | Veto):
            self._refuse(arrival, found)
            return found
        if is_late:
            self._late.append(arrival)
        else:
            self._take(arrival, *found)
        return None

    def attempt(self, arrival: Arrival) -> tuple[Form, Placed] | Refused | Veto:
        """Place an encounter, if neither the map nor those who are on it have anything against it."""
        return self.draw.objection(arrival) or self._find_place(arrival)

    def _put_off(self, arrival: Arrival) -> tuple[Form, Placed] | Refused | Veto:
        """Return where one that is late might lie at its turn, or why it can't; the map stays as it is."""
        objection = self.draw.objection(arrival)
        if objection is not None:
            return objection
        with self._placer.on_trial():
            return self._find_place(arrival)

    def _find_place(self, arrival: Arrival) -> tuple[Form, Placed] | Refused:
        there = (self.homes or {}).get((arrival.encounter, arrival.copy))
        home = None if there is None else there.region
        about = self.brief, self._placer, arrival, self.canvas, self.zones, self.spacing
        is_late = self.brief.content.lateness[arrival.encounter] > 0
        if is_late and self.spacing.is_about_stairs(arrival.encounter):
            found = place_in_a_form(*about, home=home, foreseen=True)
            if not isinstance(found, Refused):
                return found  # stairs need not move for it
        return place_in_a_form(*about, home=home)

    def _step(self, arrival: Arrival) -> Step:
        """Return the step of having placed an encounter just now."""
        return Step(Phase.PLACE, f"{arrival.encounter}: {self._where}", self.canvas, self.placements)

    def _refuse(self, arrival: Arrival, why: Refused | Veto) -> None:
        """Note why an encounter is not on the map."""
        self.brief.journal.note("place", arrival.encounter, "refused", why.reason, why.counts, why.kind)

    def _insist(self, arrival: Arrival, reason: str) -> None:
        """Do not go on without an encounter that is guaranteed; where not all come who could, it may want one that does not.

        Raises:
            CrowdedError: It is.
        """
        if arrival.rank is Rank.GUARANTEED and self._before is None:
            raise CrowdedError(f"{arrival.encounter} is guaranteed, and can't be placed: {reason}")

    def _take(self, arrival: Arrival, form: Form, placed: Placed) -> None:
        """Take down what has been placed."""
        name, encounter, streams = arrival.encounter, form.entry, self.brief.streams
        self.spacing.settle(name, covered(self._board, self.canvas, placed))
        if not _shares(encounter):
            self.canvas.keep_region_quiet(placed.region)
        index, key = len(self.placements), ("populate", "encounter", name, arrival.copy)
        tint = self.brief.content.tint(encounter.category)
        self.placements.append(_placement(placed, arrival, form, self.draw.limit(name), tint))
        if encounter.content:
            self.scatters.append(
                Scatter(entries=encounter.content, index=index, name=key, region=placed.region)
            )
        if placed.drawing is not None:
            self.drawings.append(_drawing(placed, placed.drawing, index, streams.stream(*key)))
        where, unit = _where(placed)
        self._where = f"{form.variant}: {where}" if form.variant else where
        self.brief.journal.note("place", name, "chosen", self._where, ((unit, placed.spots),))

    def _note(self, subject: str, reason: str) -> None:
        self.brief.journal.note("place", subject, "noted", reason)

    def _tell(self) -> None:
        """Note what the map lacks, and what it has had of what it may have."""
        budget, wanted, level = self.draw.budget, self.draw.wanted, self.brief.id
        if budget.left > 0:
            placed = wanted - budget.left
            self._note(level, f"{placed} of {counted(wanted, 'encounter')} placed; no other is left to try")
        amounts = budget.amounts.items()
        if told := ", ".join(f"{budget.spent[stake]:.3g} {stake} of {most:.3g}" for stake, most in amounts):
            self._note(level, f"the encounters are expected to bring {told}")
        for category, count in budget.shortage.items():
            missing = f"{counted(count, 'encounter')} of the category {category}"
            self._note(level, f"{missing} can't be had, and the mix asks for it")


def _told(arrival: Arrival, refused: Refused | Veto) -> str:
    """Return why an encounter was refused, with the counts."""
    counts = ", ".join(f"{rule} {count}" for rule, count in refused.counts)
    return f"{arrival.encounter}: {refused.reason}{f' ({counts})' if counts else ''}"


def _shares(encounter: EncounterEntry) -> bool:
    """Tell whether the map's population may be scattered over the place of an encounter, too."""
    return PLACINGS[encounter.placing.name].shares if encounter.spawns is None else encounter.spawns


def _placement(
    placed: Placed, arrival: Arrival, form: Form, limit: int | None, tint: Colour | None
) -> Placement:
    drawing, encounter = placed.drawing, form.entry
    return Placement(
        encounter=arrival.encounter,
        category=encounter.category,
        prefab=drawing.name if drawing else "",
        mode=encounter.placing.name,
        orientation=drawing.orientation.label if drawing else "",
        region=placed.region,
        bounds=placed.bounds,
        copy=arrival.copy,
        limit=limit,
        groups=encounter.group.map,
        tint=tint,
        variant=form.variant,
    )


def _drawing(placed: Placed, drawing: Drawing, index: int, stream: Stream) -> PlacedDrawing:
    return PlacedDrawing(drawing=drawing, y=placed.bounds.y, x=placed.bounds.x, index=index, stream=stream)


def _where(placed: Placed) -> tuple[str, str]:
    """Return where something is, and what there were to choose from."""
    drawing, bounds = placed.drawing, placed.bounds
    if drawing is None:
        return f"over region {placed.region} at y {bounds.y}, x {bounds.x}", "sites"
    made = ", dug for it" if placed.dug else ", altered for it" if placed.altered else ""
    return f"{drawing.name} {drawing.orientation.label} at y {bounds.y}, x {bounds.x}{made}", "spots"
