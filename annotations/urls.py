"""Addresses of what people read and write. Each area lists its own."""

from annotations.views import conversations, datasets, effects, goldens, people, projects, queue

app_name = "annotations"
urlpatterns = [
    *projects.urlpatterns,
    *people.urlpatterns,
    *datasets.urlpatterns,
    *conversations.urlpatterns,
    *queue.urlpatterns,
    *goldens.urlpatterns,
    *effects.urlpatterns,
]
