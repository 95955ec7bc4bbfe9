"""`python -m dungeon` is the command `dungeon`."""

import sys

from dungeon.cli import main

sys.exit(main())
