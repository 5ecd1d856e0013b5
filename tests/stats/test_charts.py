"""Pictures: well-formed, escaped, without inline style, and with every number in the table beside them."""

import re
from collections import Counter
from xml.etree import ElementTree

import pytest
from django.utils.html import conditional_escape

from evaluation.stats.charts import (
    MOST_POINTS,
    Markup,
    Point,
    ThresholdRate,
    bars_with_intervals,
    confusion_heat_map,
    score_strip,
    threshold_curves,
)
from evaluation.stats.coefficients import Confusion, Sides
from evaluation.stats.figures import Figure, rate

HOSTILE = "<script>alert(1)</script>\"'&</svg><img src=x onerror=alert(1)>"


def parse(markup: Markup) -> ElementTree.Element:
    return ElementTree.fromstring(markup)


def texts(root: ElementTree.Element) -> list[str]:
    return ["".join(cell.itertext()) for cell in root.iter() if cell.tag in ("th", "td")]


def every_chart(words: str) -> list[Markup]:
    table = Confusion.of(("pass", words), Counter({("pass", "pass"): 7}), sides=Sides(words, f"label of {words}"))
    few = [Point(0.5, words, words, "/rows/1?a=1&b=2"), Point(1.0, "pass", words)]
    many = [Point(number / 2000, words) for number in range(2000)]
    return [
        confusion_heat_map(table, title=words),
        score_strip(few, labels=["pass", words], title=words),
        score_strip(many, labels=["pass", words], title=words),
        bars_with_intervals({words: rate(3, 4), "kappa": Figure.undefined(words, 0)}, title=words),
    ]


@pytest.mark.parametrize("chart", every_chart(HOSTILE))
def test_nothing_in_a_name_becomes_markup(chart: Markup) -> None:
    root = parse(chart)
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert not tags & {"script", "img", "style", "foreignObject"}
    assert HOSTILE in "".join(root.itertext())
    assert "<script" not in chart


@pytest.mark.parametrize("chart", every_chart("fail"))
def test_shape_of_every_chart(chart: Markup) -> None:
    root = parse(chart)
    picture, table = list(root)
    assert root.tag == "figure"
    assert picture.find("{http://www.w3.org/2000/svg}title") is not None
    assert table.tag == "table"
    assert table.find("caption") is not None
    assert all(header.get("scope") in ("row", "col") for header in root.iter("th"))
    attributes = {name for element in root.iter() for name in element.attrib}
    assert "style" not in attributes
    assert not {name for name in attributes if name.startswith("on")}
    assert not re.search(r"\b(nan|inf)\b", chart, re.IGNORECASE)


def test_markup_is_safe_for_templates_and_plain_once_joined() -> None:
    chart = confusion_heat_map(Confusion.of(("pass", "fail"), Counter({("pass", "fail"): 2})), title="<b>")
    assert str(conditional_escape(chart)) == str(chart)
    assert not isinstance(chart + "", Markup)
    assert conditional_escape(chart + "<i>").startswith("&lt;figure")


def test_heat_map_tells_agreement_without_colour() -> None:
    cells = Counter({("pass", "pass"): 57, ("pass", "fail"): 25, ("fail", "pass"): 73, ("fail", "fail"): 45})
    chart = confusion_heat_map(Confusion.of(("pass", "fail"), cells), title="Turn verdict")
    assert (chart.count(">agree<"), chart.count(">differ<")) == (2, 2)
    assert "<title>automatic label pass, human label fail: 25</title>" in chart
    assert texts(parse(chart))[-12:] == ["pass", "57", "25", "82", "fail", "73", "45", "118", "all", "130", "70", "200"]


def test_an_empty_heat_map_is_drawn() -> None:
    chart = confusion_heat_map(Confusion.of(("pass", "fail"), {}), title="Nothing yet")
    assert {cell.text for cell in parse(chart).iter("td")} == {"0"}


def test_every_dot_opens_its_row() -> None:
    chart = score_strip(
        [Point(0.25, "fail", "t-1, turn 3", "/turns/3"), Point(1.0, "pass", "t-2, turn 1", "/turns/1")],
        labels=["pass", "fail"],
        title="Completeness",
    )
    assert chart.count("<circle") == 2
    assert '<a href="/turns/3" tabindex="-1">' in chart
    assert "<title>t-1, turn 3: 0.25, fail</title>" in chart
    assert 'role="group"' in chart  # an image would hide its links
    assert texts(parse(chart)) == ["score", "pass", "fail", "0.2 to below 0.3", "0", "1", "1", "1", "0"]


def test_equal_scores_stay_apart_and_the_same_points_give_the_same_picture() -> None:
    points = [Point(0.5, "pass")] * 50
    chart = score_strip(points, labels=["pass"], title="Scores")
    assert len(set(re.findall(r'cy="([^"]+)"', chart))) == 50
    assert chart == score_strip(points, labels=["pass"], title="Scores")


def test_very_many_points_become_columns_that_lose_none() -> None:
    points = [Point((number % 97) / 96, "pass" if number % 3 else "fail") for number in range(MOST_POINTS + 500)]
    chart = score_strip(points, labels=["pass", "fail"], title="Scores")
    assert "<circle" not in chart
    assert sum(int(count) for count in re.findall(r"<title>(\d+) items", chart)) == len(points)
    counts = [int(cell.text or "") for cell in parse(chart).iter("td")]
    assert sum(counts) == len(points)


@pytest.mark.parametrize(
    "href", ["javascript:alert(1)", "https://example.com/", "//example.com", "data:text/html,x", "/\\x"]
)
def test_only_addresses_inside_the_site(href: str) -> None:
    with pytest.raises(ValueError, match="is not an address inside this site"):
        score_strip([Point(0.5, "pass", "t-1", href)], labels=["pass"], title="Scores")


@pytest.mark.parametrize("score", [-0.1, 1.1, float("nan"), float("inf")])
def test_only_scores_are_drawn(score: float) -> None:
    with pytest.raises(ValueError, match=r"t-1: .* is not a score from 0 to 1"):
        score_strip([Point(score, "pass", "t-1")], labels=["pass"], title="Scores")


def test_only_known_labels_have_a_lane() -> None:
    with pytest.raises(ValueError, match="t-1: 'unsure' is none of the labels pass, fail"):
        score_strip([Point(0.5, "unsure", "t-1")], labels=["pass", "fail"], title="Scores")


def test_a_bar_without_a_value_gives_the_reason() -> None:
    chart = bars_with_intervals({"Pearson": Figure.undefined("too few (2)", 2), "Raw": rate(1, 2)}, title="Trust")
    assert "too few (2), n = 2" in chart
    assert texts(parse(chart))[4:] == ["Pearson", "too few (2)", "", "2", "Raw", "0.500", "0.095 to 0.905", "2"]
    assert chart.count('class="chart-bar"') == 1


def test_bars_reach_below_0_only_where_needed() -> None:
    below = bars_with_intervals({"kappa": Figure(value=0.1, n=9, low=-0.2, high=0.4)}, title="Trust")
    above = bars_with_intervals({"rate": rate(1, 2)}, title="Trust")
    assert ">-1<" in below
    assert ">-1<" not in above
    with pytest.raises(ValueError, match=r"rate: 1.5 is not between -1 and 1"):
        bars_with_intervals({"rate": Figure(value=1.5, n=2)}, title="Trust")


def test_counts_open_their_rows_except_where_there_are_none() -> None:
    table = Confusion.of(("pass", "fail"), Counter({("pass", "pass"): 7, ("fail", "pass"): 2}))
    chart = confusion_heat_map(table, title="Who says what", href=lambda first, second: f"/rows/?{first}={second}")
    assert re.findall(r'<a href="([^"]+)"', chart) == ["/rows/?pass=pass", "/rows/?fail=pass"]
    assert 'role="group"' in chart
    with pytest.raises(ValueError, match="not an address"):
        confusion_heat_map(table, title="Who says what", href=lambda first, second: "javascript:alert(1)")


def thresholds(words: str = "true passes", href: str = "") -> Markup:
    rates = [
        ThresholdRate(0.01, 0.0, 0.4, rate(4, 4), rate(3, 3), href, href),
        ThresholdRate(0.5, 0.4, 0.6, rate(3, 4), rate(1, 3), href, href),
        ThresholdRate(0.8, 0.6, 1.0, rate(1, 4), rate(0, 3), href, href),
    ]
    return threshold_curves(rates, title=words, marks={"chosen": 0.5, "now": 0.3}, names=(words, "false passes"))


def test_curves_are_steps_that_meet_where_scores_are() -> None:
    root = parse(thresholds())
    lines = [element for element in root.iter() if element.tag.endswith("polyline")]
    assert [line.get("stroke-dasharray") for line in lines] == ["none", "6 4"]
    points = [tuple(map(float, point.split(","))) for point in (lines[0].get("points") or "").split()]
    assert len(points) == 6
    assert [x for x, _ in points][1:5] == [points[1][0], points[1][0], points[3][0], points[3][0]]
    heights = [y for _, y in points]
    assert heights[0] == heights[1] < heights[2] == heights[3] < heights[4] == heights[5]
    assert len([element for element in root.iter() if element.tag.endswith("polygon")]) == 2


def test_curves_tell_true_from_false_without_colour_and_name_the_thresholds() -> None:
    chart = thresholds()
    tags = Counter(element.tag.rpartition("}")[2] for element in parse(chart).iter())
    assert tags["circle"] == tags["rect"] == 4  # three each, and one in the key
    assert ">chosen 0.5<" in chart
    assert ">now 0.3<" in chart
    assert texts(parse(chart))[7:14] == ["0.01", "1.000", "0.510 to 1.000", "4", "1.000", "0.439 to 1.000", "3"]


def test_marks_of_curves_open_their_rows_and_lead_nowhere_else() -> None:
    assert thresholds(href="/rows/?at=0.5").count('href="/rows/?at=0.5"') == 6
    with pytest.raises(ValueError, match="not an address inside"):
        thresholds(href="//elsewhere.example/")


def test_curves_of_hostile_names_and_of_nothing_are_drawn() -> None:
    assert "<script" not in thresholds(HOSTILE)
    none = Figure.undefined("not defined (no human label is fail)", 0)
    chart = threshold_curves(
        [ThresholdRate(0.5, 0.0, 1.0, rate(1, 2), none)], title="t", marks={}, names=("true", "false")
    )
    assert chart.count("<polyline") == 1
    assert "not defined (no human label is fail)" in chart
    assert "<polyline" not in threshold_curves([], title="t", marks={}, names=("true", "false"))
