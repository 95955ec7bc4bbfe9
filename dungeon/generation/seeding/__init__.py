"""Seeding: what a map asks for by itself is put on it before its layout grows around it."""

from dungeon.core.registry import SEEDERS
from dungeon.generation.seeding.openings import judged

SEEDERS["features"] = judged
