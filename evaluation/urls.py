"""Addresses of what the machine computes and of every comparison with people. Each area lists its own."""

from evaluation.views import (
    adjudication,
    agreement,
    calibration,
    exports,
    imports,
    judges,
    lessons,
    overview,
    policies,
    review,
    runs,
    vocabulary,
)

app_name = "evaluation"
urlpatterns = [
    *overview.urlpatterns,
    *imports.urlpatterns,
    *exports.urlpatterns,
    *runs.urlpatterns,
    *policies.urlpatterns,
    *judges.urlpatterns,
    *review.urlpatterns,
    *adjudication.urlpatterns,
    *lessons.urlpatterns,
    *vocabulary.urlpatterns,
    *agreement.urlpatterns,
    *calibration.urlpatterns,
]
