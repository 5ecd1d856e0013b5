"""All addresses of the site."""

from django.contrib.auth import views as auth
from django.urls import include, path

from aem_site.accounts import LoginView
from aem_site.health import healthz
from aem_site.language import choose_language

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("language/", choose_language, name="language"),
    path("accounts/login/", LoginView.as_view(), name="login"),
    path("accounts/logout/", auth.LogoutView.as_view(), name="logout"),
    path("api/", include("aem_site.api")),
    path("", include("annotations.urls")),
    path("", include("evaluation.urls")),
]
