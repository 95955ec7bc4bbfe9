"""Which words a shell may complete: names from the content that a half-typed call means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import argparse

    from dungeon.content.library import Content

Named = Literal["map", "prefab", "encounter"]
"""What has a name that an argument may want."""


def completes(argument: argparse.Action, *kinds: Named) -> None:
    """Let a shell complete an argument with all names of these kinds.

    Args:
        argument: The argument, of a command that has the options of `add_data`.
        kinds: What it may name.
    """

    def names(parsed_args: argparse.Namespace, **_: Any) -> list[str]:
        return [name for kind in kinds for name in _names_of(kind, parsed_args)]

    argument.completer = names  # type: ignore[attr-defined]  # where argcomplete looks for it


def _names_of(kind: Named, options: argparse.Namespace) -> list[str]:
    """Return all names of a kind; none if the content is wrong, as a shell has nowhere to say so."""
    import dungeon
    from dungeon.cli.calling import CallError, folders_of

    try:
        content = dungeon.load_content(*folders_of(options), cache=dungeon.cache_folder())
    except (dungeon.ContentError, CallError):
        return []
    return _listed(kind, content)


def _listed(kind: Named, content: Content) -> list[str]:
    if kind == "map":
        return [*content.chart.spots]
    return [*(content.prefabs if kind == "prefab" else content.encounters)]
