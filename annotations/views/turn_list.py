"""What the list at the left draws beside the turns: arcs, brackets, and what differs from the first way."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotations import ways
from annotations.structure import KINDS, ROW, WIDTH, Arc, Link, Run, Step, arcs_of, links_of, numbers_of, runs_of
from evaluation.aem.language import mark, say

_WAY_WORDS = {"same": mark("as in {way}"), "changed": mark("differs from {way}"), "added": mark("only in this way")}
_WAY_GLYPHS = {"changed": "≠", "added": "+"}


@dataclass(frozen=True, slots=True)
class Beside:
    """What stands around one turn: its place in a group's bracket, and all of it in words for those who see no arcs."""

    bracket: str = ""
    words: str = ""
    way_glyph: str = ""


@dataclass(frozen=True, slots=True)
class Structure:
    """The turns of one path with what links them."""

    steps: Sequence[Step]
    links: list[Link]
    runs: list[Run]
    rows: list[ways.Row]

    @classmethod
    def of(cls, steps: Sequence[Step], first: Sequence[Step] | None = None) -> Structure:
        """``first`` are the turns of the first way, where this is another one."""
        return cls(steps, links_of(steps), runs_of(steps), ways.compare(first, steps) if first else [])

    def members(self, run: Run) -> list[Step]:
        return [step for step in self.steps if step.key in run.keys]

    @property
    def free_runs(self) -> list[Run]:
        return [run for run in self.runs if len(run.keys) > 1]

    def beside(self, *, first_name: str = "") -> dict[str, Beside]:
        """By turn id, what the list says of each turn."""
        brackets: dict[str, str] = {}
        words: dict[str, list[str]] = defaultdict(list)
        for run in self.free_runs:
            for number, key in enumerate(run.keys):
                brackets[key] = "first" if number == 0 else "last" if number == len(run.keys) - 1 else "mid"
                others = [step for step in self.members(run) if step.key != key]
                words[key].append(say("in any order with {turns}", turns=numbers_of(others)))
        for run in self.runs:
            if len(run.keys) == 1:
                words[run.keys[0]].append(say("alone in group {name}, which frees nothing", name=run.name))
        for link in self.links:
            words[link.target.key].append(link.words)
        glyphs = {}
        for row in self.rows:
            if row.second is not None:
                glyphs[row.second.key] = _WAY_GLYPHS.get(row.state, "")
                if row.state != "same":
                    words[row.second.key].append(say(_WAY_WORDS[row.state], way=first_name))
        return {
            step.key: Beside(brackets.get(step.key, ""), ", ".join(words[step.key]), glyphs.get(step.key, ""))
            for step in self.steps
        }

    @property
    def arcs(self) -> list[Arc]:
        return arcs_of(self.links, {step.key: n for n, step in enumerate(self.steps)})

    @property
    def missing(self) -> list[Step]:
        """Turns of the first way that this one leaves out."""
        return [row.first for row in self.rows if row.second is None and row.first is not None]

    @property
    def way_counts(self) -> dict[str, int]:
        counts = {"same": 0, "changed": 0, "added": 0, "missing": 0}
        for row in self.rows:
            step = row.second or row.first
            counts[row.state] += step is not None and step.turn_no is not None
        return counts


def drawing(structure: Structure, current: Step | None) -> dict[str, Any]:
    """The arcs with the size of their drawing; those of the current turn stand out."""
    here = current.key if current is not None else ""
    arcs = structure.arcs
    heads = {kind: "".join(arc.head for arc in arcs if arc.link.kind == kind) for kind in KINDS}
    return {
        "arcs": [
            (arc.link.kind + (" on" if here in (arc.link.source.key, arc.link.target.key) else ""), _ends(arc), arc.d)
            for arc in arcs
        ],
        "arc_heads": [(kind, d) for kind, d in heads.items() if d],
        "arcs_width": WIDTH,
        "arcs_height": len(structure.steps) * ROW,
    }


def _ends(arc: Arc) -> str:
    """The rows of both turns, as the page's script finds them."""
    return f"{getattr(arc.link.source, 'pk', '')} {getattr(arc.link.target, 'pk', '')}"
