"""What holds for every test."""

import sys
from collections.abc import Callable, Iterator

import pytest


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    """A process keeps answers of scorers by their rows; each test begins without rows."""
    yield
    meaning = sys.modules.get("evaluation.services.meaning")
    if meaning is not None:
        meaning.forget()


@pytest.fixture
def figure(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Says what was measured; all figures are printed when the tests end."""
    return lambda text: record_property("figure", text)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [report for kind in ("passed", "failed") for report in terminalreporter.stats.get(kind, [])]
    figures = [
        str(text)
        for report in reports
        if report.when == "call"
        for name, text in report.user_properties
        if name == "figure"
    ]
    if figures:
        terminalreporter.section("figures")
        for text in figures:
            terminalreporter.write_line(f"figure: {text}")
