"""Run the command line: `python -m dungeon` is the same as the command `dungeon`."""

import sys

from dungeon.cli import main

sys.exit(main())
