"""Policies tried before they are kept; and policies that no statement changes."""

import uuid

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import annotations.models.fields

NAME = "policy_is_frozen"
TABLE = "evaluation_policy"
COLUMNS = "project_id, name, number, body, content_hash"
SENTENCE = "a policy never changes: an edit makes the next number"


def freeze(apps, schema_editor):
    """A run names its policy and nothing else says how it judged, so that the database itself refuses a change."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(
            f"CREATE FUNCTION {NAME}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
            f"RAISE EXCEPTION '{SENTENCE}' USING ERRCODE = 'integrity_constraint_violation'; END $$"
        )
        schema_editor.execute(
            f"CREATE TRIGGER {NAME} BEFORE UPDATE OF {COLUMNS} ON {TABLE} FOR EACH ROW EXECUTE FUNCTION {NAME}()"
        )
    else:
        schema_editor.execute(
            f"CREATE TRIGGER {NAME} BEFORE UPDATE OF {COLUMNS} ON {TABLE} BEGIN SELECT RAISE(ABORT, '{SENTENCE}'); END"
        )


def thaw(apps, schema_editor):
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(f"DROP TRIGGER {NAME} ON {TABLE}")
        schema_editor.execute(f"DROP FUNCTION {NAME}()")
    else:
        schema_editor.execute(f"DROP TRIGGER {NAME}")


class Migration(migrations.Migration):
    dependencies = [
        ("annotations", "0001_initial"),
        ("evaluation", "0003_judges"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RunPython(freeze, thaw),
        migrations.CreateModel(
            name="PolicyTrial",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=80)),
                (
                    "seen_number",
                    models.PositiveIntegerField(
                        default=0, help_text="The newest number of that name when it was edited."
                    ),
                ),
                ("body", annotations.models.fields.ExactJSONField()),
                ("content_hash", models.CharField(max_length=64)),
                ("engine_version", models.CharField(max_length=20)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("running", "Running"),
                            ("done", "Done"),
                            ("stopped", "Stopped"),
                            ("failed", "Failed"),
                        ],
                        default="running",
                        max_length=10,
                    ),
                ),
                ("total", models.PositiveIntegerField()),
                ("done", models.PositiveIntegerField(default=0)),
                ("counts", annotations.models.fields.ExactJSONField(default=dict)),
                ("error", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "moved_at",
                    models.DateTimeField(
                        help_text="When its last slice was done; one that rests too long is rung for again."
                    ),
                ),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "policy",
                    models.ForeignKey(
                        help_text="The number that was edited.",
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="trials",
                        to="evaluation.policy",
                    ),
                ),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="policy_trials",
                        to="annotations.project",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="trials",
                        to="evaluation.evaluationrun",
                    ),
                ),
            ],
            options={
                "ordering": ("-created_at",),
            },
        ),
        migrations.CreateModel(
            name="TrialChange",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.PositiveIntegerField(help_text="Of the item in the run.")),
                ("turn_no", models.PositiveIntegerField()),
                ("turn_key", models.TextField(blank=True)),
                ("tool", models.TextField(blank=True)),
                ("action", models.TextField(blank=True)),
                ("change", models.CharField(blank=True, max_length=40)),
                ("ambiguity", models.CharField(blank=True, help_text="`begins`, `ends`, or empty.", max_length=10)),
                ("before", annotations.models.fields.ExactJSONField(default=dict)),
                ("after", annotations.models.fields.ExactJSONField(default=dict)),
                (
                    "trial",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="changes", to="evaluation.policytrial"
                    ),
                ),
            ],
            options={
                "ordering": ("trial", "position", "turn_no"),
            },
        ),
        migrations.AddConstraint(
            model_name="policytrial",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["running", "done", "stopped", "failed"])), name="trial_state_is_known"
            ),
        ),
        migrations.AddConstraint(
            model_name="policytrial",
            constraint=models.CheckConstraint(
                condition=models.Q(("done__lte", models.F("total"))), name="trial_does_no_more_than_all"
            ),
        ),
        migrations.AddConstraint(
            model_name="trialchange",
            constraint=models.UniqueConstraint(fields=("trial", "position", "turn_no"), name="one_trial_change_a_turn"),
        ),
    ]
