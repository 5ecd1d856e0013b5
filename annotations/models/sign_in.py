"""Who tried to sign in and failed, and from where somebody has signed in before."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _


class SignInAttempt(models.Model):
    """A try that failed, or the last one that worked for a name from an address.

    Names and addresses are kept as keyed hashes: they can be compared, and nobody can read from them who tried, or what
    was typed into the wrong field. Rows go when they are too old to count.
    """

    class Kind(models.TextChoices):
        PASSWORD = "password", _("Password")
        TOKEN = "token", _("Token")

    kind = models.CharField(max_length=10, choices=Kind.choices, default=Kind.PASSWORD)
    account = models.CharField(max_length=64, blank=True, help_text="Of the name that was typed; empty for tokens.")
    address = models.CharField(max_length=64, blank=True, help_text="Empty where it is not known.")
    has_worked = models.BooleanField(default=False)
    at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=("address", "at"), name="sign_in_by_address"),
            models.Index(fields=("account", "at"), name="sign_in_by_account"),
            models.Index(fields=("at",), name="sign_in_by_time"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=("account", "address"), condition=models.Q(has_worked=True), name="one_sign_in_a_place"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.account[:8]} from {self.address[:8]}"
