"""Signing in."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import views

from evaluation.services import demo


class LoginView(views.LoginView):
    """The sign-in page; where the demo was loaded, it shows the demo's logins."""

    redirect_authenticated_user = True

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(demo_users=demo.available_logins(), **kwargs)
