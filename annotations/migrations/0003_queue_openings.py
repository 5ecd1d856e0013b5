from django.db import migrations

from annotations.models.fields import opening_of


def fill(apps, schema_editor):
    trajectories = apps.get_model("annotations", "Trajectory").objects
    for trajectory in trajectories.only("pk", "body").order_by("pk").iterator(chunk_size=50):
        opening = opening_of(trajectory.body)
        if opening:
            trajectories.filter(pk=trajectory.pk).update(opening=opening)


class Migration(migrations.Migration):

    dependencies = [
        ("annotations", "0002_queue_priorities_and_places"),
    ]

    operations = [
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
