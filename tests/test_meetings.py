"""The page of how bots fare with encounters and locks, and the errands of bots; see docs/writer/meetings.py."""

from collections import Counter

from writer.meetings import (
    BOTS,
    SEARCHING,
    Errand,
    Tally,
    content_of,
    encounters_table,
    errands_after,
    left_over,
    levels_for,
    locks_table,
    name_of,
    put,
    told,
)


def everything() -> Tally:
    """Return the tally of bots that met every encounter, survived it and opened every lock."""
    content = content_of()
    fates = Counter(
        {(bot, name, fate): 2 for bot in BOTS for name in content.encounters for fate in ("met", "alive")}
    )
    locks = Counter({(bot, lock.name): 3 for bot in BOTS for lock in content.locks.values()})
    return Tally(fates, locks, locks.copy())


def left(total: Tally, straight: Tally) -> list[str]:
    """Return what is left, in the words of the page."""
    return list(left_over(total, straight, content_of()))[1:]


NOTHING = [
    "- Encounters that no bot met: none.",
    "- Encounters that no bot survived: none.",
    "- Encounters with items of which no bot took any: none.",
    "- Locks that no bot opened: none.",
]


def test_nothing_is_left_after_everything_was_done() -> None:
    assert errands_after(everything(), content_of()) == []
    assert left(everything(), Tally()) == NOTHING


def test_a_bot_is_put_before_encounters_it_did_not_meet() -> None:
    total, straight = everything(), Tally()
    total.fates["hasty", "den", "met"] = total.fates["hasty", "den", "alive"] = 0
    assert errands_after(total, content_of()) == [Errand("hasty", "survive", "den")]
    assert left(total, straight) == NOTHING  # others did
    straight.fates["hasty", "den", "met"] = 1
    (line,) = (each for each in encounters_table(total, straight, content_of()) if "| den |" in each)
    assert line == "| den | danger | 2: alive 100% | 2: alive 100% | straight, 1 |"


def test_encounters_and_locks_are_listed_until_a_bot_deals_with_them() -> None:
    total, straight = everything(), Tally()
    for bot in BOTS:
        total.fates[bot, "den", "alive"] = total.fates[bot, "kennel", "met"] = total.fates[
            bot, "kennel", "alive"
        ] = 0
        total.fates[bot, "hidden_cache", "held"] = 2
        total.opened[bot, "winch"] = 0
    assert left(total, straight) == [
        "- Encounters that no bot met: kennel.",
        "- Encounters that no bot survived: den.",
        "- Encounters with items of which no bot took any: hidden_cache.",
        "- Locks that no bot opened: winch.",
    ]
    errands = errands_after(total, content_of())
    assert [(each.kind, each.name) for each in errands if each.bot == "greedy"] == [
        ("survive", "den"),
        ("survive", "kennel"),
        ("open", "winch"),
    ]
    assert {(each.kind, each.name) for each in errands if each.bot == SEARCHING} == {
        ("take", "hidden_cache"),
        ("open", "winch"),
    }
    for name in ("den", "kennel"):
        straight.fates["greedy", name, "met"] = straight.fates["greedy", name, "alive"] = 1
    straight.fates[SEARCHING, "hidden_cache", "met"] = 4
    straight.fates[SEARCHING, "hidden_cache", "took"] = 1
    straight.locks["greedy", "winch"] = straight.opened["greedy", "winch"] = 1
    assert left(total, straight) == [
        *NOTHING,
        "- Of *hidden_cache* only the searching bot took something. Straight, 4: took 25%.",
    ]
    straight.fates["greedy", "hidden_cache", "took"] = 1
    assert left(total, straight) == NOTHING
    (line,) = (each for each in locks_table(total, straight) if "| winch |" in each)
    assert line == "| winch | 0 of 3 | 0 of 3; straight, 1 of 1 | 0 of 3 |"


def test_a_bot_is_put_on_levels_with_its_errand() -> None:
    content = content_of()
    world, level = next(levels_for(Errand("hasty", "survive", "canteen"), content, 3))
    assert world.seed >= 3
    assert "canteen" in {each.encounter for each in level.placements}
    _, level = next(levels_for(Errand("greedy", "open", "inspector's lock"), content, 0))
    assert level.id == "goods_inwards/1"
    assert "inspector's lock" in {name_of(level, each) for each in level.locks}


def test_an_errand_counts_only_its_encounter_or_lock() -> None:
    errand = Errand("hasty", "survive", "canteen")
    tally = put(errand, 0)
    assert errand.is_done(tally)
    assert {name for _, name, _ in tally.fates} == {"canteen"}
    assert not tally.locks
    assert told(tally, "hasty", "canteen").startswith("1: alive 100%")
    assert told(tally, "greedy", "canteen") == ""
