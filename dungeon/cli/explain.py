"""`dungeon explain`: print what each character of a prefab means, which file says so, and how likely each outcome is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dungeon.cli.calling import DONE, add_data, folders_from_options, hint_about, unknown
from dungeon.cli.completion import complete_with
from dungeon.cli.printing import waiting
from dungeon.cli.show_rolls import add_depth
from dungeon.core.errors import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence

    from dungeon.authoring.explain import Character, Explanation, MachineWords, MeaningCase, Outcome
    from dungeon.cli.calling import Commands
    from dungeon.content.library import Content

ALWAYS = 1 - 1e-12


def add_to(commands: Commands) -> argparse.ArgumentParser:
    """Add the command to the parser, and return the command's own parser."""
    command = commands.add_parser(
        "explain",
        help="explain a prefab character by character, with exact odds",
        description="For each character: its meaning, the file and line that say so, and the chance of each object in a cell at one "
        "depth. Groups, classes and chances are taken into account.",
        epilog="example: dungeon explain engine_house --depth 3",
    )
    complete_with(command.add_argument("prefab", metavar="PREFAB", help="name of the prefab"), "prefab")
    add_depth(command)
    add_data(command)
    return command


def run(options: argparse.Namespace) -> int:
    """Print the explanation of a prefab."""
    import dungeon
    from dungeon.authoring.explain import explain_prefab

    with waiting("reading the content"):
        content = dungeon.load_content(*folders_from_options(options))
    if not content.has_prefab(options.prefab):
        there = (
            f"there {'is' if len(content.prefabs) == 1 else 'are'} {counted(len(content.prefabs), 'prefab')}"
        )
        meant = hint_about(options.prefab, content)
        raise unknown("prefab", options.prefab, content.prefab_names, meant=meant, there=there)
    variants = content.variants_of(options.prefab)
    with waiting(f"explaining {options.prefab}"):
        explanations = [
            explain_prefab(content, name, depth=options.depth) for name in variants or (options.prefab,)
        ]
    if variants:
        print(f"{options.prefab}: prefab with {counted(len(variants), 'variant')}")
        print(*_parts(content, variants), sep="\n")
    for number, explanation in enumerate(explanations):
        if variants or number:
            print()
        print(*explanation_lines(explanation), sep="\n")
    return DONE


def _parts(content: Content, variants: Sequence[str]) -> Iterator[str]:
    """Yield a line for each variant of a prefab: how often it is drawn where all of them may be used."""
    from dungeon.content.values.prefab_weights import parts_of

    for name, part in parts_of(variants, content.variants).items():
        yield f"  {_percent(part):>6} {name}  [{content.sources['prefab', name]}]"


def explanation_lines(told: Explanation) -> Iterator[str]:
    """Yield the explanation of a prefab, line by line."""
    from dungeon.authoring.uses import use_text

    height, width = told.size
    yield f"{told.name}: prefab, {width}x{height}, {told.source}; odds at depth {told.depth}"
    yield from (f"  {change}" for change in told.changes)
    for base, source, changes in told.bases:
        yield f"  like {base}, {source}"
        yield from (f"    {change}" for change in changes)
    for name, rows in told.planes:
        yield from _section(name, rows)
    yield from _section("characters", (line for each in told.characters for line in _character(each)))
    yield from _section("decided once", (f"{name}: {words}" for name, words in told.parameters))
    yield from _section("steps, in this order", _steps(told))
    yield from _section("links", (_link(*link) for link in told.links))
    yield from _section("machines", map(_machine, told.machines))
    ways = f"{', '.join(told.orientations)}; {told.looks} of them look different"
    yield from _section("orientations", [ways])
    yield from _section(
        "brings on average", (f"{amount:.3g} {stake}" for stake, amount in told.brings.items())
    )
    yield from _section("used by", map(use_text, told.uses))
    if not told.uses:
        yield "nothing uses it"


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a section: an empty line, the title and the indented lines.

    Yield nothing if there are no lines.
    """
    for number, line in enumerate(lines):
        if not number:
            yield from ["", title]
        yield f"  {line}"


def _steps(told: Explanation) -> Iterator[str]:
    for number, step in enumerate(told.steps, 1):
        yield f"{number}. {step.words}  [{step.source}]"
        if step.prefabs:
            yield f"   prefabs: {', '.join(step.prefabs)}"


def _link(kind: str, width: int, count: int) -> str:
    return f"{counted(count, kind)} of width {width}" if kind == "tunneler" else counted(count, kind)


def _character(told: Character) -> Iterator[str]:
    """Yield the lines that explain one character of the prefab."""
    what = f"{_shown(told.char)} {told.colour}" if told.colour else _shown(told.char)
    plane = "" if told.plane == "map" else f" of the {told.plane}"
    origin = f"{told.origin.where}, {told.origin.source}" if told.origin.source else told.origin.where
    origin += "".join(f", changed in {source}" for source in told.origin.changed)
    count = f"{counted(told.cells, 'cell')}{plane}" if told.cells else "drawn only by a step"
    changed = ", changed by a step" if told.varied else ""
    if not told.meanings:
        meaning = "whatever the map has" if told.char == "?" else "only what a step makes of it"
        yield f"{what}  {count}{changed}: {meaning}"
    for meant in told.meanings:
        when = f"if {meant.when} ({_percent(meant.case)}): " if meant.when else ""
        yield f"{what}  {count}{changed}: {when}{_meaning(meant)}  [{origin}]"
        yield from (f"    {_outcome(outcome)}" for outcome in meant.outcomes)
        if meant.nothing:
            yield f"    {_percent(meant.nothing):>6} nothing"
        for each in meant.company:
            odds = ", ".join(_outcome(outcome).strip() for outcome in each.outcomes) or "nothing"
            yield f"    {each.where}, {each.count}: {odds}"
        if meant.group:
            yield f"    in a group with {', '.join(meant.group)}: of the group's characters that are drawn, one is chosen, and only its object is placed"
        for keyword in meant.keywords:
            yield f"    {keyword.name}: {keyword.text}  [{keyword.source}]"


def _shown(char: str) -> str:
    return "space" if char == " " else char


def _meaning(meant: MeaningCase) -> str:
    """Return the terrain and the kind of object that a character means, in words, without the single objects that it may be."""
    names = []
    for each in meant.terrain:
        red, green, blue = each.fg
        looks = f"{each.name} {_shown(each.glyph)} #{red:02x}{green:02x}{blue:02x}"
        names.append(looks if each.likely >= ALWAYS else f"{looks} ({_percent(each.likely)})")
    ground = " or ".join(names)
    if meant.to is not None:
        ground += f" to {meant.to}"
    if meant.kind is None:
        return ground
    return f"{meant.kind} on {ground or 'what the map plane has'}"


def _outcome(outcome: Outcome) -> str:
    return f"{_percent(outcome.likely):>6} {outcome.tag}"


def _machine(machine: MachineWords) -> str:
    if not machine.named:
        return f"{counted(machine.cells, 'cell')}: generic"
    what = ", ".join(f"{_percent(each.likely)} {each.tag}" for each in machine.outcomes)
    return f"{counted(machine.cells, 'cell')}: {what}, named by {machine.named}"


def _percent(share: float) -> str:
    from dungeon.content.values.grammar import percent

    return percent(share)
