"""A project's vocabulary: what it holds equal or different, edited in plain fields; and a pair looked up."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_POST, require_safe

from annotations.access import Viewer, signed_in
from annotations.services import drafts
from annotations.services.errors import StaleRevisionError, WorkbenchError
from annotations.views.requests import user_of
from evaluation import access
from evaluation.aem.language import say, say_n
from evaluation.evaluators.embedded.vocabulary import fold_term
from evaluation.formats import jsonio
from evaluation.forms.vocabulary import CLAIM, REPLACE, EntryForm, FileForm, LookForm, RemoveForm, SeenForm
from evaluation.models import Lesson, Vocabulary
from evaluation.services import lookups, vocabularies
from evaluation.services.vocabularies import PARTS, Entry, VocabularyRefusedError
from evaluation.views.links import run_links

ENTRIES_A_PAGE = 30
NUMBERS_A_PAGE = 10
SHOWN_RUNS = 10
#: A longer text is not put into the page once more with its faults.
_SENT_BACK = 200_000


@require_safe
@signed_in
def vocabulary(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.get_vocabulary_viewer(request.user, slug)
    if _is_fragment(request):
        context = _entries_context(request, viewer, vocabularies.latest(viewer.project))
        context["uses"] = vocabularies.uses_of(viewer.project, list(context["page"]))
        return render(request, "evaluation/vocabulary/_entries.html", context)
    return _page(request, viewer)


def _page(
    request: HttpRequest,
    viewer: Viewer,
    *,
    status: int = 200,
    stale: StaleRevisionError | None = None,
    **more: Any,
) -> HttpResponse:
    """The page; ``more`` are the forms that were sent and could not be saved."""
    newest = vocabularies.latest(viewer.project)
    seen = newest.number if newest else 0
    context = {
        **_entries_context(request, viewer, newest),
        "seen_number": seen,
        "entry_form": EntryForm(),
        "file_form": FileForm(auto_id="file_%s"),
        "look_form": LookForm(auto_id="look_%s"),
        "extras": lookups.missing_extras(),
        "history": _history(viewer, request),
        "lesson_count": Lesson.objects.filter(project=viewer.project).count(),
        "stale": stale,
        "meanwhile": _meanwhile(viewer, newest, stale.seen) if stale is not None else [],
        **more,
    }
    return render(request, "evaluation/vocabulary/detail.html", context, status=status)


def _entries_context(request: HttpRequest, viewer: Viewer, newest: Vocabulary | None) -> dict[str, Any]:
    every = list(vocabularies.entries_of(newest.body)) if newest else []
    wanted, part = request.GET.get("q", "").strip(), request.GET.get("part", "")
    shown = [entry for entry in every if _fits(entry, fold_term(wanted), part)]
    page = Paginator(shown, ENTRIES_A_PAGE).get_page(request.GET.get("page"))
    origins = vocabularies.origins_of(viewer.project, list(page))
    return {
        "viewer": viewer,
        "newest": newest,
        "seen_number": newest.number if newest else 0,
        "page": page,
        "rows": [(entry, origins.get(entry.key)) for entry in page],
        "total": len(every),
        "counts": [(name, say(words), sum(entry.part == name for entry in every)) for name, words in PARTS.items()],
        "wanted": wanted,
        "part": part if part in PARTS else "",
    }


def _fits(entry: Entry, wanted: str, part: str) -> bool:
    if part in PARTS and entry.part != part:
        return False
    return not wanted or any(wanted in fold_term(text) for text in (*entry.terms, entry.field))


def _history(viewer: Viewer, request: HttpRequest) -> dict[str, Any]:
    page = Paginator(_numbers(viewer), NUMBERS_A_PAGE).get_page(request.GET.get("numbers"))
    shown = list(page)
    before = _numbers(viewer).filter(number__lt=shown[-1].number).first() if shown else None
    return {"page": page, "steps": vocabularies.steps(shown, before=before)}


def _numbers(viewer: Viewer) -> QuerySet[Vocabulary]:
    return Vocabulary.objects.filter(project=viewer.project).select_related("created_by").order_by("-number")


def _meanwhile(viewer: Viewer, newest: Vocabulary | None, seen: int) -> list[str]:
    """What others changed since the number that was seen, in words."""
    before = _numbers(viewer).filter(number=seen).first()
    return vocabularies.differences(before.body if before else {}, newest.body if newest else {})


# --- editing ---


@require_POST
@signed_in
def vocabulary_add(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.get_vocabulary_viewer(request.user, slug)
    form = EntryForm(request.POST)
    if not form.is_valid():
        return _page(request, viewer, status=422, entry_form=form)
    newest = vocabularies.latest(viewer.project)
    try:
        body = newest.body if newest else {}
        for entry in form.entries():
            body = vocabularies.with_entry(body, entry)
        made = _keep(request, viewer, form, body)
    except StaleRevisionError as error:
        return _page(request, viewer, status=409, entry_form=form, stale=error)
    except VocabularyRefusedError as error:
        form.add_error(None, error.faults)
        return _page(request, viewer, status=422, entry_form=form)
    drafts.discard(user=viewer.user, name=f"vocabulary-{slug}-{form.cleaned_data['seen_number']}")
    messages.success(
        request, say("Added, in {vocabulary}. Runs that are planned from now on know it.", vocabulary=made)
    )
    return redirect("evaluation:vocabulary", slug)


@require_POST
@signed_in
def vocabulary_remove(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.get_vocabulary_viewer(request.user, slug)
    form = RemoveForm(request.POST)
    newest = vocabularies.latest(viewer.project)
    if not form.is_valid():
        messages.error(request, say("Say which entry, by its button."))
        return redirect("evaluation:vocabulary", slug)
    try:
        body = vocabularies.without_entry(newest.body if newest else {}, form.cleaned_data["entry"])
        made = _keep(request, viewer, form, body)
    except StaleRevisionError as error:
        return _page(request, viewer, status=409, stale=error)
    except WorkbenchError as error:
        messages.error(request, str(error))
    else:
        said = say("Removed, in {vocabulary}. An older number can be made the newest again.", vocabulary=made)
        messages.success(request, said)
    return redirect("evaluation:vocabulary", slug)


def _keep(request: HttpRequest, viewer: Viewer, form: SeenForm, body: dict[str, Any]) -> Vocabulary:
    return vocabularies.create(
        project=viewer.project,
        body=body,
        by=user_of(request),
        seen_number=form.cleaned_data["seen_number"],
        reason=form.cleaned_data["reason"],
    )


@require_POST
@signed_in
def vocabulary_import(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.get_vocabulary_viewer(request.user, slug)
    form = FileForm(request.POST, request.FILES, auto_id="file_%s")
    if not form.is_valid():
        return _page(request, viewer, status=422, file_form=form, file_text=_sent_back(form))
    newest = vocabularies.latest(viewer.project)
    given = form.cleaned_data["body"]
    if form.cleaned_data["how"] != REPLACE and newest is not None:
        given = vocabularies.merged(newest.body, given)
    try:
        made = _keep(request, viewer, form, given)
    except StaleRevisionError as error:
        return _page(request, viewer, status=409, file_form=form, file_text=_sent_back(form), stale=error)
    except VocabularyRefusedError as error:
        form.add_error(None, error.faults)
        return _page(request, viewer, status=422, file_form=form, file_text=_sent_back(form))
    if newest is not None and made.pk == newest.pk:
        messages.info(request, say("Nothing changes: {name} says the same already.", name=made))
    else:
        changes = vocabularies.differences(newest.body if newest else {}, made.body)
        said = say_n(
            "Imported as {vocabulary}: {count} change.",
            "Imported as {vocabulary}: {count} changes.",
            len(changes),
            vocabulary=made,
        )
        messages.success(request, said)
    return redirect("evaluation:vocabulary", slug)


def _sent_back(form: FileForm) -> str:
    text = str(form.cleaned_data.get("text") or "")
    return text if len(text) <= _SENT_BACK else ""


# --- numbers ---


@require_safe
@signed_in
def vocabulary_number(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    viewer, found = access.get_vocabulary_or_404(request.user, slug, number)
    newest = vocabularies.latest(viewer.project)
    before = _numbers(viewer).filter(number__lt=number).first()
    page = Paginator(list(vocabularies.entries_of(found.body)), ENTRIES_A_PAGE).get_page(request.GET.get("page"))
    runs, run_count = list(found.runs.order_by("-number")[:SHOWN_RUNS]), found.runs.count()
    context = {
        "viewer": viewer,
        "vocabulary": found,
        "newest": newest,
        "step": vocabularies.steps([found], before=before)[0],
        "page": page,
        "since": vocabularies.differences(found.body, newest.body if newest else {}),
        "run_links": run_links(runs, count=run_count),
        "run_count": run_count,
    }
    return render(request, "evaluation/vocabulary/number.html", context)


@require_POST
@signed_in
def vocabulary_restore(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    viewer, found = access.get_vocabulary_or_404(request.user, slug, number)
    form = SeenForm(request.POST)
    if not form.is_valid():
        messages.error(request, say("Say which number you saw, by the button of its page."))
        return redirect("evaluation:vocabulary-number", slug, number)
    try:
        made = vocabularies.restore(vocabulary=found, by=user_of(request), seen_number=form.cleaned_data["seen_number"])
    except StaleRevisionError as error:
        return _page(request, viewer, status=409, stale=error)
    except WorkbenchError as error:
        messages.error(request, str(error))
        return redirect("evaluation:vocabulary-number", slug, number)
    said = say("The entries of number {number} are the newest again, as {vocabulary}.", number=number, vocabulary=made)
    messages.success(request, said)
    return redirect("evaluation:vocabulary", slug)


@require_safe
@signed_in
def vocabulary_file(request: HttpRequest, slug: str) -> HttpResponse:
    """The newest number as JSON, or the one that is asked for."""
    viewer = access.get_vocabulary_viewer(request.user, slug)
    asked = request.GET.get("number", "")
    found = vocabularies.latest(viewer.project)
    if asked.isdecimal() and len(asked) < 10:
        _, found = access.get_vocabulary_or_404(request.user, slug, int(asked))
    name = f"{viewer.project.slug}-vocabulary-{found.number if found else 0}.json"
    return HttpResponse(
        jsonio.dumps(found.body if found else {}, indent=2) + "\n",
        content_type="application/json",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


# --- a pair looked up ---


@require_POST
@signed_in
def vocabulary_look(request: HttpRequest, slug: str) -> HttpResponse:
    """What the offline scorer says of what was typed; nothing is kept."""
    viewer = access.get_vocabulary_viewer(request.user, slug)
    form = LookForm(request.POST, auto_id="look_%s")
    looked = None
    if form.is_valid():
        data = form.cleaned_data
        if data["what"] == CLAIM:
            looked = lookups.judge_claim(
                viewer.project, claim=data["expected"], reply=data["observed"], language=data["language"]
            )
        else:
            looked = lookups.compare(
                viewer.project,
                expected=data["expected"],
                observed=data["observed"],
                field=data["field"],
                language=data["language"],
            )
    status = 200 if looked is not None else 422
    if _is_fragment(request):
        context = {"viewer": viewer, "look_form": form, "looked": looked}
        return render(request, "evaluation/vocabulary/_look.html", context, status=status)
    return _page(request, viewer, status=status, look_form=form, looked=looked)


def _is_fragment(request: HttpRequest) -> bool:
    return request.headers.get("HX-Request") == "true"


urlpatterns = [
    path("p/<slug:slug>/vocabulary/", vocabulary, name="vocabulary"),
    path("p/<slug:slug>/vocabulary/add/", vocabulary_add, name="vocabulary-add"),
    path("p/<slug:slug>/vocabulary/remove/", vocabulary_remove, name="vocabulary-remove"),
    path("p/<slug:slug>/vocabulary/import/", vocabulary_import, name="vocabulary-import"),
    path("p/<slug:slug>/vocabulary/file/", vocabulary_file, name="vocabulary-file"),
    path("p/<slug:slug>/vocabulary/look/", vocabulary_look, name="vocabulary-look"),
    path("p/<slug:slug>/vocabulary/<int:number>/", vocabulary_number, name="vocabulary-number"),
    path("p/<slug:slug>/vocabulary/<int:number>/restore/", vocabulary_restore, name="vocabulary-restore"),
]
