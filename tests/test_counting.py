"""Numbers of maps and encounters, counted from the events of a game."""

from __future__ import annotations

from dataclasses import replace

from dungeon.playtest.bots.playing import (
    EventCount,
    GameOutcome,
    MapVisit,
    Meeting,
    Moment,
    death_in,
    event_counts_of,
    meetings_of,
    visits_of,
)
from dungeon.playtest.game import Event

DEN = 4, "den"
"""A placement and its encounter."""


def outcome(*moments: tuple[int, Event], turns: int = 100, hp: int = 20) -> GameOutcome:
    """Return a game that began in the hall, of events with the turns on which they were."""
    return GameOutcome(
        ending=None, actions=turns, turns=turns, map_id="hall/1", depth=1, cell=(1, 1),
        start=Moment(0, 0, 30, Event("entered", "hall/1")),
        moments=tuple(Moment(turn, turn, hp, event) for turn, event in moments),
    )  # fmt: skip


def den(*moments: tuple[int, Event], robots: int = 0) -> Meeting:
    """Return the meeting of a game with its only encounter, which has `robots` robots."""
    (meeting,) = meetings_of(outcome(*moments), lambda *_: robots)
    return meeting


def none(map_id: str, placement: int) -> int:
    """Say that no robots came with a placement."""
    return 0


def in_den(kind: str, *, amount: int = 0, number: int | None = None) -> Event:
    return Event(kind, "hall/1", *DEN, "rat", amount, number)


def test_turns_of_all_visits_to_a_map_are_added_up() -> None:
    found = visits_of(
        outcome(
            (1, Event("entered", "hall/1")),
            (10, Event("entered", "cave/2")),
            (15, Event("hurt", "cave/2", amount=3)),
            (25, Event("entered", "hall/1")),
            (40, Event("gained", "hall/1")),
            (60, Event("entered", "cave/2")),
            (90, Event("sprung", "cave/2", amount=4)),
            (90, Event("died", "cave/2")),
        )
    )
    assert found == [
        MapVisit(map_id="hall/1", turn=0, hp=30, turns=10 + 35, gained=1),
        MapVisit(map_id="cave/2", turn=10, hp=20, turns=15 + 40, hp_lost=7, died=True),
    ]


def test_charge_spent_is_the_charge_gained_less_the_rise_on_each_map() -> None:
    told = [
        Moment(20, 20, 9, Event("used", "hall/1", tag="cell"), 130),
        Moment(20, 20, 9, Event("charged", "hall/1", amount=50), 130),
        Moment(40, 40, 9, Event("entered", "cave/2"), 110),
        Moment(70, 70, 9, Event("entered", "hall/1"), 75),
    ]
    game = replace(
        outcome(), start=Moment(0, 0, 30, Event("entered", "hall/1"), 100), moments=tuple(told), charge=60
    )
    found = [(each.map_id, each.charge, each.used, each.charged, each.spent) for each in visits_of(game)]
    assert found == [("hall/1", 100, 1, 50, 100 + 50 - 110 + 75 - 60), ("cave/2", 110, 0, 0, 110 - 75)]


def test_events_are_counted_by_map_kind_and_tag() -> None:
    game = outcome(
        (5, Event("hurt", "hall/1", tag="rat", amount=3)),
        (6, Event("dealt", "hall/1", tag="rat", amount=2)),
        (7, Event("hurt", "hall/1", *DEN, "rat", 4)),
        (8, Event("worn", "hall/1", amount=1)),
        (9, Event("hurt", "cave/2", tag="rat", amount=1)),
    )
    assert event_counts_of(game) == [
        EventCount("hall/1", "hurt", "rat", 2, 7),
        EventCount("hall/1", "dealt", "rat", 1, 2),
        EventCount("cave/2", "hurt", "rat", 1, 1),
    ]


def test_a_game_without_events_is_a_visit_of_its_first_map() -> None:
    assert visits_of(outcome()) == [MapVisit(map_id="hall/1", turn=0, hp=30, turns=100)]
    assert meetings_of(outcome(), none) == []


def test_an_encounter_seen_but_never_entered_is_seen_afar() -> None:
    seen = den((5, in_den("seen")), (9, in_den("seen")))
    assert (seen.seen, seen.met, seen.seen_afar, seen.turns) == (5, False, True, 0)
    met = den((5, in_den("seen")), (7, in_den("met")), (7, in_den("came")))
    assert (met.seen, met.met, met.seen_afar) == (5, True, False)


def test_turns_of_a_meeting_end_when_the_player_leaves_its_ground() -> None:
    off, other = Event("came", "hall/1"), Event("came", "hall/1", 5, "nook")
    went = meetings_of(
        outcome(
            (10, in_den("came")), (14, off), (20, in_den("came")), (21, other), (24, in_den("came")),
            (30, Event("entered", "cave/2")), (50, Event("came", "cave/2")), (99, in_den("came")),
        ),
        none,
    )  # fmt: skip
    assert [(each.encounter, each.turns) for each in went] == [("den", 4 + 1 + 6 + 1), ("nook", 3)]


def test_a_fight_is_won_when_all_robots_that_fought_are_destroyed() -> None:
    first = [(1, in_den("fought", number=1)), (1, in_den("dealt", amount=2, number=1))]
    beaten = [*first, (2, in_den("hurt", amount=5, number=2)), (3, in_den("destroyed", number=1))]
    left = den(*beaten)
    assert (left.fought, left.won, left.fled, left.hp_lost) == (True, False, True, 5)
    won = den(*beaten, (4, in_den("destroyed", number=2)), (9, in_den("gained", number=3)))
    assert (won.fought, won.won, won.fled, won.gained) == (True, True, False, 1)
    lost = den(*beaten, (4, in_den("died", number=2)))
    assert (lost.fought, lost.won, lost.fled, lost.died) == (True, False, False, True)


def test_passing_robots_without_a_fight_counts_as_fled() -> None:
    met = [(1, in_den("seen")), (1, in_den("met"))]
    assert [den(*met, robots=robots).fled for robots in (0, 2)] == [False, True]
    assert not den(*met[:1], robots=2).fled
    won = den(*met, (2, in_den("destroyed", number=1)), robots=2)
    assert (won.won, won.fled, won.robots) == (True, False, 2)


def test_stepping_into_a_trap_is_no_fight() -> None:
    hurt = den((1, in_den("met")), (1, in_den("sprung", amount=6, number=8)))
    assert (hurt.fought, hurt.won, hurt.fled, hurt.hp_lost) == (False, False, False, 6)


def test_meetings_are_counted_by_map_and_placement() -> None:
    told = [
        Event("hurt", "hall/1", None, "", "rat", 4),
        Event("hurt", "hall/1", 2, "", "rat", 4),
        Event("met", "hall/1", *DEN),
        Event("met", "hall/1", 5, "den"),
        Event("met", "cave/2", *DEN),
        Event("seen", "hall/1", *DEN),
    ]
    met = meetings_of(outcome(*((3, each) for each in told)), none)
    assert [(each.map_id, each.placement) for each in met] == [("hall/1", 4), ("hall/1", 5), ("cave/2", 4)]


def test_a_death_has_its_cause() -> None:
    died = Event("died", "hall/1", *DEN, "rat")
    assert death_in(outcome((1, in_den("hurt", amount=9)), (1, died))) == died
    assert death_in(outcome((1, in_den("hurt", amount=9)))) is None
