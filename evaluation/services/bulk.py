"""Inserts many rows at the speed of the database: COPY on PostgreSQL, one prepared statement elsewhere.

Model instances cost more than the scoring that fills them, so rows come as tuples.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection, models

Row = Sequence[Any]


def columns_of(model: type[models.Model], *, without: Iterable[str] = ()) -> tuple[str, ...]:
    """The model's columns in the order of its fields."""
    left_out = set(without)
    return tuple(str(field.column) for field in model._meta.concrete_fields if field.column not in left_out)


def insert(model: type[models.Model], columns: Sequence[str], rows: Sequence[Row]) -> None:
    """Insert the rows as they are: values must already be what the database takes (JSON as text)."""
    if not rows:
        return
    quote = connection.ops.quote_name
    table, names = quote(model._meta.db_table), ", ".join(quote(column) for column in columns)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        else:
            places = ", ".join(["%s"] * len(columns))
            cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({places})", rows)  # noqa: S608 - names of our models
