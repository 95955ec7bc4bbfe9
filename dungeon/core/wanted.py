"""Arguments of the wrong type: what a public function says when it gets one."""

from __future__ import annotations

from reprlib import Repr

A_LEVEL = "a level, such as world.level('foundry/3')"
A_SCENE = "a level, a sample of a prefab or a frame of a recording"
A_FOLDER = "the path of a folder, as text or a Path"
A_FILE = "the path of a file, as text or a Path"
CONTENT = "content, such as load_content('data')"

_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxother = 60


def check_type(value: object, kinds: type | tuple[type, ...], function: str, wanted: str) -> None:
    """Raise a TypeError unless an argument is of one of these types.

    Args:
        value: The argument.
        kinds: The types that it may have.
        function: The name of the public function that has got it.
        wanted: What it should be, in words that follow "takes".

    Raises:
        TypeError: "tiles() takes a level, such as world.level('foundry/3'), not 'foundry/3'".
    """
    if not isinstance(value, kinds):
        raise TypeError(f"{function}() takes {wanted}, not {_SHORT.repr(value)}")
