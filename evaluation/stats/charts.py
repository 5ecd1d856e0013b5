"""Small pictures as SVG, each inside a ``<figure>`` with its numbers in a table: readable without colour and by ear.

Only classes and presentation attributes are used, since the pages' security policy forbids inline styles. Colours come
from the style sheet through the classes ``chart``, ``chart-cell``, ``chart-mark`` and so on; without it all is drawn in
the colour of the text.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import NamedTuple, Self
from urllib.parse import urlsplit

from evaluation.aem.language import retold, say
from evaluation.stats.coefficients import Confusion
from evaluation.stats.figures import Figure

# Narrow, so that the words stay legible where a telephone shrinks the picture.
WIDTH = 480
# More circles than this are a blot and a slow page; beyond it, columns show how many items have about the same score.
MOST_POINTS = 1500
COLUMNS = 50
BINS = 10


class Markup(str):
    """Text that is already escaped markup. Django and Jinja take it as safe; joined to plain text it is plain again."""

    __slots__ = ()

    def __html__(self) -> Self:
        return self


def _tag(name: str, *children: "Markup | str", **attributes: object) -> Markup:
    """One element; text is escaped, markup is kept. ``class_`` gives class, ``stroke_width`` gives stroke-width."""
    pairs = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_number(value))}"' for key, value in attributes.items()
    )
    inner = "".join(child if isinstance(child, Markup) else escape(child) for child in children)
    return Markup(f"<{name}{pairs}>{inner}</{name}>")


def _number(value: object) -> str:
    """Floats with two decimals: enough for a picture, and the same text on every machine."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


def _figure(
    name: str, title: str, height: float, drawing: Iterable[Markup], table: Markup, *, role: str = "img"
) -> Markup:
    picture = _tag(
        "svg",
        _tag("title", title),
        *drawing,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {_number(height)}",
        role=role,
        class_="chart-svg",
        fill="currentColor",
        font_size=14,
    )
    return _tag("figure", picture, table, class_=f"chart chart-{name}")


def _table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> Markup:
    def line(cells: Sequence[str]) -> Markup:
        return _tag("tr", _tag("th", cells[0], scope="row"), *(_tag("td", cell) for cell in cells[1:]))

    header = _tag("thead", _tag("tr", *(_tag("th", cell, scope="col") for cell in head)))
    body = _tag("tbody", *(line(row) for row in rows))
    return _tag("table", _tag("caption", caption), header, body, class_="chart-table")


def _text(x: float, y: float, words: str, *, anchor: str = "start", class_: str = "chart-text") -> Markup:
    return _tag("text", words, x=x, y=y, text_anchor=anchor, class_=class_)


def confusion_heat_map(table: Confusion, *, title: str, href: Callable[[str, str], str] | None = None) -> Markup:
    """Counts of first label by second: darker is more, a thick border and the word "agree" mark the diagonal.

    ``href`` gives the address of the rows behind the count of two labels; a count of 0 has none.
    """
    left, top, cell_height = 96.0, 62.0, 64.0
    sides, words = (retold(table.sides.first), retold(table.sides.second)), {one: retold(one) for one in table.labels}
    cell_width = (WIDTH - left) / len(table.labels)
    most = max(max(row.values()) for row in table.counts.values())
    parts = [
        _text(0, 18, say("rows: {first}; columns: {second}", first=sides[0], second=sides[1]), class_="chart-axis")
    ]
    for column, second in enumerate(table.labels):
        parts.append(_text(left + (column + 0.5) * cell_width, 46, words[second], anchor="middle"))
    for row, first in enumerate(table.labels):
        y = top + row * cell_height
        parts.append(_text(0, y + cell_height / 2 + 5, words[first]))
        for column, second in enumerate(table.labels):
            count, agrees = table.counts[first][second], first == second
            # At most a third opaque, so that the number stays readable on it in light and in dark.
            shade = 0.33 * count / most if most else 0.0
            box = _tag(
                "rect",
                x=left + column * cell_width + 3,
                y=y + 3,
                width=cell_width - 6,
                height=cell_height - 6,
                fill_opacity=shade,
                stroke="currentColor",
                stroke_width=3 if agrees else 1,
                class_="chart-cell",
            )
            middle = left + (column + 0.5) * cell_width
            cell = _tag(
                "g",
                _tag("title", f"{sides[0]} {words[first]}, {sides[1]} {words[second]}: {count}"),
                box,
                _text(middle, y + 32, str(count), anchor="middle", class_="chart-count"),
                _text(middle, y + 50, say("agree") if agrees else say("differ"), anchor="middle", class_="chart-note"),
            )
            parts.append(_linked(cell, href(first, second)) if href is not None and count else cell)
    rows = [
        [words[first], *(str(table.counts[first][second]) for second in table.labels), str(table.firsts[first])]
        for first in table.labels
    ]
    rows.append([say("all"), *(str(table.seconds[second]) for second in table.labels), str(table.n)])
    head = [f"{sides[0]} \\ {sides[1]}", *words.values(), say("all")]
    # An image hides its links from assistive software; a group does not.
    role = "img" if href is None else "group"
    height = top + len(table.labels) * cell_height + 4
    return _figure("confusion", title, height, parts, _table(title, head, rows), role=role)


def _linked(drawing: Markup, href: str, **attributes: object) -> Markup:
    _check_address(href)
    return _tag("a", drawing, href=href, **attributes)


class Point(NamedTuple):
    """One scored item: its score from 0 to 1, the label it got, what it is, and the address of its row."""

    score: float
    label: str
    name: str = ""
    href: str = ""


@dataclass(frozen=True, slots=True)
class _Lanes:
    """Where scores and labels stand in the picture."""

    left: float
    right: float
    middles: Mapping[str, float]
    height: float

    def x(self, score: float) -> float:
        return self.left + (self.right - self.left) * score


def score_strip(points: Iterable[Point], *, labels: Sequence[str], title: str) -> Markup:
    """Every score as a dot in the lane of its label, shifted sideways so that equal scores stay apart.

    The shift follows the golden ratio and not chance: the same points give the same picture.
    """
    every = list(points)
    for point in every:
        if point.label not in labels:
            raise ValueError(f"{point.name or 'a point'}: {point.label!r} is none of the labels {', '.join(labels)}")
        if not 0 <= point.score <= 1:  # NaN fails this too
            raise ValueError(f"{point.name or 'a point'}: {point.score} is not a score from 0 to 1")
    left, right, top, lane = 84.0, WIDTH - 24.0, 14.0, 84.0
    bottom = top + lane * len(labels)
    parts = [
        _tag("line", x1=left, y1=bottom, x2=right, y2=bottom, stroke="currentColor", class_="chart-line"),
        *(
            _text(left + (right - left) * tick / 4, bottom + 20, f"{tick / 4:g}", anchor="middle", class_="chart-note")
            for tick in range(5)
        ),
        _text(left + (right - left) / 2, bottom + 40, say("score"), anchor="middle", class_="chart-axis"),
    ]
    middles = {label: top + lane * (row + 0.5) for row, label in enumerate(labels)}
    for label, middle in middles.items():
        parts.append(_text(0, middle + 5, retold(label)))
        parts.append(_tag("line", x1=left, y1=middle, x2=right, y2=middle, stroke="currentColor", stroke_opacity=0.2))
    lanes = _Lanes(left, right, middles, lane * 0.76)
    parts.extend(_dots(every, lanes) if len(every) <= MOST_POINTS else _columns(every, lanes))

    counts = Counter((point.label, _bin(point.score)) for point in every)
    rows = [
        [_bin_words(place), *(str(counts[label, place]) for label in labels)]
        for place in range(BINS + 1)
        if any(counts[label, place] for label in labels)
    ]
    table = _table(say("{title} (number of items)", title=title), [say("score"), *map(retold, labels)], rows)
    # An image hides its links from assistive software; a group does not.
    role = "group" if any(point.href for point in every) else "img"
    return _figure("strip", title, bottom + 48, parts, table, role=role)


def _check_address(href: str) -> None:
    """Only addresses inside this site: anything with a scheme or a host could carry script or lead away."""
    parts = urlsplit(href)
    if parts.scheme or parts.netloc or href[:1] not in {"", "/", "?", "#"} or "\\" in href:
        raise ValueError(f"{href!r} is not an address inside this site")


def _dots(points: Sequence[Point], lanes: _Lanes) -> Iterator[Markup]:
    golden = (math.sqrt(5) - 1) / 2
    for index, point in enumerate(points):
        shift = (index * golden) % 1 - 0.5
        words = f"{point.name + ': ' if point.name else ''}{_number(float(point.score))}, {retold(point.label)}"
        dot = _tag(
            "circle",
            _tag("title", words),
            cx=lanes.x(point.score),
            cy=lanes.middles[point.label] + shift * lanes.height,
            r=4,
            fill_opacity=0.35,
            stroke="currentColor",
            class_="chart-mark",
        )
        # Hundreds of dots would be hundreds of stops of the Tab key: the table and the list of rows serve the keyboard.
        yield _linked(dot, point.href, tabindex=-1) if point.href else dot


def _columns(points: Sequence[Point], lanes: _Lanes) -> Iterator[Markup]:
    places = Counter((round(point.score * COLUMNS), point.label) for point in points)
    most = max(places.values())
    width = (lanes.right - lanes.left) / COLUMNS * 0.7
    for (place, label), count in sorted(places.items()):
        height = max(1.0, lanes.height * count / most)
        yield _tag(
            "rect",
            _tag(
                "title",
                say(
                    "{count} items with a score near {score}, {label}",
                    count=count,
                    score=f"{place / COLUMNS:g}",
                    label=retold(label),
                ),
            ),
            x=lanes.x(place / COLUMNS) - width / 2,
            y=lanes.middles[label] - height / 2,
            width=width,
            height=height,
            class_="chart-mark",
        )


def _bin(score: float) -> int:
    """Tenths; a perfect score has a bin of its own, since it alone passes."""
    return min(int(score * BINS), BINS)


def _bin_words(place: int) -> str:
    if place == BINS:
        return "1"
    return say("{low} to below {high}", low=f"{place / BINS:g}", high=f"{(place + 1) / BINS:g}")


def _interval(low: float, high: float) -> str:
    return say("{low} to {high}", low=f"{low:.3f}", high=f"{high:.3f}")


def bars_with_intervals(figures: Mapping[str, Figure], *, title: str) -> Markup:
    """Rates or coefficients as bars from 0, the 95 % interval as a whisker; without a value the reason stands there.

    The scale runs from 0 to 1, or from -1 where a value or an interval goes below 0.
    """
    for name, figure in figures.items():
        if figure.value is not None and abs(figure.value) > 1:
            raise ValueError(f"{name}: {figure.value} is not between -1 and 1")
    bounds = (bound for figure in figures.values() for bound in (figure.value, figure.low) if bound is not None)
    lowest = -1.0 if min(bounds, default=0.0) < 0 else 0.0
    left, right, row_height = 4.0, WIDTH - 4.0, 76.0

    def x(value: float) -> float:
        return left + (right - left) * (value - lowest) / (1 - lowest)

    parts: list[Markup] = []
    for row, (name, figure) in enumerate(figures.items()):
        y = row * row_height
        parts.append(_text(left, y + 18, name))
        parts.append(_text(left, y + 38, f"{figure.told}, n = {figure.n}", class_="chart-note"))
        parts.append(_bar(figure, x, lowest, y + 46))
    height = row_height * len(figures)
    for tick, anchor in enumerate(["start", "middle", "middle", "middle", "end"]):
        value = lowest + (1 - lowest) * tick / 4
        parts.append(_text(x(value), height + 14, f"{value:g}", anchor=anchor, class_="chart-note"))
    rows = [
        [
            name,
            retold(str(figure.reason)) if figure.value is None else f"{figure.value:.3f}",
            retold(figure.note or "")
            if figure.low is None or figure.high is None
            else _interval(figure.low, figure.high),
            str(figure.n),
        ]
        for name, figure in figures.items()
    ]
    return _figure(
        "bars", title, height + 22, parts, _table(title, [say("figure"), say("value"), say("95 % interval"), "n"], rows)
    )


def _bar(figure: Figure, x: Callable[[float], float], lowest: float, y: float) -> Markup:
    defined = figure.value is not None
    frame = _tag(
        "rect",
        x=x(lowest),
        y=y,
        width=x(1) - x(lowest),
        height=16,
        fill="none",
        stroke="currentColor",
        stroke_dasharray="none" if defined else "4 4",
        class_="chart-frame",
    )
    parts = [_tag("title", figure.told), frame]
    if figure.value is not None:
        start, end = sorted((x(0), x(figure.value)))
        parts.append(_tag("rect", x=start, y=y, width=end - start, height=16, fill_opacity=0.35, class_="chart-bar"))
    if figure.low is not None and figure.high is not None:
        low, high, middle = x(figure.low), x(figure.high), y + 8
        strokes = [(low, middle, high, middle), (low, y + 2, low, y + 14), (high, y + 2, high, y + 14)]
        parts.extend(
            _tag("line", x1=a, y1=b, x2=c, y2=d, stroke="currentColor", stroke_width=2, class_="chart-whisker")
            for a, b, c, d in strokes
        )
    return _tag("g", *parts)


class ThresholdRate(NamedTuple):
    """Two rates that hold for every threshold above ``above`` and up to ``up_to``; ``threshold`` stands for them."""

    threshold: float
    above: float
    up_to: float
    true: Figure
    false: Figure
    true_href: str = ""
    false_href: str = ""


# More marks than this would touch each other.
MOST_MARKS = 24


def threshold_curves(
    rates: Sequence[ThresholdRate], *, title: str, marks: Mapping[str, float], names: tuple[str, str]
) -> Markup:
    """Two rates over the threshold as steps, each in the band of its interval: the first solid with circles, the
    second dashed with squares. ``marks`` are thresholds that stand out, with what they are called.

    A rate that is not defined has no line, and the table beside the picture gives the reason.
    """
    left, right, top, bottom = 34.0, WIDTH - 14.0, 20.0 + 17 * len(marks), 250.0 + 17 * len(marks)

    def x(threshold: float) -> float:
        return left + (right - left) * threshold

    def y(share: float) -> float:
        return bottom - (bottom - top) * share

    parts = [_text(0, 14, say("share of turns"), class_="chart-axis")]
    for tick in range(5):
        at = tick / 4
        parts += [
            _tag("line", x1=left, y1=y(at), x2=right, y2=y(at), stroke="currentColor", stroke_opacity=0.15),
            _text(left - 6, y(at) + 4, f"{at:g}", anchor="end", class_="chart-note"),
            _text(x(at), bottom + 18, f"{at:g}", anchor="middle", class_="chart-note"),
        ]
    parts.append(_text((left + right) / 2, bottom + 36, say("threshold"), anchor="middle", class_="chart-axis"))
    for is_true in (True, False):
        parts.extend(
            _steps([(each, each.true if is_true else each.false) for each in rates], x, y, is_dashed=not is_true)
        )
    parts.extend(_curve_marks(rates, x, y, names))
    for row, (name, threshold) in enumerate(marks.items()):
        at, words = x(threshold), f"{name} {threshold:.3g}"
        dashes = "none" if row == 0 else "2 3"
        parts += [
            _tag(
                "line",
                x1=at,
                y1=24.0 + 17 * row,
                x2=at,
                y2=bottom,
                stroke="currentColor",
                stroke_width=2,
                stroke_dasharray=dashes,
                class_="chart-whisker",
            ),
            _text(
                at + (-6 if threshold > 0.5 else 6),
                33.0 + 17 * row,
                words,
                anchor="end" if threshold > 0.5 else "start",
            ),
        ]
    key = bottom + 58
    for row, (name, dashes) in enumerate(zip(names, ("none", "6 4"), strict=True)):
        line = key + 20 * row
        parts += [
            _tag(
                "line",
                x1=left,
                y1=line,
                x2=left + 40,
                y2=line,
                stroke="currentColor",
                stroke_width=2,
                stroke_dasharray=dashes,
            ),
            _mark(left + 20, line, is_circle=row == 0),
            _text(left + 50, line + 5, name, class_="chart-note"),
        ]
    parts.append(_text(left + 50, key + 45, say("shaded: the 95 % interval"), class_="chart-note"))
    head = [say("threshold"), *(words for name in names for words in (name, say("95 % interval"), "n"))]
    rows = [
        [
            f"{each.threshold:g}",
            *(
                words
                for figure in (each.true, each.false)
                for words in (
                    retold(str(figure.reason)) if figure.value is None else f"{figure.value:.3f}",
                    "" if figure.low is None or figure.high is None else _interval(figure.low, figure.high),
                    str(figure.n),
                )
            ),
        ]
        for each in rates
    ]
    role = "group" if any(each.true_href or each.false_href for each in rates) else "img"
    return _figure("thresholds", title, key + 54, parts, _table(title, head, rows), role=role)


def _steps(
    figures: Sequence[tuple[ThresholdRate, Figure]],
    x: Callable[[float], float],
    y: Callable[[float], float],
    *,
    is_dashed: bool,
) -> Iterator[Markup]:
    """One rate as a line of steps in its band."""
    known = [(each, figure) for each, figure in figures if figure.value is not None]
    if not known:
        return

    def ends(share: Callable[[Figure], float | None]) -> list[str]:
        return [
            f"{_number(x(at))},{_number(y(share(figure) or 0.0))}"
            for each, figure in known
            for at in (each.above, each.up_to)
        ]

    band = [*ends(lambda figure: figure.high), *reversed(ends(lambda figure: figure.low))]
    yield _tag("polygon", points=" ".join(band), fill_opacity=0.1, class_="chart-band")
    yield _tag(
        "polyline",
        points=" ".join(ends(lambda figure: figure.value)),
        fill="none",
        stroke="currentColor",
        stroke_width=2,
        stroke_dasharray="6 4" if is_dashed else "none",
    )


def _curve_marks(
    rates: Sequence[ThresholdRate],
    x: Callable[[float], float],
    y: Callable[[float], float],
    names: tuple[str, str],
) -> Iterator[Markup]:
    """Some of the thresholds as marks that open the turns behind them."""
    every = max(1, math.ceil(len(rates) / MOST_MARKS))
    for each in rates[::every]:
        sides = ((names[0], each.true, each.true_href, True), (names[1], each.false, each.false_href, False))
        for name, figure, href, is_circle in sides:
            if figure.value is None:
                continue
            words = _tag(
                "title",
                say(
                    "threshold {threshold}: {name} {figure}, n = {n}",
                    threshold=f"{each.threshold:g}",
                    name=name,
                    figure=figure.told,
                    n=figure.n,
                ),
            )
            mark = _tag("g", words, _mark(x(each.threshold), y(figure.value), is_circle=is_circle))
            # The table and the list of rows serve the keyboard.
            yield _linked(mark, href, tabindex=-1) if href else mark


def _mark(x: float, y: float, *, is_circle: bool) -> Markup:
    if is_circle:
        return _tag("circle", cx=x, cy=y, r=4, stroke="currentColor", class_="chart-mark")
    return _tag("rect", x=x - 4, y=y - 4, width=8, height=8, stroke="currentColor", class_="chart-mark")
