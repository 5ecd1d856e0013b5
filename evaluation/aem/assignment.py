"""Optimal assignment on whole numbers: which observed turn answers which turn of an order-free group.

Observed turns (rows) are added one at a time, and after each the assignment is again the best one. Every row and every
column may stay unassigned, which is worth nothing.
"""

from collections.abc import Sequence


class Assignment:
    """The most valuable assignment of the rows added so far. Weights are positive; None means that two cannot pair."""

    def __init__(self, columns: int) -> None:
        self.value = 0
        #: The row that each column has.
        self.owner: list[int | None] = [None] * columns
        self._prices = [0] * columns
        self._rows: list[list[tuple[int, int]]] = []
        self._gains: list[int] = []

    def add(self, weights: Sequence[int | None]) -> None:
        """Add a row. Shortest augmenting path on reduced costs (Kuhn and Munkres, as Jonker and Volgenant order it)."""
        row = len(self._rows)
        edges = [(column, weight) for column, weight in enumerate(weights) if weight is not None]
        self._rows.append(edges)
        prices = self._prices
        # The dual of a row: never above what it costs to leave it unassigned, which is 0.
        self._gains.append(min(0, *(-weight - prices[column] for column, weight in edges)) if edges else 0)
        if edges:
            self._augment(row)

    def _augment(self, start: int) -> None:
        prices, gains, owner, rows = self._prices, self._gains, self.owner, self._rows
        distance: dict[int, int] = {}
        came_from: dict[int, int] = {}
        visited: list[tuple[int, int]] = []
        done: set[int] = set()
        reached = [(start, 0)]
        row, base = start, 0
        leave_row, leave_at = start, -gains[start]
        while True:
            offset = base - gains[row]
            for column, weight in rows[row]:
                if column in done:
                    continue
                length = offset - weight - prices[column]
                known = distance.get(column)
                if known is None or length < known:
                    distance[column] = length
                    came_from[column] = row
            nearest = min(distance, key=distance.__getitem__, default=-1)
            if nearest < 0 or leave_at <= distance[nearest]:
                self._finish(reached, visited, leave_at)
                self._shift(start, leave_row, came_from, None)
                return
            at = distance.pop(nearest)
            holder = owner[nearest]
            if holder is None:
                self._finish(reached, visited, at)
                self._shift(start, came_from[nearest], came_from, nearest)
                return
            done.add(nearest)
            visited.append((nearest, at))
            row, base = holder, at
            reached.append((row, base))
            if base - gains[row] < leave_at:
                leave_row, leave_at = row, base - gains[row]

    def _finish(self, reached: list[tuple[int, int]], visited: list[tuple[int, int]], end: int) -> None:
        for row, at in reached:
            self._gains[row] += end - at
        for column, at in visited:
            self._prices[column] -= end - at

    def _shift(self, start: int, last: int, came_from: dict[int, int], free: int | None) -> None:
        """Give the columns along the path to their new rows; ``last`` takes the free column, or is left unassigned."""
        holds = {row: column for column, row in enumerate(self.owner) if row is not None}
        row, column = last, free
        while True:
            held = holds.get(row)
            if held is not None:
                self.value -= self._weight(row, held)
            if column is not None:
                self.owner[column] = row
                self.value += self._weight(row, column)
            if row == start:
                return
            # The row was reached through the column that it held; whoever led there takes it.
            if held is None:
                raise AssertionError("a row on the path holds a column")
            column, row = held, came_from[held]

    def _weight(self, row: int, column: int) -> int:
        return next(weight for at, weight in self._rows[row] if at == column)
