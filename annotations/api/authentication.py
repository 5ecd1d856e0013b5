"""Who calls: a token in the Authorization header, or the session of a signed-in browser."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from knox.auth import TokenAuthentication as KnoxTokenAuthentication
from rest_framework.exceptions import AuthenticationFailed, Throttled
from rest_framework.request import Request

from annotations.services import sign_in


class TokenAuthentication(KnoxTokenAuthentication):  # type: ignore[misc]  # knox has no types
    """`Authorization: Token aem_…`."""

    def authenticate(self, request: Request) -> Any:
        try:
            return super().authenticate(request)
        except AuthenticationFailed:
            address = sign_in.address_of(request._request)
            refusal = sign_in.note_wrong_token(address=address, now=timezone.now())
            if refusal is not None:
                raise Throttled(refusal.seconds, refusal.reason) from None
            raise

    def authenticate_credentials(self, token: bytes) -> Any:
        if not token.isascii():  # knox would stumble over bytes that are no text
            raise AuthenticationFailed("Invalid token.")
        return super().authenticate_credentials(token)

    def _cleanup_token(self, auth_token: Any) -> bool:
        """Whether the token's time is over. Knox reads all tokens of the person with every request; that is spared."""
        is_over = auth_token.expiry is not None and auth_token.expiry < timezone.now()
        return is_over and bool(super()._cleanup_token(auth_token))


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "annotations.api.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": "`Token aem_…`, with a token from your account page or from `POST /api/v1/tokens/`.",
        }
