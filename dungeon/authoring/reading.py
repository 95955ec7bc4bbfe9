"""The public functions for content files: load, check, sample and export. The modules that do the work are imported at the first call.

This import takes as long as reading a small game, and programs that only draw, measure, prove or store levels never need it.
The modules that make levels are imported with them, because content names layouts and placing modes. So making the first
level imports nothing more.
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
        folder: The content folder, with ``world.yaml``, ``maps/`` and so on.
        mods: Folders of mods, which add, change or remove entries. Each is applied after those before it.
        cache: A folder for a cache of the content (see `cache_folder`), so that loading it again is fast until a file
            changes; None for no cache. The folder need not exist or be writable.

    Raises:
        ContentError: The content has errors; the exception lists every error in every file.
        ValueError: A folder's name is empty.

    Warns:
        PluginWarning: An installed plugin can't be imported. Only the first call in a process warns.

    Example:
        >>> content = dungeon.load_content("data")
        >>> "boiler_room" in content.prefabs
        True
    """
    _check_folders("load_content", folder, *mods)
    _import_workshops()
    from dungeon.content.loading import load  # noqa: PLC0415

    return load.load_content(folder, *mods, cache=cache)


def examine_content(
    folder: str | os.PathLike[str], *mods: str | os.PathLike[str], sample: int = 0
) -> Examination:
    """Check the content of a game: return every error, warning and note about it.

    Args:
        folder: The content folder, with ``world.yaml``, ``maps/`` and so on.
        mods: Folders of mods, as for `load_content`.
        sample: Number of ground plans to make of every map, to find encounters that rarely fit; 0 for none.

    Raises:
        ValueError: A folder's name is empty.

    Example:
        >>> examined = dungeon.examine_content("docs/integrate/data")
        >>> [problem.message for problem in examined.problems if problem.severity == "error"]
        []
    """
    _check_folders("examine_content", folder, *mods)
    _import_workshops()
    from dungeon.authoring.lint import run_checks  # noqa: PLC0415
    from dungeon.content.loading.load import paths_of, read_folders  # noqa: PLC0415

    with collector_paused():
        draft, content, files = read_folders(paths_of((folder, *mods)))
        if files:
            run_checks(draft, content, sample)
        log = draft.log
        # A remark about an entry that also has an error would mostly follow from that error.
        wrong = {problem.source for problem in log.problems if problem.source.line}
        remarks = [remark for remark in log.remarks if remark.source not in wrong]
        problems = [*log.problems, *remarks, *log.surplus(str(folder))]
        in_order = sorted(problems, key=lambda problem: problem.source)
    return Examination(problems=tuple(in_order), content=content, files=files)


def content_schemas(*folders: str | os.PathLike[str]) -> dict[str, dict[str, Any]]:
    """Return kind -> the JSON Schema (draft 2020-12) of its files.

    The schemas include the layouts and placing modes that are registered now.

    Args:
        folders: A content folder, then mods; the kinds of objects that they declare are included. May be empty.

    Raises:
        ContentError: One of the folders is no content folder.
        ValueError: A folder's name is empty.

    Example:
        >>> dungeon.content_schemas()["robots"]["$schema"]
        'https://json-schema.org/draft/2020-12/schema'
    """
    _check_folders("content_schemas", *folders)
    _import_workshops()
    from dungeon.authoring import schema  # noqa: PLC0415
    from dungeon.content.loading.load import kinds_in  # noqa: PLC0415

    return schema.content_schemas(kinds_in(folders))


def export_prefab(
    folder: str | os.PathLike[str], name: str, to: Form, *, mods: Iterable[str | os.PathLike[str]] = ()
) -> dict[str, bytes]:
    """Convert a prefab to text, REXPaint or Tiled.

    Text and REXPaint files can replace the prefab's entry (and its .xp drawing) in the content; every level stays
    the same.

    Args:
        folder: The content folder.
        name: The prefab's name.
        to: ``"text"``: a YAML file with the drawing in it. ``"xp"``: a REXPaint drawing of four or more
            layers, and a YAML file with the other keys. ``"tmj"``: a map of the editor Tiled, and the picture of its
            tiles; `prefab_from_tiled` converts it back to text.
        mods: Folders of mods, as for `load_content`.

    Returns:
        File name -> bytes: ``prefabs/NAME.yaml`` and perhaps ``prefabs/NAME.xp``, relative to the content folder;
        or ``NAME.tmj`` and ``NAME.png``, which are no content files.

    Raises:
        ContentError: The content has errors, or the prefab can't be written in that form.
        KeyError: There is no such prefab.
        ValueError: `to` is no such form.

    Example:
        >>> sorted(dungeon.export_prefab("data", "boiler_room", "xp"))
        ['prefabs/boiler_room.xp', 'prefabs/boiler_room.yaml']
    """
    _check_folders("export_prefab", folder, *mods)
    check_type(name, str, "export_prefab", "the name of a prefab beside the folder")
    _import_workshops()
    from dungeon.authoring import tiled  # noqa: PLC0415

    return tiled.export_prefab(folder, name, to, mods=mods)


def prefab_from_tiled(text: str | bytes) -> dict[str, bytes]:
    """Convert a Tiled map of a prefab to text, in the form of `export_prefab` for ``"text"``.

    The tile layers are the planes of the prefab: ``map``, ``links``, ``machines``, ``references`` (and ``references 2``...), and
    ``paint``. The class of a tile is its character. The map's property ``entry`` has the other keys, in YAML.

    Args:
        text: The .tmj file that `export_prefab` wrote, as edited in Tiled.

    Returns:
        File name -> bytes, for ``prefabs/NAME.yaml``. It is not checked; `load_content` does that.

    Raises:
        ContentError: The property ``entry`` can't be read.
        ValueError: The text is no such map; the message names the first wrong part.

    Example:
        >>> files = dungeon.export_prefab("data", "boiler_room", "tmj")
        >>> [*dungeon.prefab_from_tiled(files["boiler_room.tmj"])]
        ['prefabs/boiler_room.yaml']
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
    """Make a random sample of a prefab without a map: choose a variant and its objects. Equal arguments give equal samples.

    Args:
        content: The game's content.
        name: The prefab's name. Of a prefab with variants, each sample shows one of them, drawn by weight.
        seed: The seed of the samples: a whole number or text, as for `World`.
        number: Number of the sample among those of the seed. It has the same variant in all orientations.
        orientation: A permitted orientation, or its label, such as ``r90``; by default as drawn if that is permitted,
            else the first permitted one.
        depth: Depth for which members of classes are chosen; by default the lowest depth at which the prefab is used,
            or 1 if it is not used.

    Raises:
        KeyError: There is no such prefab.
        ValueError: There is no such orientation, or the prefab does not permit it.

    Example:
        >>> sample = dungeon.sample_prefab(content, "boiler_room", seed=1, orientation="r90")
        >>> len(dungeon.to_text(sample).splitlines()) == sample.terrain.shape[0]
        True
    """
    from dungeon.content.library import Content  # noqa: PLC0415  # imported already by whatever loaded the content

    check_type(content, Content, "sample_prefab", CONTENT)
    check_type(name, str, "sample_prefab", "the name of a prefab beside the content")
    from dungeon.authoring.sample import Sampler  # noqa: PLC0415

    return Sampler(content).sample(name, seed=seed, number=number, orientation=orientation, depth=depth)


def _check_folders(function: str, *folders: object) -> None:
    """Raise a TypeError if one of the folders given to a public function is no path."""
    for folder in folders:
        check_type(folder, (str, os.PathLike), function, A_FOLDER)


def _import_workshops() -> None:
    """Import the modules that read content and that make and prove levels, which registers the built-in layouts and placing modes.

    Then import the installed plugins, which register their own.
    """
    with collector_paused():
        import dungeon.content.costs  # noqa: PLC0415
        import dungeon.content.loading.load  # noqa: PLC0415
        import dungeon.generation.stages.pipeline  # noqa: PLC0415
        import dungeon.generation.towers  # noqa: PLC0415
        import dungeon.proof.check  # noqa: F401, PLC0415

        import_installed()


def cache_folder(environment: Mapping[str, str] | None = None) -> Path | None:
    """Return this user's cache folder for the library, for `load_content(..., cache=...)`.

    It is ``tcod-dungeon`` in ``$XDG_CACHE_HOME`` or ``~/.cache``, and on Windows in ``%LOCALAPPDATA%``; None if the
    user has no home folder. The folder is not created here.

    Args:
        environment: The environment variables; None for those of the process.

    Example:
        >>> content = dungeon.load_content("data", cache=dungeon.cache_folder())
    """
    known = os.environ if environment is None else environment
    base = known.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME", "")
    # The XDG base directory specification says to ignore paths that are not absolute.
    if Path(base).is_absolute():
        return Path(base, "tcod-dungeon")
    try:
        home = Path.home()
    except RuntimeError:
        return None
    return home / ("AppData/Local" if sys.platform == "win32" else ".cache") / "tcod-dungeon"
