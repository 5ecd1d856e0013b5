"""What asking a judge costs: the operator's prices, else those that are published for the model, else nobody knows."""

from __future__ import annotations

from importlib.util import find_spec

from evaluation.evaluators.judge.config import JudgeConfig, pico_of

_HAS_PUBLISHED = find_spec("genai_prices") is not None


def cost_of(config: JudgeConfig, tokens_in: int, tokens_out: int) -> int | None:
    """The cost of a request in 10⁻¹² of the unit of its prices, exact or rounded up; None where no price is known."""
    if config.price_in is not None and config.price_out is not None:
        # Prices are for a million tokens and have six decimals at most: a token's is a whole number of 10⁻¹².
        return (pico_of(config.price_in) * tokens_in + pico_of(config.price_out) * tokens_out) // 10**6
    return _published(config, tokens_in, tokens_out)


def are_known(config: JudgeConfig) -> bool:
    """Whether money can be counted for this judge."""
    return cost_of(config, 1, 1) is not None


def _published(config: JudgeConfig, tokens_in: int, tokens_out: int) -> int | None:
    if not _HAS_PUBLISHED:
        return None
    from genai_prices import Usage, calc_price  # noqa: PLC0415 - an optional extra, slow to load

    usage = Usage(input_tokens=tokens_in, output_tokens=tokens_out)
    try:
        found = calc_price(usage, config.model, provider_api_url=config.base_url)
    except LookupError:
        return None
    return pico_of(found.total_price)
