from typing import Any

from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"
    verbose_name = "Evaluation"

    def ready(self) -> None:
        """The engine knows the evaluators wherever it is asked, also without a run; goldens are tried as runs judge."""
        from annotations.services import effects, prefills  # noqa: PLC0415 - apps must be loaded first
        from aem_site import language as site_language  # noqa: PLC0415
        from evaluation.aem import language  # noqa: PLC0415
        from evaluation.evaluators import registry  # noqa: PLC0415

        language.use(site_language.translate)
        registry.install()
        effects.use_terms(_terms_of)
        prefills.register_outcomes(_passed)


def _terms_of(project: Any, is_blinded: bool) -> Any:
    from evaluation.services import terms  # noqa: PLC0415 - read where a golden is tried, not by every command

    return terms.terms_of(project, is_blinded)


def _passed(conversation: Any) -> Any:
    from evaluation.services import outcomes  # noqa: PLC0415 - read where a golden is begun, not by every command

    return outcomes.passed(conversation)
