"""Judging meaning offline: values and replies compared by typed facts, contradiction rules and vocabulary."""
