"""Edits of a content folder that leave the rest of each file as it is, comments included."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from pathlib import Path


class Folder:
    """A content folder whose values are read and edited in place.

    A value is named by its part of the content (``encounters``), its entry (``kennel``), and the keys and indices from there. All
    scalars are read as text.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read: dict[Path, dict[str, Any]] = {}

    def names(self, part: str) -> list[str]:
        """Return the names of all entries of a part."""
        return [name for file in self._files(part) for name in self._entries(file)]

    def get(self, part: str, name: str, *keys: str | int) -> Any:
        """Return a value; None if there is none."""
        value: Any = self._entries(self._file(part, name))
        for key in (name, *keys):
            if isinstance(value, dict):
                value = value.get(key)
            elif isinstance(value, list) and isinstance(key, int):
                value = value[key]
            else:
                return None
        return value

    def put(self, part: str, name: str, *keys: str | int, value: str) -> None:
        """Replace a value, or add the last key to a mapping that lacks it.

        Args:
            part: The part of the content.
            name: The entry.
            keys: The keys and indices of the value.
            value: The new value as YAML on one line.

        Raises:
            KeyError: There is no such place.
        """
        file = self._file(part, name)
        text = file.read_text("utf-8")
        node = yaml.compose(text, yaml.CBaseLoader)
        *way, last = (name, *keys)
        for key in way:
            node = _child(node, key)
            if node is None:
                raise KeyError(f"{part} {name}: nothing lies at {keys}")
        old = _child(node, last)
        if old is not None:
            text = _instead(text, old, value)
        elif isinstance(node, yaml.MappingNode):
            text = _with(text, node, f"{last}: {value}")
        else:
            raise KeyError(f"{part} {name}: nothing can be added at {keys}")
        self._write(file, text)

    def add(self, part: str, name: str, *keys: str | int, value: str) -> None:
        """Add a value, as YAML on one line, at the front of a list in block style.

        Raises:
            KeyError: There is no such list.
        """
        file = self._file(part, name)
        text = file.read_text("utf-8")
        node = yaml.compose(text, yaml.CBaseLoader)
        for key in (name, *keys):
            node = _child(node, key)
        if not isinstance(node, yaml.SequenceNode) or node.flow_style:
            raise KeyError(f"{part} {name}: there is no such list at {keys}")
        start = node.start_mark
        self._write(file, f"{text[: start.index]}- {value}\n{' ' * start.column}{text[start.index :]}")

    def _files(self, part: str) -> list[Path]:
        return sorted([*self.path.glob(f"{part}.yaml"), *self.path.glob(f"{part}/*.yaml")])

    def _file(self, part: str, name: str) -> Path:
        """Return the file that holds an entry."""
        for file in self._files(part):
            if name in self._entries(file):
                return file
        raise KeyError(f"{part} has no {name!r}")

    def _entries(self, file: Path) -> dict[str, Any]:
        """Return the entries of a file, which is read once."""
        if file not in self._read:
            self._read[file] = yaml.load(file.read_text("utf-8"), yaml.CBaseLoader)
        return self._read[file]

    def _write(self, file: Path, text: str) -> None:
        file.write_text(text, "utf-8")
        self._read.pop(file, None)


def _child(node: yaml.Node | None, key: str | int) -> yaml.Node | None:
    """Return the node at a key or index; None if there is none."""
    if isinstance(node, yaml.MappingNode):
        return next((value for each, value in node.value if each.value == key), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(key, int) and key < len(node.value):
        return node.value[key]
    return None


def _instead(text: str, old: yaml.Node, value: str) -> str:
    """Return the text with a node replaced by a value; blanks after it stay."""
    start, end = old.start_mark.index, old.end_mark.index
    left = start + len(text[start:end].rstrip())
    return f"{text[:start]}{value}{text[left:]}"


def _with(text: str, mapping: yaml.MappingNode, line: str) -> str:
    """Return the text with a line added at the front of a mapping, after its anchor if it has one."""
    if mapping.flow_style:
        inside = text.index("{", mapping.start_mark.index) + 1
        return f"{text[:inside]}{line}{', ' if mapping.value else ''}{text[inside:]}"
    start = mapping.value[0][0].start_mark
    return f"{text[: start.index]}{line}\n{' ' * start.column}{text[start.index :]}"
