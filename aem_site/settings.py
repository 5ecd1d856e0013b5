"""Settings, all from the environment. `docs/deployment.md` has the table of what can be set."""

import os
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from aem_site import database_url
from aem_site.startup import local_secret_key

BASE_DIR = Path(__file__).resolve().parent.parent


def _flag(name: str, *, default: bool = False) -> bool:
    return os.environ.get(name, "1" if default else "0").lower() in {"1", "true", "yes", "on"}


def _names(name: str, default: str = "") -> list[str]:
    return [part.strip() for part in os.environ.get(name, default).split(",") if part.strip()]


AEM_LOCAL = _flag("AEM_LOCAL")  # the embedded default on one's own machine; set by run.py
AEM_DATA_DIR = Path(os.environ.get("AEM_DATA_DIR", BASE_DIR / "var")).resolve()
DEBUG = _flag("DEBUG")

SECRET_KEY_GIVEN = os.environ.get("SECRET_KEY", "")
if not SECRET_KEY_GIVEN and AEM_LOCAL:
    # Where nothing can be written, commands that need no key, such as `score`, work all the same; a start refuses.
    with suppress(OSError):
        SECRET_KEY_GIVEN = local_secret_key(AEM_DATA_DIR)
# Commands that need no secret run without one; web server and worker refuse (aem_site.startup).
SECRET_KEY = SECRET_KEY_GIVEN or "no secret key was given, and none is needed for this command"

_LOCAL_HOSTS = "localhost,127.0.0.1,[::1]"
ALLOWED_HOSTS = _names("ALLOWED_HOSTS", _LOCAL_HOSTS if AEM_LOCAL or DEBUG else "")
CSRF_TRUSTED_ORIGINS = _names("CSRF_TRUSTED_ORIGINS")
CSRF_FAILURE_VIEW = "annotations.views.errors.csrf_failure"

INSTALLED_APPS = [
    "annotations",
    "evaluation",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.humanize",
    "django.contrib.staticfiles",
    "django_htmx",
    "rest_framework",
    "knox",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "csp",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "aem_site.language.LanguageMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "aem_site.unstorable.UnstorableTextMiddleware",
]

ROOT_URLCONF = "aem_site.urls"
WSGI_APPLICATION = "aem_site.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "builtins": [
                "annotations.templatetags.keys",
                "annotations.templatetags.language",
                "django.templatetags.i18n",
            ],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "aem_site.language.languages",
            ],
        },
    },
]

DATABASE_URL = os.environ.get("DATABASE_URL") or f"sqlite:///{quote(str(AEM_DATA_DIR / 'aem.sqlite3'))}"
DATABASES = {"default": database_url.parse(DATABASE_URL)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "annotations.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "annotations:home"
LOGOUT_REDIRECT_URL = "login"

LANGUAGE_CODE = "en"
TIME_ZONE = os.environ.get("TIME_ZONE", "UTC")
LANGUAGES = [("en", "English"), ("es", "Español"), ("pt-br", "Português (Brasil)")]
LOCALE_PATHS = [BASE_DIR / "aem_site" / "locale"]
# Figures are written alike in every language, as in exports and in JSON beside them: 0.963, never 0,963.
FORMAT_MODULE_PATH = ["aem_site.number_formats"]
USE_I18N = True
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = AEM_DATA_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True
MEDIA_ROOT = AEM_DATA_DIR / "uploads"
FILE_UPLOAD_PERMISSIONS = 0o600
DATA_UPLOAD_MAX_MEMORY_SIZE = 64 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 20_000

# The page loads nothing from elsewhere and runs no script that is not a file of ours.
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "connect-src": ["'self'"],
        "object-src": ["'none'"],
        "base-uri": ["'self'"],
        "frame-ancestors": ["'none'"],
        "form-action": ["'self'"],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
_BEHIND_TLS = _flag("HTTPS", default=not (AEM_LOCAL or DEBUG))
SESSION_COOKIE_SECURE = _BEHIND_TLS
CSRF_COOKIE_SECURE = _BEHIND_TLS
SECURE_SSL_REDIRECT = _BEHIND_TLS and _flag("SECURE_SSL_REDIRECT", default=True)
SECURE_REDIRECT_EXEMPT = [r"^healthz$"]
SECURE_HSTS_SECONDS = int(os.environ.get("SECURE_HSTS_SECONDS", "0"))
if _flag("BEHIND_PROXY"):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
# How many proxies pass a request on: by that the address of who sends it is found in X-Forwarded-For.
AEM_PROXIES = int(os.environ.get("AEM_PROXIES", "1" if _flag("BEHIND_PROXY") else "0"))
# So many wrong passwords for one name from one address, in so many minutes; 0: any number.
AEM_SIGN_IN_FAILURES = int(os.environ.get("AEM_SIGN_IN_FAILURES", "5"))
AEM_SIGN_IN_MINUTES = int(os.environ.get("AEM_SIGN_IN_MINUTES", "15"))

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "annotations.api.authentication.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_RENDERER_CLASSES": ["annotations.api.exact_json.ExactJSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["annotations.api.exact_json.ExactJSONParser"],
    "EXCEPTION_HANDLER": "annotations.api.errors.exception_handler",
    "URL_FORMAT_OVERRIDE": None,  # `format` is a parameter of exports
    "DEFAULT_VERSIONING_CLASS": "rest_framework.versioning.URLPathVersioning",
    "DEFAULT_VERSION": "v1",
    "ALLOWED_VERSIONS": ["v1"],
    "COERCE_DECIMAL_TO_STRING": False,
}
REST_KNOX = {"TOKEN_TTL": None, "TOKEN_PREFIX": "aem_", "AUTH_HEADER_PREFIX": "Token"}
KNOX_TOKEN_MODEL = "annotations.ApiToken"  # noqa: S105 - the name of a model
MIGRATION_MODULES = {"knox": None}  # its own token table would stay empty, and be in the way of emptying the users'
SPECTACULAR_SETTINGS = {
    "TITLE": "AEM Workbench API",
    "DESCRIPTION": "Golden datasets for multi-turn agents, and causal scoring against them.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    # With every operation unfolded the page stops short at some 130 of them; each area opens by itself.
    "SWAGGER_UI_SETTINGS": {"deepLinking": True, "docExpansion": "none"},
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "SCHEMA_PATH_PREFIX": r"/api/v\d+",
    "POSTPROCESSING_HOOKS": [],  # each field lists its own values; there are many fields called state or verdict
}

CELERY_BROKER_URL = os.environ.get("CELERY_BROKER_URL") or "safefs://"
AEM_QUEUE_NAME = os.environ.get("AEM_QUEUE_NAME", "aem")  # one for each installation that shares a broker
AEM_QUEUE_DIR = AEM_DATA_DIR / "queue"
AEM_CHUNK_CONVERSATIONS = int(os.environ.get("AEM_CHUNK_CONVERSATIONS", "20"))
AEM_CHUNK_LEASE_SECONDS = int(os.environ.get("AEM_CHUNK_LEASE_SECONDS", "60"))
AEM_CHUNK_ATTEMPTS = 3
AEM_EMBEDDING = _flag("AEM_EMBEDDING", default=True)  # used where the optional package is installed
AEM_REAP_SECONDS = float(os.environ.get("AEM_REAP_SECONDS", "5"))
AEM_ASSIGNMENT_LEASE_MINUTES = int(os.environ.get("AEM_ASSIGNMENT_LEASE_MINUTES", "60"))

# Hosts inside the network that judges may be asked at: `name` or `name:port`. Everything else inside is refused.
AEM_JUDGE_ALLOWED_HOSTS = _names("AEM_JUDGE_ALLOWED_HOSTS")
# What stored keys are encrypted with, the newest first; the older ones still open what they closed.
AEM_ENCRYPTION_KEYS = _names("AEM_ENCRYPTION_KEY")

MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"console": {"class": "logging.StreamHandler"}},
    "root": {"handlers": ["console"], "level": os.environ.get("LOG_LEVEL", "WARNING")},
}
