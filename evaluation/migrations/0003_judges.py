"""Judges: settings, keys, and what runs may spend on them."""

import annotations.models.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


NAME = "judge_is_frozen"
TABLE = "evaluation_judgesettings"
COLUMNS = "project_id, name, number, body, content_hash"
SENTENCE = "the settings of a judge never change: an edit makes the next number"


def freeze(apps, schema_editor):
    """A run names its judge and nothing else says how it was asked, so that the database itself refuses a change."""
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
        ('annotations', '0001_initial'),
        ('evaluation', '0002_meaning'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='JudgeGate',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(help_text='Of the judge.', max_length=80)),
                ('next_at', models.DateTimeField(help_text='When the next request may leave, by the rate.', null=True)),
                ('failures', models.PositiveIntegerField(default=0, help_text='Requests in a row that nobody answered.')),
                ('closed_until', models.DateTimeField(help_text='Nothing is asked before.', null=True)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='judge_gates', to='annotations.project')),
            ],
        ),
        migrations.CreateModel(
            name='JudgeKey',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(help_text='Of the judge.', max_length=80)),
                ('origin', models.CharField(help_text='Scheme, host and port that it may be sent to.', max_length=300)),
                ('sealed', models.TextField()),
                ('set_at', models.DateTimeField()),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='judge_keys', to='annotations.project')),
                ('set_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='JudgeSettings',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(default='standard', max_length=80)),
                ('number', models.PositiveIntegerField()),
                ('body', annotations.models.fields.ExactJSONField()),
                ('content_hash', models.CharField(max_length=64)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='judges', to='annotations.project')),
            ],
            options={
                'ordering': ('name', '-number'),
            },
        ),
        migrations.CreateModel(
            name='JudgeSlot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('position', models.PositiveSmallIntegerField()),
                ('holder', models.CharField(blank=True, max_length=40)),
                ('until', models.DateTimeField(null=True)),
                ('gate', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='slots', to='evaluation.judgegate')),
            ],
        ),
        migrations.CreateModel(
            name='JudgeClaim',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=64)),
                ('holder', models.CharField(max_length=40)),
                ('until', models.DateTimeField()),
                ('project', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='judge_claims', to='annotations.project')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('project', 'key'), name='one_judge_claim_a_question')],
            },
        ),
        migrations.CreateModel(
            name='JudgeUse',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('money_limit', models.PositiveBigIntegerField(null=True)),
                ('token_limit', models.PositiveBigIntegerField(null=True)),
                ('requests', models.PositiveBigIntegerField(default=0)),
                ('unpriced', models.PositiveBigIntegerField(default=0, help_text='Requests that may have been charged and did not say how much.')),
                ('tokens_in', models.PositiveBigIntegerField(default=0)),
                ('tokens_out', models.PositiveBigIntegerField(default=0)),
                ('money', models.PositiveBigIntegerField(default=0)),
                ('reserved_tokens', models.PositiveBigIntegerField(default=0)),
                ('reserved_money', models.PositiveBigIntegerField(default=0)),
                ('assumed_tokens', models.PositiveBigIntegerField(default=0)),
                ('assumed_money', models.PositiveBigIntegerField(default=0)),
                ('asked', models.PositiveBigIntegerField(default=0, help_text='Questions put to the judge.')),
                ('from_cache', models.PositiveBigIntegerField(default=0, help_text='Questions that had been answered before.')),
                ('votes', models.PositiveBigIntegerField(default=0, help_text='Votes that could be read.')),
                ('unreadable', models.PositiveBigIntegerField(default=0, help_text='Replies that could not be read.')),
                ('retry_from', models.DateTimeField(help_text='What was unreadable before is asked again.', null=True)),
                ('run', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='judge_use', to='evaluation.evaluationrun')),
                ('settings', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='uses', to='evaluation.judgesettings')),
            ],
        ),
        migrations.AddConstraint(
            model_name='judgegate',
            constraint=models.UniqueConstraint(fields=('project', 'name'), name='one_gate_a_judge'),
        ),
        migrations.AddConstraint(
            model_name='judgekey',
            constraint=models.UniqueConstraint(fields=('project', 'name'), name='one_key_a_judge'),
        ),
        migrations.AddConstraint(
            model_name='judgesettings',
            constraint=models.UniqueConstraint(fields=('project', 'name', 'number'), name='one_judge_a_number'),
        ),
        migrations.AddConstraint(
            model_name='judgeslot',
            constraint=models.UniqueConstraint(fields=('gate', 'position'), name='one_slot_a_position'),
        ),
        migrations.AddConstraint(
            model_name='judgeuse',
            constraint=models.CheckConstraint(condition=models.Q(('requests__gte', models.F('unpriced'))), name='judge_use_counts_are_possible'),
        ),
        migrations.RunPython(freeze, thaw),
    ]
