"""Addresses of what people read and write, in the API. Each area lists its own."""

from annotations.api import (
    accounts,
    comparing,
    datasets,
    effects,
    goldens,
    guidelines,
    merges,
    projects,
    queue,
    second_look,
)

urlpatterns = [
    *accounts.urlpatterns,
    *projects.urlpatterns,
    *guidelines.urlpatterns,
    *second_look.urlpatterns,
    *datasets.urlpatterns,
    *goldens.urlpatterns,
    *merges.urlpatterns,
    *effects.urlpatterns,
    *comparing.urlpatterns,
    *queue.urlpatterns,
]
