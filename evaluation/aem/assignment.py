"""Optimal assignment on whole numbers: which observed turn answers which turn of an order-free group.

Observed turns (rows) are added one at a time, and after each the assignment is again the best one. Every row and every
column may stay unassigned, which is worth nothing.
"""

from collections.abc import Sequence


class Assignment:
    """The most valuable assignment of the rows of a table that were added so far.

    ``table[row][column]`` is a whole number of at least 0; 0 means that the two cannot pair, and that they do not.
    """

    __slots__ = ("_columns", "_gains", "_holders", "_holds", "_prices", "_table", "value")

    def __init__(self, table: Sequence[Sequence[int]], columns: int) -> None:
        self.value = 0
        self._table = table
        self._columns = columns
        #: The row that each column has, and the column of each row that has one.
        self._holders: list[int | None] = [None] * columns
        self._holds: dict[int, int] = {}
        # The duals: no pair is worth more than what its column and its row ask for together, and none asks for less
        # than nothing. A row that was left unassigned asks for nothing, and never comes back.
        self._prices = [0] * columns
        self._gains: dict[int, int] = {}

    @property
    def owner(self) -> list[int | None]:
        """The row that each column has."""
        table = self._table
        return [None if row is None or not table[row][column] else row for column, row in enumerate(self._holders)]

    def copy(self) -> "Assignment":
        """The same, to go on with in another way."""
        made = Assignment.__new__(Assignment)
        made.value, made._table, made._columns = self.value, self._table, self._columns
        made._holders, made._holds = self._holders.copy(), self._holds.copy()
        made._prices, made._gains = self._prices.copy(), self._gains.copy()
        return made

    def add(self, start: int) -> None:
        """Add a row that was not added yet.

        Shortest augmenting path over what a step gives up (Kuhn and Munkres, as Jonker and Volgenant order it). It ends
        at a free column, or at a row that had better be left unassigned.
        """
        table, prices, gains, holders = self._table, self._prices, self._gains, self._holders
        worths = table[start]
        gain = max(0, *[worth - price for worth, price in zip(worths, prices, strict=True)])
        gains[start] = gain
        if not gain:
            return
        columns = self._columns
        todo = list(range(columns))
        # What is given up on the best way to each column, and the row that it comes from. As much as the row would lose
        # by being left unassigned is too much.
        losses = [gain] * columns
        came_from = [start] * columns
        visited: list[tuple[int, int]] = []
        reached = [(start, 0)]
        row, leave_row, leave_at = start, start, gain
        offset = gain
        last: int
        free: int | None
        while True:
            nearest, at = -1, leave_at
            for column in todo:
                loss = offset + prices[column] - worths[column]
                known = losses[column]
                if loss < known:
                    losses[column] = known = loss
                    came_from[column] = row
                if known < at:
                    nearest, at = column, known
            if nearest < 0:
                last, free = leave_row, None
                break
            holder = holders[nearest]
            if holder is None:
                last, free = came_from[nearest], nearest
                break
            todo.remove(nearest)
            visited.append((nearest, at))
            row = holder
            reached.append((row, at))
            worths, gain = table[row], gains[row]
            offset = at + gain
            if offset < leave_at:
                leave_row, leave_at = row, offset
        for done, before in reached:
            gains[done] -= at - before
        for column, before in visited:
            prices[column] += at - before
        self._shift(start, last, came_from, free)

    def _shift(self, start: int, last: int, came_from: list[int], free: int | None) -> None:
        """Give the columns along the path to their new rows; ``last`` takes the free column, or is left unassigned."""
        table, holds, holders = self._table, self._holds, self._holders
        row, column = last, free
        while True:
            held = holds.pop(row, None)
            if held is not None:
                self.value -= table[row][held]
            if column is not None:
                holders[column] = row
                holds[row] = column
                self.value += table[row][column]
            if row == start:
                return
            # The row was reached through the column that it held; whoever led there takes it.
            if held is None:
                raise AssertionError("a row on the path holds a column")
            column, row = held, came_from[held]
