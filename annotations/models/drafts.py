"""What somebody has typed and not saved."""

from __future__ import annotations

from django.db import models

from annotations.models.fields import ExactJSONField
from annotations.models.people import User

NAME_LENGTH = 200


class Draft(models.Model):
    """The fields of one form as one person left them. It is part of nothing and shown to nobody else."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="drafts")
    name = models.CharField(max_length=NAME_LENGTH, help_text="What the form calls itself, such as turn-7-3.")
    fields = ExactJSONField(help_text="Pairs of name and value, in the order of the form.")
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("-updated_at",)
        constraints = [models.UniqueConstraint(fields=("user", "name"), name="one_draft_a_form")]

    def __str__(self) -> str:
        return f"{self.name} of {self.user}"
