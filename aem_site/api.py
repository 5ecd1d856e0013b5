"""Where the API is put together: version 1, its schema, and the page that shows it."""

from typing import Any

from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView
from rest_framework.permissions import AllowAny

from annotations.api.urls import urlpatterns as annotations_urls
from evaluation.api.urls import urlpatterns as evaluation_urls


class SchemaView(SpectacularAPIView):
    """The OpenAPI document. It tells what can be asked, and nothing that is stored."""

    authentication_classes: list[Any] = []
    permission_classes = [AllowAny]


class DocsView(SpectacularSwaggerSplitView):
    authentication_classes: list[Any] = []
    permission_classes = [AllowAny]
    url_name = "api:schema"
    template_name = "api/docs.html"


_version_1 = [*annotations_urls, *evaluation_urls, path("schema/", SchemaView.as_view(), name="schema")]
urlpatterns = [
    path("v1/", include((_version_1, "api")), {"version": "v1"}),
    path("docs/", DocsView.as_view(), name="api-docs"),
]
