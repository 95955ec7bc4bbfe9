"""Making levels: the stages, and the workshops that they call.

Importing this registers the built-in layouts and placing modes, which content names.
"""

import dungeon.generation.layouts
import dungeon.generation.placing  # noqa: F401
