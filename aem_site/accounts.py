"""Signing in."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from django.contrib.auth import views
from django.contrib.auth.forms import AuthenticationForm
from django.http import HttpResponse

from annotations.forms.sign_in import SignInForm
from evaluation.services import demo


class LoginView(views.LoginView):
    """The sign-in page; where the demo was loaded, it shows the demo's logins."""

    redirect_authenticated_user = True
    authentication_form = SignInForm

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_invalid(form)
        refusal = form.refusal if isinstance(form, SignInForm) else None
        if refusal is not None:
            response.status_code = HTTPStatus.TOO_MANY_REQUESTS
            response["Retry-After"] = str(refusal.seconds)
        return response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(demo_users=demo.available_logins(), **kwargs)
