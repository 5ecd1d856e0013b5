"""Addresses of what people read and write, in the API. Each area lists its own."""

from annotations.api import accounts, datasets, effects, goldens, projects, queue

urlpatterns = [
    *accounts.urlpatterns,
    *projects.urlpatterns,
    *datasets.urlpatterns,
    *goldens.urlpatterns,
    *effects.urlpatterns,
    *queue.urlpatterns,
]
