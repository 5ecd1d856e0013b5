"""Addresses of what people read and write. Each area lists its own."""

from annotations.views import (
    changes,
    comparing,
    conversations,
    datasets,
    drafts,
    effects,
    goldens,
    guidelines,
    keys,
    merges,
    people,
    prefills,
    projects,
    queue,
    queue_manage,
    second_look,
)

app_name = "annotations"
urlpatterns = [
    *projects.urlpatterns,
    *guidelines.urlpatterns,
    *second_look.urlpatterns,
    *people.urlpatterns,
    *keys.urlpatterns,
    *drafts.urlpatterns,
    *datasets.urlpatterns,
    *conversations.urlpatterns,
    *queue.urlpatterns,
    *queue_manage.urlpatterns,
    *goldens.urlpatterns,
    *merges.urlpatterns,
    *prefills.urlpatterns,
    *changes.urlpatterns,
    *comparing.urlpatterns,
    *effects.urlpatterns,
]
