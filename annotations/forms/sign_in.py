"""Forms that look at a password: each says how long to wait after too many wrong ones."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import forms as auth_forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils import timezone

from annotations.services import sign_in
from annotations.services.sign_in import Refusal


class SignInForm(auth_forms.AuthenticationForm):
    """Name and password. After too many wrong ones nothing is looked up."""

    refusal: Refusal | None = None
    request: HttpRequest

    def clean(self) -> dict[str, Any]:
        name, password = self.cleaned_data.get("username"), self.cleaned_data.get("password")
        if name is None or not password:
            return super().clean()
        who = {"account": name, "address": sign_in.address_of(self.request)}
        self.refusal = sign_in.find_refusal(**who, now=timezone.now())
        if self.refusal is not None:
            raise ValidationError(self.refusal.sentence, code="too_many")
        try:
            cleaned = super().clean()
        except ValidationError:
            sign_in.note_failure(**who, now=timezone.now())
            raise
        sign_in.note_success(**who, now=timezone.now())
        return cleaned


class PasswordChangeForm(auth_forms.PasswordChangeForm):
    """A new password. Who found a browser that was left open may not guess the old one for ever either."""

    def __init__(self, *args: Any, address: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.address = address

    def clean_old_password(self) -> str:
        who = {"account": self.user.get_username(), "address": self.address}
        refusal = sign_in.find_refusal(**who, now=timezone.now())
        if refusal is not None:
            raise ValidationError(refusal.sentence, code="too_many")
        try:
            return super().clean_old_password()
        except ValidationError:
            sign_in.note_failure(**who, now=timezone.now())
            raise
