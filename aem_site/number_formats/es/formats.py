"""Figures as everywhere in the product; thousands apart by a thin blank, which no reader takes for a decimal sign."""

DECIMAL_SEPARATOR = "."
THOUSAND_SEPARATOR = "\u202f"
