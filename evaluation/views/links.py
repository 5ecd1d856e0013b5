"""Links in a sentence."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from evaluation.aem.language import say
from evaluation.models import EvaluationRun


def run_links(runs: Sequence[EvaluationRun], *, count: int) -> SafeString:
    """The newest runs, each with its link, of ``count`` in all."""
    links = format_html_join(", ", '<a href="{}">{}</a>', ((run.get_absolute_url(), run) for run in runs))
    return format_html(say("{runs} and older ones"), runs=links) if count > len(runs) else links
