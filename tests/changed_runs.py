"""Recorded runs read and changed by SQL."""

from __future__ import annotations

import json
from contextlib import closing
from shutil import rmtree
from typing import TYPE_CHECKING, Any

import duckdb

from dungeon import playtest
from dungeon.playtest.recording.manifest import MANIFEST, PARTS
from dungeon.playtest.recording.schema import TABLES

if TYPE_CHECKING:
    from pathlib import Path


def rows(folder: Path, query: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query over the views of a run."""
    with playtest.open(folder) as run:
        return run.sql(query).fetchall()


def change(folder: Path, *statements: str) -> None:
    """Change the views of a run by SQL statements, as if they were tables. The run is then one part."""
    parts = folder / PARTS
    with closing(duckdb.connect()) as database:
        for table in TABLES:
            database.execute(f"CREATE TABLE {table.view} AS FROM '{parts}/*/{table.view}.parquet'")
        for statement in statements:
            database.execute(statement)
        ((first, last),) = database.execute("SELECT min(seed), max(seed) FROM worlds").fetchall()
        rmtree(parts)
        part = parts / f"{first}_{last}"
        part.mkdir(parents=True)
        for table in TABLES:
            database.execute(f"COPY {table.view} TO '{part}/{table.view}.parquet' (FORMAT parquet)")


def change_facts(folder: Path, **facts: object) -> None:
    """Change facts in the manifest of a run."""
    file = folder / MANIFEST
    told = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(told | facts), encoding="utf-8")
