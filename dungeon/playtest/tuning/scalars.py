"""Changing single values in the text of a YAML file: all else, comments and layout, stays as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml

if TYPE_CHECKING:
    from collections.abc import Sequence

Path = tuple[str, ...]
"""The keys that lead to a value, from the root of a file; items of lists go by their number."""


class UnsettableError(Exception):
    """A value can't be changed in its place; the message says why."""


def scalar_at(text: str, path: Path) -> str | None:
    """Return the value that a path leads to, as it was written but for quotes; None if there is none.

    Raises:
        UnsettableError: What is there is no single value, or it is shared with another place by an alias.
    """
    nodes = _nodes(text, path)
    if len(nodes) <= len(path):
        return None
    node = nodes[-1]
    if not isinstance(node, yaml.ScalarNode):
        raise UnsettableError(f"{'.'.join(path)} is no single value")
    return str(node.value)


def keys_at(text: str, path: Path) -> list[str]:
    """Return the keys of the mapping that a path leads to; nothing if there is none."""
    nodes = _nodes(text, path)
    if len(nodes) <= len(path) or not isinstance(nodes[-1], yaml.MappingNode):
        return []
    return [key.value for key, _ in nodes[-1].value if isinstance(key, yaml.ScalarNode)]


def with_value(text: str, path: Path, value: str) -> str:
    """Return a text of which one value is another one.

    A value that is there is exchanged for the new one. One that is missing is added, with the mappings that it is
    missing in: to a mapping in braces behind the last value, to one with a key on each line as a line of its own.

    Args:
        text: What the file says.
        path: Where the value is to stand.
        value: What it is to be, which needs no quotes.

    Raises:
        UnsettableError: It can't stand there.
    """
    nodes = _nodes(text, path)
    node, missing = nodes[-1], path[len(nodes) - 1 :]
    if not missing:
        if not isinstance(node, yaml.ScalarNode):
            raise UnsettableError(f"{'.'.join(path)} is no single value")
        return text[: node.start_mark.index] + value + text[node.end_mark.index :]
    if not isinstance(node, yaml.MappingNode):
        raise UnsettableError(f"{'.'.join(path[: len(nodes) - 1])} has no keys to which one could be added")
    for key in reversed(missing[1:]):
        value = f"{{{key}: {value}}}"
    pair = f"{missing[0]}: {value}"
    if node.flow_style:
        at = _end(text, node)
        return text[:at] + (", " if node.value else "") + pair + text[at:]
    return _with_line(text, node, pair)


def _with_line(text: str, node: yaml.MappingNode, pair: str) -> str:
    """Return a text with another line at the end of a mapping that has a line for each key."""
    line_end = text.find("\n", _end(text, node))
    at = len(text) if line_end < 0 else line_end + 1
    ending = "\r\n" if text[:at].endswith("\r\n") else "\n"
    opening = "" if line_end >= 0 else ending
    return f"{text[:at]}{opening}{' ' * node.start_mark.column}{pair}{ending}{text[at:]}"


def _end(text: str, mapping: yaml.MappingNode) -> int:
    """Return where the last value of a mapping ends, or behind what opens the mapping if it has none."""
    # What an alias stands for lies elsewhere.
    own = [value for key, value in mapping.value if value.start_mark.index >= key.end_mark.index]
    if not mapping.value:
        return mapping.start_mark.index + 1
    if not own:
        raise UnsettableError("all there is in the mapping is shared with other places by aliases")
    return _end_of_value(text, own[-1])


def _end_of_value(text: str, node: yaml.Node) -> int:
    """Return where a value ends. Where it has lines of its own, the parser goes on to the next token."""
    if isinstance(node, yaml.MappingNode) and not node.flow_style:
        return _end(text, node)
    if isinstance(node, yaml.SequenceNode) and not node.flow_style:
        return _end_of_value(text, node.value[-1])
    return len(text[: node.end_mark.index].rstrip())


def _nodes(text: str, path: Path) -> Sequence[yaml.Node]:
    """Return the root, and what is at each step of a path, as far as it goes.

    Raises:
        UnsettableError: On the way is something that is shared with another place.
    """
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    if node is None:
        raise UnsettableError("the file holds nothing")
    nodes = [node]
    for step in path:
        after = node.start_mark.index
        if isinstance(node, yaml.MappingNode):
            pair = next((pair for pair in node.value if pair[0].value == step), None)
            if pair is None:
                break
            after, node = pair[0].end_mark.index, pair[1]
        elif isinstance(node, yaml.SequenceNode) and step.isdecimal() and int(step) < len(node.value):
            node = node.value[int(step)]
        else:
            break
        # An alias stands for what is somewhere above; an anchor makes a value known elsewhere.
        if node.start_mark.index < after or text[node.start_mark.index] in "&!":
            raise UnsettableError(f"{step} is shared with other places by an alias, or has a tag")
        nodes.append(node)
    return nodes
