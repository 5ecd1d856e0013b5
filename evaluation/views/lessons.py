"""Learning from decisions: what is learned with one click beside a pair of values, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_POST, require_safe

from annotations.access import Viewer, signed_in
from annotations.models import Capability
from annotations.services.errors import WorkbenchError
from annotations.views.requests import user_of
from evaluation import access, tasks
from evaluation.aem.language import say
from evaluation.forms.lessons import LearnForm
from evaluation.forms.review import DecisionForm
from evaluation.models import EvaluationRun, Lesson, LessonKind, RunItem
from evaluation.services import lessons, review
from evaluation.services.review import Review
from evaluation.views.runs import changes_context, progress_context

LESSONS_A_PAGE = 50
ROWS_A_PAGE = 50
#: Where the session keeps what was typed into a decision while something was learned beside it.
_TYPED = "decision-typed"


# --- beside a decision ---


@dataclass(frozen=True, slots=True)
class PairGroup:
    """What the agent gave for one field, beside each value that the golden accepts."""

    field: str
    observed: Any
    sentence: str
    passed: bool | None
    pairs: list[lessons.Pair]

    @property
    def first(self) -> lessons.Pair:
        return self.pairs[0]


def pairs_here(item: RunItem, page: Review) -> list[lessons.Pair]:
    """The pairs of the current turn from which something can be learned."""
    current = page.current
    if current is None or current.detail is None:
        return []
    pairs = lessons.pairs_of(current.golden, current.detail.get("items", []))
    return lessons.as_things_stand(pairs, item=item, path=page.path, turn_key=current.key)


def groups_here(item: RunItem, page: Review) -> list[PairGroup]:
    """The same by field."""
    found: dict[str, PairGroup] = {}
    for pair in pairs_here(item, page):
        group = found.setdefault(pair.field, PairGroup(pair.field, pair.observed, pair.sentence, pair.passed, []))
        group.pairs.append(pair)
    return list(found.values())


def taught_here(item: RunItem, page: Review) -> list[tuple[Lesson, str]]:
    """What this turn has taught already, each with its words; what was taken back is left out."""
    if page.current is None:
        return []
    rows = Lesson.objects.filter(
        project=item.run.project_id,
        trajectory=item.trajectory_id,
        path=page.path,
        turn_key=page.current.key,
        taken_back_at=None,
    )
    found = rows.select_related("learned_by", "trajectory__conversation").order_by("learned_at")
    return [(lesson, lessons.words_of(lesson)) for lesson in found]


def typed_before(request: HttpRequest, item: RunItem, turn_no: int) -> dict[str, Any]:
    """What was typed into this decision when something was learned beside it."""
    kept = request.session.get(_TYPED) or {}
    if kept.get("turn") != _address(item, turn_no):
        return {}
    fields = DecisionForm.base_fields
    return {
        name: values if name == "cascade_of" else values[0] for name, values in kept["fields"].items() if name in fields
    }


def forget_typed(request: HttpRequest) -> None:
    request.session.pop(_TYPED, None)


def _address(item: RunItem, turn_no: int) -> str:
    return reverse("evaluation:adjudicate", args=[item.run_id, item.position, turn_no])


def _turn(request: HttpRequest, run_id: UUID, position: int, turn_no: int) -> tuple[Viewer, RunItem, Review]:
    viewer, item = access.get_run_item_or_404(request.user, run_id, position, require=Capability.ADJUDICATE)
    page = review.build(item, viewer, turn_no=turn_no)
    if page.current is None or page.current.turn_no != turn_no:
        raise Http404(say("There is no such turn."))
    return viewer, item, page


@require_POST
@signed_in
def lesson_learn(request: HttpRequest, run_id: UUID, position: int, turn_no: int) -> HttpResponse:
    """One click: learn from the pair, and score what it touches again."""
    viewer, item, page = _turn(request, run_id, position, turn_no)
    form = LearnForm(request.POST)
    back = _address(item, turn_no)
    typed = form.typed([*DecisionForm.base_fields])
    typed.pop("seen_revision", None)
    if typed:
        request.session[_TYPED] = {"turn": back, "fields": typed}
    if not form.is_valid():
        messages.error(request, " ".join(str(said) for errors in form.errors.values() for said in errors))
        return redirect(back)
    pair = next((pair for pair in pairs_here(item, page) if pair.key == form.pair_key), None)
    if pair is None or page.current is None:
        messages.error(request, say("This pair is not here any more: the golden or the verdict is another now."))
        return redirect(back)
    try:
        lesson = lessons.learn(
            kind=form.kind,
            item=item,
            path=page.path,
            turn_key=page.current.key,
            pair=pair,
            by=viewer.user,
            is_for_field=form.is_for_field,
            reason=form.cleaned_data["reason"],
        )
    except WorkbenchError as error:
        messages.error(request, say("Nothing was learned. {why}", why=error))
        return redirect(back)
    messages.success(request, say("Learned: {what}", what=lessons.words_of(lesson)))
    _score_again(request, lesson)
    return redirect(lesson)


def _score_again(request: HttpRequest, lesson: Lesson) -> None:
    try:
        lessons.score_again(lesson=lesson, by=user_of(request))
    except WorkbenchError as error:
        messages.warning(request, say("Not scored again: {why}", why=error))
    else:
        tasks.ring()


@require_safe
@signed_in
def lesson_reach(request: HttpRequest, run_id: UUID, position: int, turn_no: int) -> HttpResponse:
    """What a pair would touch, before anything is learned from it; loaded after the page of the decision."""
    viewer, item, page = _turn(request, run_id, position, turn_no)
    pairs = pairs_here(item, page)
    pair = next((pair for pair in pairs if pair.key == request.GET.get("pair")), None)
    context: dict[str, Any] = {"viewer": viewer, "item": item, "run": item.run, "turn_no": turn_no, "pair": pair}
    if pair is not None:
        context |= {
            "own": lessons.conversation_in(item.run, item.trajectory.conversation_id),
            # A value is accepted once, however many stand in the golden already.
            "is_first": next(other for other in pairs if other.field == pair.field) == pair,
            "in_field": lessons.reach_in(item.run, pair),
            "everywhere": None if pair.no_entry else lessons.reach_in(item.run, pair, is_for_field=False),
            "no_use": lessons.no_use_of_words(item.run, LessonKind.EQUAL),
        }
    if _is_fragment(request):
        return render(request, "evaluation/lessons/_reach.html", context)
    if pair is not None:
        found = list(lessons.touched(item.run, pair))
        context["page"] = Paginator(found, ROWS_A_PAGE).get_page(request.GET.get("page"))
    return render(request, "evaluation/lessons/reach.html", context)


# --- lessons ---


@require_safe
@signed_in
def lesson_list(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.get_vocabulary_viewer(request.user, slug)
    page = Paginator(_of_project(viewer), LESSONS_A_PAGE).get_page(request.GET.get("page"))
    rows = [(lesson, lessons.words_of(lesson)) for lesson in page]
    return render(request, "evaluation/lessons/list.html", {"viewer": viewer, "page": page, "rows": rows})


def _of_project(viewer: Viewer) -> QuerySet[Lesson]:
    rows = Lesson.objects.filter(project=viewer.project).order_by("-learned_at", "-pk")
    return rows.select_related("trajectory__conversation", "learned_by", "taken_back_by", "rescored_in").defer(
        "trajectory__body", "trajectory__metadata", "trajectory__extra"
    )


@require_safe
@signed_in
def lesson_detail(request: HttpRequest, lesson_id: UUID) -> HttpResponse:
    viewer, lesson = access.get_lesson_or_404(request.user, lesson_id)
    context = {
        "viewer": viewer,
        "lesson": lesson,
        "words": lessons.words_of(lesson),
        "undo_words": lessons.undo_words(lesson),
        "decision_url": _decision_url(lesson),
        "can_adjudicate": viewer.can(Capability.ADJUDICATE),
    }
    if lesson.rescored_in is not None:
        context |= progress_context(viewer, lesson.rescored_in) | changes_context(request, lesson.rescored_in)
    else:
        context["page"] = _touched_page(request, lesson, lesson.run)
    return render(request, "evaluation/lessons/detail.html", context)


def _touched_page(request: HttpRequest, lesson: Lesson, run: EvaluationRun) -> Any:
    found = list(lessons.touched_by(lesson, run))
    return Paginator(found, ROWS_A_PAGE).get_page(request.GET.get("page"))


def _decision_url(lesson: Lesson) -> str | None:
    """Where the decision stands beside which this was learned; None where the run no longer has the turn."""
    item = RunItem.objects.filter(run=lesson.run_id, trajectory=lesson.trajectory_id).first()
    turn_no = lessons.turn_no_of(lesson)
    return _address(item, turn_no) if item is not None and turn_no is not None else None


@require_safe
@signed_in
def lesson_elsewhere(request: HttpRequest, lesson_id: UUID) -> HttpResponse:
    """In which other runs the pair came up, and how often; loaded after the page of the lesson."""
    viewer, lesson = access.get_lesson_or_404(request.user, lesson_id)
    found = lessons.reach_elsewhere(lesson.run, lessons.pair_of(lesson), is_for_field=lesson.is_for_field)
    context = {"viewer": viewer, "lesson": lesson, "found": found, "runs_looked_at": lessons.RUNS_LOOKED_AT}
    template = "_elsewhere.html" if _is_fragment(request) else "elsewhere.html"
    return render(request, f"evaluation/lessons/{template}", context)


@require_safe
@signed_in
def lesson_touched(request: HttpRequest, lesson_id: UUID, run_id: UUID) -> HttpResponse:
    """The turns of one run that a lesson touches."""
    viewer, lesson = access.get_lesson_or_404(request.user, lesson_id)
    run = EvaluationRun.objects.filter(pk=run_id, project=viewer.project).first()
    if run is None:
        raise Http404(say("There is no such run in this project."))
    context = {
        "viewer": viewer,
        "lesson": lesson,
        "words": lessons.words_of(lesson),
        "run": run,
        "page": _touched_page(request, lesson, run),
    }
    return render(request, "evaluation/lessons/touched.html", context)


@require_POST
@signed_in
def lesson_score_again(request: HttpRequest, lesson_id: UUID) -> HttpResponse:
    """Try again where it could not be scored when it was learned."""
    _, lesson = access.get_lesson_or_404(request.user, lesson_id, require=Capability.ADJUDICATE)
    _score_again(request, lesson)
    return redirect(lesson)


@require_POST
@signed_in
def lesson_take_back(request: HttpRequest, lesson_id: UUID) -> HttpResponse:
    viewer, lesson = access.get_lesson_or_404(request.user, lesson_id, require=Capability.ADJUDICATE)
    try:
        lessons.take_back(lesson=lesson, by=viewer.user)
    except WorkbenchError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, say("Taken back. What was scored meanwhile stays, and says with what it was scored."))
    return redirect(lesson)


def _is_fragment(request: HttpRequest) -> bool:
    return request.headers.get("HX-Request") == "true"


urlpatterns = [
    path("runs/<uuid:run_id>/items/<int:position>/turns/<int:turn_no>/learn/", lesson_learn, name="lesson-learn"),
    path("runs/<uuid:run_id>/items/<int:position>/turns/<int:turn_no>/touches/", lesson_reach, name="lesson-reach"),
    path("p/<slug:slug>/lessons/", lesson_list, name="lesson-list"),
    path("lessons/<uuid:lesson_id>/", lesson_detail, name="lesson-detail"),
    path("lessons/<uuid:lesson_id>/elsewhere/", lesson_elsewhere, name="lesson-elsewhere"),
    path("lessons/<uuid:lesson_id>/runs/<uuid:run_id>/", lesson_touched, name="lesson-touched"),
    path("lessons/<uuid:lesson_id>/score-again/", lesson_score_again, name="lesson-score-again"),
    path("lessons/<uuid:lesson_id>/take-back/", lesson_take_back, name="lesson-take-back"),
]
