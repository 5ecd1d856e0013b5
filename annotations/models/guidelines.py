"""What annotators are asked to do, in versions."""

from django.db import models

from annotations.models.people import Project, User


class Guideline(models.Model):
    """One version of a project's guideline, as Markdown. Never changed: an edit is a new version."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="guidelines")
    number = models.PositiveIntegerField()
    title = models.CharField(max_length=200, default="Guideline")
    body = models.TextField(blank=True)
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-number",)
        constraints = [models.UniqueConstraint(fields=("project", "number"), name="one_guideline_a_number")]

    def __str__(self) -> str:
        return f"{self.title}, version {self.number}"
