"""Policies: what they say, who uses them, an edit with its effect shown before it is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from annotations.access import Viewer, signed_in
from annotations.services.errors import WorkbenchError
from annotations.views.requests import user_of
from evaluation import access, tasks
from evaluation.aem import ENGINE_VERSION
from evaluation.aem.language import say, say_n
from evaluation.forms.policies import PolicyForm
from evaluation.models import EvaluationRun, Policy, PolicyTrial
from evaluation.services import policies, policy_fields, trials
from evaluation.services.policies import StalePolicyError
from evaluation.views.links import run_links

POLICIES_A_PAGE = 30
NUMBERS_A_PAGE = 20
FIELDS_A_PAGE = 50
CHANGES_A_PAGE = 25
SHOWN_RUNS = 10
#: Fields that the edit page offers by name; the rest is typed.
OFFERED_FIELDS = 500
#: Of these the edit page has a table with a button each.
LISTED_FIELDS = 60


# --- reading ---


@require_safe
@signed_in
def policy_list(request: HttpRequest, slug: str) -> HttpResponse:
    viewer = access.get_policy_viewer(request.user, slug)
    newest = [policy.pk for policy in policies.latest(project=viewer.project)]
    found = (
        Policy.objects.filter(pk__in=newest)
        .select_related("created_by")
        .annotate(run_count=Count("runs"))
        .order_by("name")
    )
    page = Paginator(found, POLICIES_A_PAGE).get_page(request.GET.get("page"))
    return render(request, "evaluation/policies/list.html", {"viewer": viewer, "page": page})


@require_safe
@signed_in
def policy_detail(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    viewer, policy = access.get_policy_or_404(request.user, slug, pk)
    numbers = Policy.objects.filter(project=viewer.project, name=policy.name).order_by("-number")
    newest = numbers.first()
    parsed = policies.parsed(policy.body)
    fields = policy_fields.fields_of(viewer.project)
    wanted = request.GET.get("q", "").strip()
    rows = policy_fields.under(parsed, fields)
    if wanted:
        rows = [row for row in rows if wanted.lower() in row.use.name.lower()]
    runs = list(policy.runs.order_by("-number")[:SHOWN_RUNS])
    run_count = policy.runs.count()
    return render(
        request,
        "evaluation/policies/detail.html",
        {
            "viewer": viewer,
            "policy": policy,
            "newest": newest,
            "is_newest": newest is not None and newest.pk == policy.pk,
            "settings": _settings(policy),
            "page": Paginator(rows, FIELDS_A_PAGE).get_page(request.GET.get("page")),
            "wanted": wanted,
            "fields": fields,
            "run_links": run_links(runs, count=run_count),
            "run_count": run_count,
            "history": _history(numbers, request.GET.get("numbers")),
        },
    )


@require_safe
@signed_in
def policy_own_rules(request: HttpRequest, slug: str) -> HttpResponse:
    """The fields of goldens that are compared in a way of their own, whatever a policy says."""
    viewer = access.get_policy_viewer(request.user, slug)
    wanted = request.GET.get("q", "").strip()
    rules = [rule for rule in policy_fields.fields_of(viewer.project).own if wanted.lower() in rule.name.lower()]
    page = Paginator(rules, FIELDS_A_PAGE).get_page(request.GET.get("page"))
    return render(
        request,
        "evaluation/policies/own_rules.html",
        {"viewer": viewer, "page": page, "rows": policy_fields.located(list(page)), "wanted": wanted},
    )


@dataclass(frozen=True, slots=True)
class _History:
    """A page of the numbers of one name."""

    steps: list[policies.Step]
    page: Any


def _history(numbers: Any, wanted: str | None) -> _History:
    found = numbers.select_related("created_by").annotate(run_count=Count("runs"))
    page = Paginator(found, NUMBERS_A_PAGE).get_page(wanted)
    shown = list(page)
    before = numbers.filter(number__lt=shown[-1].number).first() if shown else None
    return _History(policies.steps(shown, before=before), page)


def _settings(policy: Policy) -> list[tuple[str, str, str]]:
    """Each setting in words, with its help as the form has it."""
    parsed = policies.parsed(policy.body)
    fields = PolicyForm.base_fields
    rows = [
        (say(words), policies.setting_words(getattr(parsed, name)), str(fields[name].help_text))
        for name, words in policies.SETTING_WORDS.items()
    ]
    composition = policies.composition_words(parsed.composition)
    return [*rows, (say("composition"), composition, str(fields["rule"].help_text))]


# --- editing ---


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def policy_create(request: HttpRequest, slug: str) -> HttpResponse:
    """A policy with a name of its own; ``from`` names one that it starts from."""
    viewer = access.get_policy_viewer(request.user, slug, to_edit=True)
    source = _source(viewer, request.GET.get("from", ""))
    is_first = not Policy.objects.filter(project=viewer.project).exists()
    name = policies.STANDARD if is_first else ""
    return _edit(request, viewer, _Draft(body=source.body if source else {}, source=source, name=name))


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def policy_edit(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    viewer, policy = access.get_policy_or_404(request.user, slug, pk, to_edit=True)
    newest = policies.find_newest(project=viewer.project, name=policy.name)
    seen = newest.number if newest else 0
    return _edit(request, viewer, _Draft(body=policy.body, base=policy, name=policy.name, seen_number=seen))


@require_safe
@signed_in
def policy_trial(request: HttpRequest, slug: str, trial_id: UUID) -> HttpResponse:
    """A draft with its effect; what was typed is in the form as it was tried."""
    viewer, trial = access.get_trial_or_404(request.user, slug, trial_id)
    draft = _Draft(body=trial.body, base=trial.policy, name=trial.name, seen_number=trial.seen_number, trial=trial)
    return _edit(request, viewer, draft)


@require_safe
@signed_in
def policy_trial_effect(request: HttpRequest, slug: str, trial_id: UUID) -> HttpResponse:
    """What the page polls while a trial is at work, and loads when changes of another sort are asked for."""
    viewer, trial = access.get_trial_or_404(request.user, slug, trial_id)
    return render(request, "evaluation/policies/_effect.html", _effect_context(request, viewer, trial))


@require_POST
@signed_in
def policy_trial_stop(request: HttpRequest, slug: str, trial_id: UUID) -> HttpResponse:
    viewer, trial = access.get_trial_or_404(request.user, slug, trial_id)
    try:
        trials.stop(trial=trial, now=timezone.now())
    except WorkbenchError as error:
        messages.error(request, str(error))
    if _is_fragment(request):
        return render(request, "evaluation/policies/_effect.html", _effect_context(request, viewer, trial))
    return redirect(f"{trial.get_absolute_url()}#effect")


@dataclass(frozen=True, slots=True)
class _Draft:
    """Where an edit starts from: a body, the number it is an edit of, or the policy that it copies."""

    body: dict[str, Any]
    base: Policy | None = None
    source: Policy | None = None
    name: str = ""
    seen_number: int = 0
    trial: PolicyTrial | None = None


def _edit(request: HttpRequest, viewer: Viewer, draft: _Draft) -> HttpResponse:
    """The form, and what its buttons ask for."""
    is_sent = request.method == "POST"
    form = PolicyForm(
        request.POST if is_sent else None,
        project=viewer.project,
        fields=policy_fields.fields_of(viewer.project),
        body=draft.body,
        initial={
            "name": draft.name,
            "seen_name": draft.name,
            "seen_number": draft.seen_number,
            **({"run": draft.trial.run_id} if draft.trial else {}),
        },
    )
    if not is_sent:
        note = form.add_rule(request.GET["rule"]) if request.GET.get("rule") else ""
        return _page(request, viewer, draft, form, note=note)
    do, _, what = request.POST.get("do", "save").partition(":")
    if do == "drop-rule":
        form.drop_rule(what)
        return _page(request, viewer, draft, form, is_unsaved=True)
    wanted = what or form["new_field"].value() or ""
    if do == "add-rule" or (do == "render" and wanted):
        return _page(request, viewer, draft, form, is_unsaved=True, note=form.add_rule(wanted))
    if do == "render":
        return _page(request, viewer, draft, form, is_unsaved=True)
    if not form.is_valid():
        return _refused(request, viewer, draft, form, do)
    return _try(request, viewer, draft, form) if do == "try" else _save(request, viewer, draft, form)


def _save(request: HttpRequest, viewer: Viewer, draft: _Draft, form: PolicyForm) -> HttpResponse:
    data = form.cleaned_data
    before = policies.find_newest(project=viewer.project, name=data["name"].strip())
    try:
        policy = policies.save(
            project=viewer.project,
            name=data["name"],
            body=form.body(),
            by=user_of(request),
            seen_number=form.seen,
            reason=data["reason"],
        )
    except StalePolicyError as error:
        return _page(request, viewer, draft, form, is_unsaved=True, stale=_stale(draft, form, error), status=409)
    except WorkbenchError as error:
        form.add_error(None, str(error))
        return _refused(request, viewer, draft, form, "save")
    if before is not None and policy.pk == before.pk:
        messages.info(request, say("Nothing changes: {name} says the same already.", name=policy))
    else:
        messages.success(
            request,
            say("Kept as {policy}. Runs use it from now on where it is chosen; old runs keep theirs.", policy=policy),
        )
    return redirect("evaluation:policy-detail", viewer.project.slug, policy.pk)


def _try(request: HttpRequest, viewer: Viewer, draft: _Draft, form: PolicyForm) -> HttpResponse:
    run: EvaluationRun | None = form.cleaned_data["run"] or trials.default_run(viewer.project)
    if run is None:
        form.add_error("run", say("There is no run to try it on yet: start one and let it come to an end."))
        return _refused(request, viewer, draft, form, "try")
    try:
        trial = trials.begin(
            run=run,
            body=form.body(),
            name=form.cleaned_data["name"].strip(),
            seen_number=form.seen,
            by=user_of(request),
            now=timezone.now(),
            policy=draft.base,
        )
    except WorkbenchError as error:
        form.add_error(None, str(error))
        return _refused(request, viewer, draft, form, "try")
    if trials.is_small(trial):
        while trials.work(trial.pk, now=timezone.now()):
            pass
        trial.refresh_from_db()
    else:
        tasks.ring_trial(trial.pk)
    if not _is_fragment(request):
        return redirect(f"{trial.get_absolute_url()}#effect")
    response = render(request, "evaluation/policies/_effect.html", _effect_context(request, viewer, trial))
    response["HX-Push-Url"] = trial.get_absolute_url()
    return response


@dataclass(frozen=True, slots=True)
class _Stale:
    """Both versions, after somebody else kept a number meanwhile."""

    sentence: str
    current: Policy
    theirs: list[str]
    yours: list[str]


def _stale(draft: _Draft, form: PolicyForm, error: StalePolicyError) -> _Stale:
    current = error.current
    return _Stale(
        sentence=str(error),
        current=current,
        theirs=policies.differences(draft.base.body if draft.base else {}, current.body),
        yours=policies.differences(current.body, form.body()),
    )


def _refused(request: HttpRequest, viewer: Viewer, draft: _Draft, form: PolicyForm, do: str) -> HttpResponse:
    if do == "try" and _is_fragment(request):
        context = {"viewer": viewer, "problems": list(form.problems())}
        return render(request, "evaluation/policies/_cannot_try.html", context, status=422)
    return _page(request, viewer, draft, form, is_unsaved=True, shows_errors=True, status=422)


def _page(
    request: HttpRequest,
    viewer: Viewer,
    draft: _Draft,
    form: PolicyForm,
    *,
    is_unsaved: bool = False,
    shows_errors: bool = False,
    note: str = "",
    stale: _Stale | None = None,
    status: int = 200,
) -> HttpResponse:
    slug = viewer.project.slug
    action = reverse("evaluation:policy-create", args=[slug])
    if draft.base is not None:
        action = reverse("evaluation:policy-edit", args=[slug, draft.base.pk])
    elif draft.source is not None:
        action = f"{action}?{urlencode({'from': draft.source.pk})}"
    offered = form.fields_to_offer
    context = {
        "viewer": viewer,
        "draft": draft,
        "form": form,
        "action": action,
        "is_unsaved": is_unsaved,
        "problems": list(form.problems()) if shows_errors else [],
        "note": note,
        "stale": stale,
        "seen_name": stale.current.name if stale else form["seen_name"].value() or "",
        "seen_number": stale.current.number if stale else form["seen_number"].value() or 0,
        "offered": offered[:OFFERED_FIELDS],
        "listed": offered[:LISTED_FIELDS],
        "not_listed": max(0, len(offered) - LISTED_FIELDS),
        "has_run": form.initial.get("run") is not None,
    }
    if draft.trial is not None:
        context |= _effect_context(request, viewer, draft.trial)
    return render(request, "evaluation/policies/edit.html", context, status=status)


def _effect_context(request: HttpRequest, viewer: Viewer, trial: PolicyTrial) -> dict[str, Any]:
    wanted = request.GET.get("change", "")
    page = Paginator(trials.find_changes(trial, group=wanted), CHANGES_A_PAGE).get_page(request.GET.get("page"))
    found = trials.groups(trial)
    return {
        "viewer": viewer,
        "trial": trial,
        "groups": [group for group in found if group.count],
        "wanted": next((group for group in found if group.key == wanted), None),
        "before": trials.side(trial, "before"),
        "after": trials.side(trial, "after"),
        "changes": page,
        "rows": trials.with_items(trial, list(page)),
        "notes": _notes(trial),
    }


def _notes(trial: PolicyTrial) -> list[str]:
    """What one has to know to read the figures."""
    counts, run = trial.counts, trial.run
    notes = []
    if run.engine_version != trial.engine_version:
        notes.append(
            say(
                "{run} was scored by engine {before}, and this is engine {now}: a part of what differs may be the "
                "engine's doing.",
                run=run,
                before=run.engine_version,
                now=trial.engine_version,
            )
        )
    if trial.engine_version != ENGINE_VERSION:
        notes.append(
            say(
                "This trial was made with engine {engine}; now it is {now}. Try it again.",
                engine=trial.engine_version,
                now=ENGINE_VERSION,
            )
        )
    out_of_reach = [] if trial.is_running else trials.tools_out_of_reach(trial)
    if out_of_reach:
        notes.append(
            say(
                "No golden call of {run} is one of {tools}: the rules for them can show no effect here.",
                run=run,
                tools=", ".join(out_of_reach),
            )
        )
    if counts["missing"]:
        notes.append(
            say_n(
                "{number} trajectories of the run were never scored, and are left out.",
                "{number} trajectories of the run were never scored, and are left out.",
                counts["missing"],
                number=f"{counts['missing']:,}",
            )
        )
    for name, count in counts["own_settings"].items():
        notes.append(
            say(
                "{setting}: the goldens of {count} of {all} trajectories settle this, so that the policy has no say in "
                "it.",
                setting=policies.setting_name(name),
                count=f"{count:,}",
                all=f"{trial.done:,}",
            )
        )
    if counts["not_asked"]:
        notes.append(
            say(
                "{number} questions to the judge have no stored answer and were not asked: what hangs on them counts "
                "as not scored here.",
                number=f"{counts['not_asked']:,}",
            )
        )
    return notes


def _source(viewer: Viewer, pk: str) -> Policy | None:
    is_number = pk.isdecimal() and len(pk) < 19
    return Policy.objects.filter(project=viewer.project, pk=int(pk)).first() if is_number else None


def _is_fragment(request: HttpRequest) -> bool:
    return bool(getattr(request, "htmx", False))


urlpatterns = [
    path("p/<slug:slug>/policies/", policy_list, name="policy-list"),
    path("p/<slug:slug>/policies/new/", policy_create, name="policy-create"),
    path("p/<slug:slug>/policies/fields/", policy_own_rules, name="policy-own-rules"),
    path("p/<slug:slug>/policies/<int:pk>/", policy_detail, name="policy-detail"),
    path("p/<slug:slug>/policies/<int:pk>/edit/", policy_edit, name="policy-edit"),
    path("p/<slug:slug>/policies/trials/<uuid:trial_id>/", policy_trial, name="policy-trial"),
    path("p/<slug:slug>/policies/trials/<uuid:trial_id>/effect/", policy_trial_effect, name="policy-trial-effect"),
    path("p/<slug:slug>/policies/trials/<uuid:trial_id>/stop/", policy_trial_stop, name="policy-trial-stop"),
]
