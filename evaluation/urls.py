"""Addresses of what the machine computes and of every comparison with people. Each area lists its own."""

from evaluation.views import (
    adjudication,
    agreement,
    calibration,
    exports,
    imports,
    judges,
    overview,
    policies,
    review,
    runs,
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
    *agreement.urlpatterns,
    *calibration.urlpatterns,
]
