"""Addresses of what the machine computes and of imports and exports, in the API. Each area lists its own."""

from evaluation.api import calibration, imports, judges, lessons, policies, reviews, runs, vocabulary

urlpatterns = [
    *imports.urlpatterns,
    *policies.urlpatterns,
    *judges.urlpatterns,
    *runs.urlpatterns,
    *reviews.urlpatterns,
    *calibration.urlpatterns,
    *lessons.urlpatterns,
    *vocabulary.urlpatterns,
]
