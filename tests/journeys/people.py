"""How somebody comes to be signed in, in a browser."""

from __future__ import annotations

from django.test import Client
from playwright.sync_api import BrowserContext

from annotations.models import User


def sign_in(context: BrowserContext, user: User, url: str) -> None:
    """Without typing a password."""
    client = Client()
    client.force_login(user)
    context.add_cookies([{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": url}])
