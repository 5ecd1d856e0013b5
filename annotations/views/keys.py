"""One's own keys: every action with its key, to be changed by pressing another one."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import path
from django.views.decorators.http import require_http_methods

from annotations import access, keys
from annotations.models import User
from annotations.services import keys as service
from annotations.services.errors import WorkbenchError
from annotations.templatetags.keys import keys_of
from annotations.views.requests import user_of
from evaluation.aem.language import say

UNREADABLE = 422


@require_http_methods(["GET", "HEAD", "POST"])
@access.signed_in
def account_keys(request: HttpRequest) -> HttpResponse:
    """The list, and one change of it: ``do`` is ``choose``, ``off``, ``reset`` or ``reset-all``."""
    user = user_of(request)
    if request.method != "POST":
        return render(request, "annotations/people/keys.html", _context(user))
    action = keys.ACTIONS.get(request.POST.get("action", ""))
    try:
        said = _change(request, user, action)
    except WorkbenchError as error:
        context = _context(user, refused=action, why=str(error))
        return render(request, _template(request), context, status=UNREADABLE)
    if not request.headers.get("HX-Request"):
        messages.success(request, said)
        return redirect("annotations:account-keys")
    return render(request, _template(request), _context(user, changed=action, said=said))


def _change(request: HttpRequest, user: User, action: keys.Action | None) -> str:
    do = request.POST.get("do", "choose")
    if do == "reset-all":
        service.reset_all(user=user)
        return say("Every action has its usual key again.")
    if action is None:
        raise WorkbenchError(say("There is no such action. Nothing was changed."))
    if do == "off":
        service.switch_off(user=user, action=action)
        return say("“{action}” has no key now.", action=action.said)
    if do == "reset":
        service.reset(user=user, action=action)
        return say("“{action}” has its usual key again.", action=action.said)
    key = service.choose(user=user, action=action, key=request.POST.get("key", ""))
    return say("“{action}” is “{key}” now, from the next page on.", action=action.said, key=key)


def _template(request: HttpRequest) -> str:
    return f"annotations/people/{'_keys.html' if request.headers.get('HX-Request') else 'keys.html'}"


def _context(user: User, **more: Any) -> dict[str, Any]:
    held = keys_of(user)
    by_pages: dict[str, list[dict[str, Any]]] = {}
    for action in keys.ACTIONS.values():
        row = {"action": action, "key": held[action.name], "is_changed": held[action.name] != action.key}
        by_pages.setdefault(action.places, []).append(row)
    return {"places": list(by_pages.items()), "has_changes": bool(user.chosen_keys), **more}


urlpatterns = [path("account/keys/", account_keys, name="account-keys")]
