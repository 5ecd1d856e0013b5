"""The site: settings, entry points and what belongs to neither app."""

from aem_site.celery import app as celery_app

__all__ = ["celery_app"]
