"""Content as authors keep it, in files: reading it, looking through it, trying it out, writing it in other forms.

What does the work is imported when there is some: that takes as long as reading a small game, and programs that only
draw, measure, prove or keep levels never need it. With it comes all that makes levels, as content names layouts and
placing modes; so nothing is left to be imported when the first level is made.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dungeon.core.errors import A_FOLDER, CONTENT, check_type, counted
from dungeon.core.lazy import collector_paused
from dungeon.core.registry import import_installed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import SupportsIndex

    from dungeon.authoring.tiled import Form
    from dungeon.content.library import Content
    from dungeon.core.errors import Problem
    from dungeon.generation.populate.sample import Sample
    from dungeon.grid.symmetry import Orientation


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Examination:
    """The result of `examine_content`.

    Attributes:
        problems: Every error, warning and note, sorted by file, line and column.
        content: The content, or None where errors keep it from being loaded.
        files: Number of content files that were read.
    """

    problems: tuple[Problem, ...]
    content: Content | None
    files: int

    def __repr__(self) -> str:
        return f"<Examination of {counted(self.files, 'file')}: {counted(len(self.problems), 'problem')}>"


def load_content(
    folder: str | os.PathLike[str],
    *mods: str | os.PathLike[str],
    cache: str | os.PathLike[str] | None = None,
) -> Content:
    """Read the content of a game.

    Args:
        folder: The folder that holds ``world.yaml``, ``maps/`` and the rest.
        mods: Folders that are laid over it, each over those before it: they add entries, and alter or remove some.
        cache: A folder to remember the content in (see `cache_folder`), so that reading it again is fast until
            something in it changes; None remembers nothing. The folder need not exist, nor be writable.

    Raises:
        ContentError: Something is wrong; the error lists every error in every file.
        ValueError: A folder's name is empty.

    Warns:
        PluginWarning: A plugin that is installed can't be imported. Whatever reads content first tells so.
    """
    _check_folders("load_content", folder, *mods)
    _import_workshops()
    from dungeon.content.loading import load  # noqa: PLC0415

    return load.load_content(folder, *mods, cache=cache)


def examine_content(
    folder: str | os.PathLike[str], *mods: str | os.PathLike[str], sample: int = 0
) -> Examination:
    """Read the content of a game, right or wrong, and list every error, warning and note about it.

    Args:
        folder: The folder that holds ``world.yaml``, ``maps/`` and the rest.
        mods: Folders that are laid over it, as for `load_content`.
        sample: How many ground plans to make of every map, to see what there is space for; 0 for none.

    Raises:
        ValueError: A folder's name is empty.
    """
    _check_folders("examine_content", folder, *mods)
    _import_workshops()
    from dungeon.authoring.lint import look_over  # noqa: PLC0415
    from dungeon.content.loading.load import paths_of, read_folders  # noqa: PLC0415

    with collector_paused():
        draft, content, files = read_folders(paths_of((folder, *mods)))
        if files:
            look_over(draft, content, sample)
        log = draft.log
        # A remark about an entry that also has an error would mostly follow from that error.
        wrong = {problem.source for problem in log.problems if problem.source.line}
        remarks = [remark for remark in log.remarks if remark.source not in wrong]
        problems = [*log.problems, *remarks, *log.surplus(str(folder))]
        in_order = sorted(problems, key=lambda problem: problem.source)
    return Examination(problems=tuple(in_order), content=content, files=files)


def content_schemas(*folders: str | os.PathLike[str]) -> dict[str, dict[str, Any]]:
    """Return kind -> the JSON Schema (draft 2020-12) of its files.

    Layouts and placing modes are those that are registered now.

    Args:
        folders: A content folder, and mods that are laid over it: the kinds of objects that they declare are known, too.

    Raises:
        ContentError: One of them is no content folder.
        ValueError: A folder's name is empty.
    """
    _check_folders("content_schemas", *folders)
    _import_workshops()
    from dungeon.authoring import schema  # noqa: PLC0415
    from dungeon.content.loading.load import kinds_in  # noqa: PLC0415

    return schema.content_schemas(kinds_in(folders))


def export_prefab(
    folder: str | os.PathLike[str], name: str, to: Form, *, mods: Iterable[str | os.PathLike[str]] = ()
) -> dict[str, bytes]:
    """Write a prefab down in another form.

    What is returned stands for the prefab's entry (and its .xp drawing): put it into the content in place of
    those, and every level stays as it was.

    Args:
        folder: The content folder.
        name: The prefab's name.
        to: ``"text"``: a YAML file with the drawing in it. ``"xp"``: a REXPaint drawing of four layers, and a
            YAML file of what else there is to say. ``"tmj"``: a map of the editor Tiled, and the picture of its
            tiles, which `prefab_from_tiled` makes text again.
        mods: Folders that are laid over the content, as for `load_content`.

    Returns:
        File, from the content folder on -> what it holds: ``prefabs/NAME.yaml``, and ``prefabs/NAME.xp``;
        or ``NAME.tmj`` and ``NAME.png``, which are no content.

    Raises:
        ContentError: The content is wrong, or this prefab can't be written in that form.
        KeyError: There is no such prefab.
        ValueError: There is no such form.
    """
    _check_folders("export_prefab", folder, *mods)
    check_type(name, str, "export_prefab", "the name of a prefab beside the folder")
    _import_workshops()
    from dungeon.authoring import tiled  # noqa: PLC0415

    return tiled.export_prefab(folder, name, to, mods=mods)


def prefab_from_tiled(text: str | bytes) -> dict[str, bytes]:
    """Return the prefab that is drawn in a map of Tiled as text: what `export_prefab` gives for ``"text"``.

    Its layers of tiles are the planes of a prefab: ``map``, ``links``, ``machines``, ``references`` and ``paint``; each tile
    is the character that is its class. The map's property ``entry`` is what else there is to say, in YAML.

    Args:
        text: The .tmj file, as `export_prefab` writes it, with what has been done to it in Tiled.

    Returns:
        File, from the content folder on -> what it holds: ``prefabs/NAME.yaml``. Whether it is right, `load_content` tells.

    Raises:
        ContentError: The property ``entry`` can't be read.
        ValueError: The text is not such a map; the message says where it departs from one.
    """
    check_type(text, (str, bytes), "prefab_from_tiled", "the text of a .tmj file")
    from dungeon.authoring import tiled  # noqa: PLC0415

    return tiled.prefab_from_tiled(text)


def sample_prefab(
    content: Content,
    name: str,
    *,
    seed: SupportsIndex | str = 0,
    number: int = 0,
    orientation: Orientation | str | None = None,
    depth: int | None = None,
) -> Sample:
    """Roll a prefab once, without a map. The same arguments give the same roll, whatever was rolled before.

    Args:
        content: The game's content.
        name: The prefab.
        seed: Decides, with `number`, what is rolled: a whole number or text, as for `World`. Rolls of one number are the same variant in all orientations.
        number: Which of the rolls of a seed.
        orientation: How it lies: one of the ways that it permits, or the label of one, such as ``r90``; by default
            as it is drawn, if it permits that, else the first way that it permits.
        depth: What the members of classes are chosen for; by default the least depth at which an encounter, a map or
            another prefab asks for it, or 1 where nothing does.

    Raises:
        KeyError: There is no such prefab.
        ValueError: There is no such orientation, or the prefab does not permit it.
    """
    from dungeon.content.library import Content  # noqa: PLC0415  # who has content has it already

    check_type(content, Content, "sample_prefab", CONTENT)
    check_type(name, str, "sample_prefab", "the name of a prefab beside the content")
    from dungeon.authoring.sample import Sampler  # noqa: PLC0415

    return Sampler(content).sample(name, seed=seed, number=number, orientation=orientation, depth=depth)


def _check_folders(function: str, *folders: object) -> None:
    """Raise a TypeError if one of the folders that a function has got is no path."""
    for folder in folders:
        check_type(folder, (str, os.PathLike), function, A_FOLDER)


def _import_workshops() -> None:
    """Import what reads content, and what makes and proves levels; that registers the built-in layouts and placing modes.

    Then import plugins, which register theirs.
    """
    with collector_paused():
        import dungeon.content.costs  # noqa: PLC0415
        import dungeon.content.loading.load  # noqa: PLC0415
        import dungeon.generation.stages.pipeline  # noqa: PLC0415
        import dungeon.proof.check  # noqa: F401, PLC0415

        import_installed()


def cache_folder(environment: Mapping[str, str] | None = None) -> Path | None:
    """Return the folder of this user in which programs may keep what they can make again.

    It is ``tcod-dungeon`` in ``$XDG_CACHE_HOME`` or ``~/.cache``, and on Windows in ``%LOCALAPPDATA%``; None where the
    user has no home. Nothing is made there before something is written.

    Args:
        environment: The environment variables, if not the process's own.
    """
    known = os.environ if environment is None else environment
    base = known.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME", "")
    # A path that is not absolute is to be ignored, says the XDG base directory specification.
    if Path(base).is_absolute():
        return Path(base, "tcod-dungeon")
    try:
        home = Path.home()
    except RuntimeError:
        return None
    return home / ("AppData/Local" if sys.platform == "win32" else ".cache") / "tcod-dungeon"
