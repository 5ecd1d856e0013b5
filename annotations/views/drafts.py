"""What the page's script keeps of a form while somebody types, and reads when the form is opened again."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotations import access
from annotations.services import drafts
from annotations.services.errors import WorkbenchError
from annotations.views.requests import user_of
from evaluation.aem.language import say
from evaluation.formats import jsonio

UNREADABLE, TOO_LARGE, SOMEBODY_ELSE = 422, 413, 409


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@access.signed_in
def draft(request: HttpRequest) -> HttpResponse:
    """One's own draft of the form ``name``; a POST stores its ``fields``, or forgets it where they are null.

    A page that another person opened in this browser is answered 409, so that nothing of theirs is kept as one's own.
    """
    user = user_of(request)
    if request.method != "POST":
        name, page_of = request.GET.get("name", ""), request.GET.get("user", "")
        found = drafts.find(user=user, name=name) if page_of == str(user.pk) else None
        kept = None if found is None else {"at": int(found.updated_at.timestamp() * 1000), "fields": found.fields}
        return JsonResponse({"draft": kept})
    sent: Any = None
    if request.content_type == "application/json":  # what a form sends has been read already
        with suppress(jsonio.JsonError):
            sent = jsonio.loads(request.body)
    if not isinstance(sent, dict) or not isinstance(sent.get("name"), str) or "fields" not in sent:
        return HttpResponse(say("A draft has a name and fields."), status=UNREADABLE)
    if sent.get("user") != str(user.pk):
        return HttpResponse(str(user), status=SOMEBODY_ELSE, content_type="text/plain; charset=utf-8")
    try:
        if sent["fields"] is None:
            drafts.discard(user=user, name=sent["name"])
        else:
            drafts.keep(user=user, name=sent["name"], fields=sent["fields"])
    except drafts.DraftTooLargeError as error:
        return HttpResponse(str(error), status=TOO_LARGE)
    except WorkbenchError as error:
        return HttpResponse(str(error), status=UNREADABLE)
    return HttpResponse(status=204)


urlpatterns = [path("account/drafts/", draft, name="draft")]
