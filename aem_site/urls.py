"""All addresses of the site."""

from django.http import HttpRequest, HttpResponse
from django.urls import include, path

urlpatterns = [
    path("", include("annotations.urls")),
    path("", include("evaluation.urls")),
]
