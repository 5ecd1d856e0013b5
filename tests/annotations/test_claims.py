"""Claims in words and places: proposals, what is understood, the pieces of a reply, and trying."""

from __future__ import annotations

import pytest

from annotations import claims
from annotations.claims import Quote

REPLY = "Olá Zoë 👩🏽‍💻! Your fee is $5. It is due on May 3."


def spans(*texts: str) -> list[tuple[int, int]]:
    return [(REPLY.index(text), REPLY.index(text) + len(text)) for text in texts]


class TestProposals:
    def test_leave_out_what_is_a_claim_already(self) -> None:
        text = "Hello! The fee is $5, and it is due on May 2. Anything else?"
        found = claims.proposals_of(text, ["  THE fee is $5."], language="en")
        assert [claim.text for claim in found] == ["it is due on May 2."]
        assert text[found[0].start : found[0].end] == found[0].text

    def test_say_a_repeated_claim_once(self) -> None:
        found = claims.proposals_of("The fee is $5. The fee is $5!", [])
        assert len(found) == 1

    @pytest.mark.parametrize("text", ["", "   ", "\ud83d", "?" * 50])
    def test_of_nothing_are_none_or_harmless(self, text: str) -> None:
        claims.proposals_of(text, [])


class TestUnderstood:
    def test_names_what_must_be_the_same(self) -> None:
        sentence = claims.understood("Order C-1042 costs $12.50 and ships on 2024-05-02", language="en")
        for exact in ("C-1042", "$12.50", "2024-05-02"):
            assert exact in sentence.partition("must be the same")[2]

    def test_of_values_says_that_they_are_looked_for_as_they_stand(self) -> None:
        assert "as it stands" in claims.understood("Anything", ["120"])
        assert claims.understood("  ") == ""


class TestPieces:
    def test_are_the_reply_when_joined(self) -> None:
        (first, second) = spans("Your fee is $5.", "May 3")
        (whole,) = spans("It is due on May 3.")
        pieces = claims.stretches_of(
            REPLY,
            [Quote(1, "covered", *first), Quote(2, "contradicted", *whole), Quote(3, "covered", *whole)],
            [second],
        )
        assert "".join(piece.text for piece in pieces) == REPLY
        marked = [piece for piece in pieces if piece.numbers]
        assert (marked[0].text, marked[0].state) == ("Your fee is $5.", "covered")
        assert {piece.state for piece in marked[1:]} == {"contradicted"}, "the worst marks what answers several"
        assert [quote.number for quote in marked[-1].ending] == [2, 3]
        assert [piece.text for piece in pieces if piece.is_unknown] == ["May 3"]

    def test_leave_out_places_outside_of_the_text(self) -> None:
        pieces = claims.stretches_of("abc", [Quote(1, "covered", 2, 9), Quote(2, "covered", 3, 3)], [(-1, 2)])
        assert [(piece.text, piece.numbers) for piece in pieces] == [("abc", ())]

    def test_an_empty_reply_has_none(self) -> None:
        assert claims.stretches_of("", [Quote(1, "covered", 0, 0)]) == ()


class TestTrying:
    GOLDEN = {
        "id": "g9",
        "optional": True,
        "depends_on": ["g1"],
        "response": "The fee is $5, due on May 2. You may cancel. Yours, Ann.",
        "claims": [
            {"text": "The fee is $5", "from": ["g1"]},
            {"text": "It is due on May 2"},
            {"text": "You may cancel the order at any time"},
            {"text": "Our shop sells garden furniture", "required": False},
            {"contains": ["$5"]},
        ],
    }

    def test_tells_of_each_claim_and_where(self) -> None:
        found = claims.try_claims(self.GOLDEN, REPLY, language="en-GB")
        assert found is not None
        assert [answer.state for answer in found] == ["covered", "contradicted", "not_said", "not_said", "covered"]
        assert found[0].words == "Your fee is $5."
        assert found[1].words == "It is due on May 3."
        assert "May 3" in found[1].sentence
        assert found[4].words == "Your fee is $5.", "what the engine found by its text is shown too"

    def test_judges_the_whole_where_there_are_no_claims(self) -> None:
        found = claims.try_claims({"response": "The fee is $6."}, REPLY)
        assert found is not None
        assert [answer.state for answer in found] == ["contradicted"]

    def test_what_cannot_be_read_or_is_too_long_is_not_tried(self) -> None:
        assert claims.try_claims({"response": "x", "claims": [{}]}, REPLY) is None
        assert claims.try_claims({"response": "x"}, "x" * (claims.LONGEST_TRIED + 1)) is None
