"""What is at hand beside the conversation: guideline, tools, goal and prompt, what builds on what, how ways differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from annotations import access
from annotations.at_hand import task_facts, tool_words
from annotations.models import GoldTurn, Guideline
from annotations.services import guidelines
from annotations.structure import KINDS, Link, Step, numbers_of
from annotations.views.turn_list import Structure
from annotations.views.workbench import Desk, label_of, title_of
from evaluation.aem.language import mark, say

#: Of so few tools each is shown open.
_FEW_TOOLS = 3


@dataclass(frozen=True, slots=True)
class Part:
    """One thing at hand: its name in the address, what the button says, and the action whose key opens it."""

    name: str
    button: str
    heading: str
    action: str
    optional: str = ""

    @property
    def label(self) -> str:
        return say(self.button)

    @property
    def title(self) -> str:
        return say(self.heading)

    @property
    def optional_words(self) -> str:
        return say(self.optional) if self.optional else ""


GUIDELINE = Part("guideline", mark("Guideline"), mark("Guideline"), "workbench.guideline")
TOOLS = Part("tools", mark("Tools"), mark("Tools of the agent"), "workbench.tools")
GOAL = Part("goal", mark("Goal"), mark("Goal and prompt"), "workbench.about", mark(" and prompt"))
ORDER = Part("order", mark("Links"), mark("What builds on what"), "workbench.links")
WAYS = Part("ways", mark("Ways"), mark("How the ways differ"), "workbench.ways", mark(" compared"))
_BY_NAME = {part.name: part for part in (GUIDELINE, TOOLS, GOAL, ORDER, WAYS)}


def parts_of(desk: Desk) -> list[Part]:
    """What there is to show for this golden."""
    conversation = desk.golden.conversation
    found = []
    if guideline_of(desk) is not None:
        found.append(GUIDELINE)
    if conversation.tool_set.body:
        found.append(TOOLS)
    if conversation.user_goal or conversation.system_prompt or _facts(desk):
        found.append(GOAL)
    if desk.turns:
        found.append(ORDER)
    if len({turn.path for turn in desk.turns}) > 1:
        found.append(WAYS)
    return found


def guideline_of(desk: Desk) -> Guideline | None:
    """The version that the golden is written under; the newest where it was begun under none."""
    return desk.golden.guideline or _newest(desk)


def _newest(desk: Desk) -> Guideline | None:
    return Guideline.objects.filter(project=desk.viewer.project).first()


def _facts(desk: Desk) -> list[tuple[str, str]]:
    """What an import brought of the task. A blinded annotator gets none: it may tell how others judged."""
    return [] if desk.viewer.is_blinded else task_facts(desk.golden.conversation.extra)


def hand_context(desk: Desk, name: str, current: GoldTurn | None) -> dict[str, Any] | None:
    """One part with its content; None where this golden has no such part."""
    part = _BY_NAME.get(name)
    if part is None or part not in parts_of(desk):
        return None
    content = {GUIDELINE: _guideline, TOOLS: _tools, GOAL: _goal, ORDER: _order, WAYS: _ways}[part]
    back = desk.golden.get_absolute_url() + (f"?{urlencode({'turn': current.pk})}" if current is not None else "")
    return {"hand": part, "hand_back": back, **content(desk, current)}


def _guideline(desk: Desk, current: GoldTurn | None) -> dict[str, Any]:
    newest = _newest(desk)
    shown = guideline_of(desk)
    return {
        "guideline": shown,
        "newer_guideline": newest if newest != shown else None,
        "examples": guidelines.shown_to(newest, user=desk.viewer.user, is_blinded=desk.viewer.is_blinded),
    }


def _tools(desk: Desk, current: GoldTurn | None) -> dict[str, Any]:
    tools = tool_words(desk.golden.conversation.tool_set.body)
    wanted = str(current.body.get("tool", "")) if current is not None else ""
    return {
        "tools_shown": [(tool, len(tools) <= _FEW_TOOLS or tool.name == wanted) for tool in tools],
        "tool_wanted": wanted,
    }


def _goal(desk: Desk, current: GoldTurn | None) -> dict[str, Any]:
    conversation = desk.golden.conversation
    known = [(say("domain"), conversation.domain), (say("language"), conversation.language)]
    return {"conversation": conversation, "task_facts": [(*pair,) for pair in known if pair[1]] + _facts(desk)}


def _order(desk: Desk, current: GoldTurn | None) -> dict[str, Any]:
    structure = Structure.of(desk.path_turns)
    turns = {turn.key: turn for turn in desk.path_turns}
    by_turn: dict[str, list[Link]] = {}
    for link in structure.links:
        by_turn.setdefault(link.target.key, []).append(link)
    is_said = any("depends_on" in turn.body for turn in desk.path_turns) or bool(structure.links)
    return {
        "kinds": [(kind, *map(say, words)) for kind, words in KINDS.items()],
        "links_by_turn": [(turns[key], links) for key, links in by_turn.items()],
        "groups": [(run, numbers_of(structure.members(run))) for run in structure.free_runs],
        "lone_groups": [(run, numbers_of(structure.members(run))) for run in structure.runs if len(run.keys) == 1],
        "nothing_is_said": not is_said,
    }


def _ways(desk: Desk, current: GoldTurn | None) -> dict[str, Any]:
    names = list(dict.fromkeys(turn.path for turn in desk.turns))
    shown = desk.path if desk.path != names[0] else names[1]
    first, second = ([turn for turn in desk.turns if turn.path == name] for name in (names[0], shown))
    structure = Structure.of(second, first)
    rows: list[dict[str, Any]] = []
    for row in structure.rows:
        step = row.second or row.first
        if step is None:
            continue
        if row.state != "same":
            turn = next(one for one in (second if row.second else first) if one.key == step.key)
            rows.append({"state": row.state, "turn": turn, "name": _name(turn), "fields": row.fields})
        elif rows and rows[-1]["state"] == "same":
            rows[-1]["steps"].append(step)
        else:
            rows.append({"state": "same", "steps": [step]})
    for shown_row in rows:
        if shown_row["state"] == "same":
            shown_row["words"] = _same_words(shown_row["steps"])
    return {"first_way": names[0], "shown_way": shown, "way_rows": rows, "way_counts": structure.way_counts}


def _name(turn: GoldTurn) -> str:
    return say("turn {number}", number=turn.turn_no) + f" · {title_of(turn)}" if turn.turn_no else label_of(turn)


def _same_words(steps: list[Step]) -> str:
    counted = [step for step in steps if step.turn_no is not None]
    if not counted:
        return say("What the user says here is the same.")
    words = numbers_of(counted)
    turns = f"{words[:1].upper()}{words[1:]}"
    return say("{turns} is the same.", turns=turns) if len(counted) == 1 else say("{turns} are the same.", turns=turns)


@access.signed_in
@require_safe
def golden_hand(request: HttpRequest, golden_id: UUID, hand: str) -> HttpResponse:
    """One part, as a fragment or as a page; without a script the workbench itself shows it above the conversation."""
    viewer, golden = access.get_golden_or_404(request.user, golden_id)
    number = request.GET.get("current", request.GET.get("turn", ""))
    desk = Desk.open(viewer, golden, path=request.GET.get("path", ""))
    current = desk.find(int(number)) if number.isdecimal() and len(number) < 19 else None
    if current is not None and current.path != desk.path:
        desk = Desk.open(viewer, golden, path=current.path)
    context = hand_context(desk, hand, current)
    if context is None:
        raise Http404(say("There is nothing of this kind for this golden."))
    shared = {"viewer": viewer, "golden": golden, "desk": desk, "here": golden.get_absolute_url()}
    template = "_hand.html" if getattr(request, "htmx", False) else "hand.html"
    return render(request, f"annotations/goldens/{template}", {**shared, **context})


def hand_links(desk: Desk, current: GoldTurn | None) -> list[dict[str, Any]]:
    """The buttons that open each part, as links of the page and as addresses of the fragment."""
    query = {"turn": str(current.pk)} if current is not None else {"path": desk.path}
    return [
        {
            "part": part,
            "href": f"{desk.golden.get_absolute_url()}?{urlencode({**query, 'hand': part.name})}",
            "fragment": reverse("annotations:golden-hand", args=[desk.golden.pk, part.name]),
        }
        for part in parts_of(desk)
    ]


urlpatterns = [path("goldens/<uuid:golden_id>/hand/<slug:hand>/", golden_hand, name="golden-hand")]
