"""Typed facts: numbers, money, quantities, dates, ids… in a text, with their exact values, and how two compare."""

from evaluation.evaluators.embedded.facts.extract import facts_in
from evaluation.evaluators.embedded.facts.model import Fact, FactKind, Reading

__all__ = ["Fact", "FactKind", "Reading", "facts_in"]
