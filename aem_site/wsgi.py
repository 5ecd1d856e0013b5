"""The web server's entry point."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "aem_site.settings")

from aem_site.startup import require_safe_settings

application = get_wsgi_application()
require_safe_settings()
