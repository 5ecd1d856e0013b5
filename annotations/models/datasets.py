"""Datasets, their conversations, and the frozen versions that are released from them."""

from __future__ import annotations

from django.db import models
from django.urls import reverse

from annotations.models.fields import ExactJSONField
from annotations.models.people import Project, User


class Dataset(models.Model):
    """A named group of conversations that is released together."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="datasets")
    slug = models.SlugField(max_length=60)
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name",)
        constraints = [models.UniqueConstraint(fields=("project", "slug"), name="one_dataset_a_slug")]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("annotations:dataset-detail", args=[self.project.slug, self.slug])


class ToolSet(models.Model):
    """The tools that an agent had: names, effects, schemas. An immutable document."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="tool_sets")
    body = ExactJSONField()
    content_hash = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=("project", "content_hash"), name="one_tool_set_a_hash")]

    def __str__(self) -> str:
        return f"{len(self.body)} tools"


class ConversationQuerySet(models.QuerySet["Conversation"]):
    def in_project(self, project: Project) -> ConversationQuerySet:
        return self.filter(dataset__project=project)

    def annotated(self) -> ConversationQuerySet:
        """Those that have an accepted golden."""
        return self.filter(golden_record__isnull=False)

    def untouched(self) -> ConversationQuerySet:
        """Those that nobody began to annotate: a place that is only kept, or that was taken back, does not count."""
        return self.exclude(assignments__state__in=("claimed", "done", "skipped", "lapsed"))


class Conversation(models.Model):
    """What a user said, in order, and what the agent had to work with."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="conversations")
    key = models.CharField(max_length=200)
    title = models.CharField(max_length=300, blank=True)
    language = models.CharField(max_length=20, blank=True)
    domain = models.CharField(max_length=80, blank=True)
    user_goal = models.TextField(blank=True)
    system_prompt = models.TextField(blank=True)
    tool_set = models.ForeignKey(ToolSet, on_delete=models.PROTECT, related_name="conversations")
    extra = ExactJSONField(default=dict, help_text="What an import brought beside the known fields; exported again.")
    golden_record = models.ForeignKey(
        "GoldenRecord",
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="+",
        help_text="The golden in force: the last one accepted.",
    )
    priority = models.SmallIntegerField(default=0, help_text="In the queue the highest comes first; 0 is normal.")
    set_aside_at = models.DateTimeField(null=True, blank=True, help_text="Since when the queue leaves it out.")
    set_aside_by = models.ForeignKey(User, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    set_aside_reason = models.CharField(max_length=500, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ConversationQuerySet.as_manager()

    class Meta:
        ordering = ("dataset", "key")
        constraints = [
            models.UniqueConstraint(fields=("dataset", "key"), name="one_conversation_a_key"),
            models.CheckConstraint(condition=~models.Q(key=""), name="conversation_has_a_key"),
            models.CheckConstraint(
                condition=models.Q(priority__gte=-99) & models.Q(priority__lte=99), name="priority_of_two_digits"
            ),
        ]
        indexes = [models.Index(fields=("dataset", "-priority", "id"), name="conversation_hand_out")]

    def __str__(self) -> str:
        return self.title or self.key

    def get_absolute_url(self) -> str:
        return reverse("annotations:conversation-detail", args=[self.pk])


class DatasetVersion(models.Model):
    """A released list of golden records. An immutable document."""

    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    note = models.TextField(blank=True)
    content_hash = models.CharField(max_length=64)
    created_by = models.ForeignKey(User, null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("dataset", "-number")
        constraints = [models.UniqueConstraint(fields=("dataset", "number"), name="one_dataset_version_a_number")]

    def __str__(self) -> str:
        return f"{self.dataset} v{self.number}"

    def get_absolute_url(self) -> str:
        return reverse("annotations:dataset-version", args=[self.dataset.project.slug, self.dataset.slug, self.number])


class DatasetVersionItem(models.Model):
    version = models.ForeignKey(DatasetVersion, on_delete=models.CASCADE, related_name="items")
    position = models.PositiveIntegerField()
    golden_record = models.ForeignKey("GoldenRecord", on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ("position",)
        constraints = [
            models.UniqueConstraint(fields=("version", "position"), name="one_item_a_position"),
            models.UniqueConstraint(fields=("version", "golden_record"), name="one_golden_record_a_version"),
        ]

    def __str__(self) -> str:
        return f"{self.version} #{self.position}"
