"""Tables of a run on their way from SQLite to DuckDB.

DuckDB's own reader of SQLite is an extension that it loads from the network; Arrow is at hand offline.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from dungeon.playtest.recording.schema import TABLES

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from dungeon.playtest.recording.schema import Kind

ROWS = 50_000
"""How many rows are held at a time."""

TYPES: dict[Kind, pa.DataType] = {
    "level": pa.int32(),
    "play": pa.int32(),
    "name": pa.int32(),
    "seed": pa.int64(),
    "integer": pa.int32(),
    "cell": pa.int32(),
    "flag": pa.int32(),
    "real": pa.float64(),
    "text": pa.string(),
}

SCHEMAS = {
    "run": pa.schema(
        [
            ("version", pa.int32()),
            *((name, pa.string()) for name in ("probe", "content", "package", "maps", "arguments", "games")),
        ]
    ),
    "name": pa.schema([("id", pa.int32()), ("text", pa.string())]),
    **{
        table.name: pa.schema([(column.name, TYPES[column.kind]) for column in table.columns])
        for table in TABLES
    },
}
"""Table -> what its columns hold."""


def rows_of(database: sqlite3.Connection, table: str) -> pa.RecordBatchReader:
    """Return what reads a table, so many rows at a time; once."""
    schema = SCHEMAS[table]

    def batches() -> Iterator[pa.RecordBatch]:
        cursor = database.execute(f'SELECT * FROM "{table}"')
        while rows := cursor.fetchmany(ROWS):
            columns = zip(*rows, strict=True)
            arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
            yield pa.record_batch(arrays, schema=schema)

    return pa.RecordBatchReader.from_batches(schema, batches())
