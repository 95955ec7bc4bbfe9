"""What the player has done in a game, in a few sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

from game_demo.rules.locks import opened_locks
from game_demo.rules.naming import as_sentence, pluralized, with_article

if TYPE_CHECKING:
    from collections.abc import Iterable

    from game_demo.state.game import Game


def tale(game: Game) -> list[str]:
    """Return the sentences in which a game is told once it is over, the weightiest first."""
    game.resume()
    if game.ending != "victory":
        return [_haul(game), _robots(game), _way_down(game)]
    return [*filter(None, [_way_in(game), _way_down(game), _robots(game), _haul(game), game.epilogue])]


def _way_in(game: Game) -> str:
    """Return which of the locks that have names are open where the player has found what he was after; empty if none is."""
    doors = [f"the {name.removeprefix('the ')}" for name in opened_locks(game)]
    return f"On the last level you opened {_joined(doors)}." if doors else ""


def _way_down(game: Game) -> str:
    """Return where the player was, in the order in which he came there, and how long that took."""
    names = dict.fromkeys(map(game.name_of_map, game.maps))
    places = [name.replace("The ", "the ", 1) if name.startswith("The ") else name for name in names]
    deepest = max(game.world.node(map_id).depth for map_id in game.maps)
    levels, turns = pluralized(len(game.maps), "level"), pluralized(game.log.turn, "turn")
    return f"Your way led through {_joined(places)}: {levels}, down to depth {deepest}, in {turns}."


def _robots(game: Game) -> str:
    """Return how the player has fared with robots: how many he has destroyed and won over, and how many were after him besides."""
    destroyed, turned, others = game.destroyed.total(), game.turned.total(), len(game.roused)
    if not destroyed + turned + others:
        return "No robot has taken notice of you."
    lie = (
        "1 robot lies where you left it" if destroyed == 1 else f"{destroyed} robots lie where you left them"
    )
    told = {
        lie if destroyed else "you destroyed no robot": True,
        f"{turned} kept you company for a while": turned,
        f"{others} that noticed you still {'stands' if others == 1 else 'stand'}": others,
    }
    line = _joined([text for text, is_so in told.items() if is_so])
    return f"{as_sentence(line)}."


def _haul(game: Game) -> str:
    """Return what the player has hauled together, and what of it is worth most."""
    haul = game.player.haul
    if not haul.counts:
        return "You have no haul."
    best, _ = haul.best()[0]
    most = f", the best of them {with_article(best.name)}" if best.value and len(haul.counts) > 1 else ""
    return f"Your haul: {haul}{most}."


def _joined(parts: Iterable[str]) -> str:
    """Return parts as a list: ``this, that and those``."""
    *others, last = parts
    return f"{', '.join(others)} and {last}" if others else last
