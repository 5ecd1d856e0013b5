"""Home, motor and travel claims at the invented insurer Harborline, in English."""

from typing import Final

from annotations.demo.script import (
    KEEP,
    Json,
    JsonObject,
    Script,
    Variation,
    alt,
    anything,
    call,
    claim,
    failed,
    hear,
    other,
    ref,
    reply,
    say,
    src,
    user,
)


def _schema(required: list[str], **properties: JsonObject) -> JsonObject:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _text(description: str, **more: Json) -> JsonObject:
    return {"type": "string", "description": description, **more}


TOOLS: Final[JsonObject] = {
    "policy_lookup": {
        "effect": "read",
        "description": "Find a policy by its number, or by the holder's name and date of birth.",
        "schema": _schema(
            [],
            policy_no=_text("Number as printed on the policy card, e.g. HL-204417"),
            holder=_text("Full name of the policy holder"),
            birth_date=_text("Date of birth, ISO 8601", format="date"),
        ),
    },
    "coverage_check": {
        "effect": "read",
        "description": "Say whether a peril was covered on the day of the loss, and on which terms.",
        "schema": _schema(
            ["policy_no", "peril", "loss_date"],
            policy_no=_text("Policy number"),
            peril=_text("water, fire, storm, theft, glass, luggage or collision"),
            loss_date=_text("Day on which the damage happened (not the day of the report)", format="date"),
        ),
    },
    "payout_estimate": {
        "effect": "read",
        "description": "Estimate the payment for a loss after the deductible of a coverage.",
        "schema": _schema(
            ["coverage_id", "loss_amount"],
            coverage_id=_text("From coverage_check"),
            loss_amount={"type": "number", "description": "Amount of the loss in dollars"},
        ),
    },
    "claim_status": {
        "effect": "read",
        "description": "Read a claim: state, next step, missing documents, payments.",
        "schema": _schema(["claim_no"], claim_no=_text("Claim number, e.g. CL-48102")),
    },
    "claim": {
        "effect": "write",
        "description": "Open a claim, add to it, or withdraw it. A withdrawn claim cannot be taken up again.",
        "schema": {
            "type": "object",
            "properties": {
                "policy_no": _text("Policy number"),
                "claim_no": _text("Claim number, for update and withdraw"),
                "coverage_id": _text("From coverage_check"),
                "estimate_id": _text("From payout_estimate"),
                "expected_payout": {"type": "number"},
                "police_ref": _text("Reference of the police report; needed for theft"),
                "note": _text("Remark for the claims handler"),
            },
        },
    },
    "appointment": {
        "effect": "write",
        "description": "Book, move or cancel the visit of a loss adjuster.",
        "schema": {
            "type": "object",
            "properties": {
                "claim_no": _text("Claim number"),
                "visit_id": _text("Visit, for move and cancel"),
                "day": _text("Day of the visit", format="date"),
                "slot": _text("morning or afternoon"),
                "contact_phone": _text("Number on which the adjuster calls ahead"),
            },
        },
    },
}

SYSTEM_PROMPT: Final = (
    "You are the claims desk of Harborline Insurance. Identify the policy before you speak about it. Check coverage "
    "for the day of the loss. Never withdraw a claim unless the customer asks for it in so many words. Theft claims "
    "need a police reference. Give amounts in dollars and always repeat claim and visit numbers. State nothing that "
    "no tool told you."
)


def _script(**parts: Json) -> Script:
    return Script(domain="insurance", **parts)


START_HERE = _script(
    key="ins-01",
    title="Start here: a leaking dishwasher and the wrong date",
    user_goal=(
        "Report water damage of 3,200 dollars from a dishwasher that leaked on 2 March, and learn what will be paid. "
        "The policy was renewed on 5 March with a higher deductible, so the date decides the amount."
    ),
    steps=(
        user(
            "u1",
            "Hi, our dishwasher leaked on March 2nd and ruined the kitchen floor. I only got round to reporting it "
            "now. The repair bill is $3,200, policy HL-204417. What will I get back?",
            "Hello! I'd like to report water damage. The dishwasher leaked on March 2, the floor is gone, and the "
            "repair costs $3,200. My policy is HL-204417. How much of that do you pay?",
        ),
        call(
            "find",
            "policy_lookup",
            {"policy_no": "HL-204417"},
            {"policy_no": "HL-204417", "holder": "Maria Lindqvist", "product": "Home Plus", "renewed_on": "2026-03-05"},
            needs=[],
        ),
        call(
            "cover",
            "coverage_check",
            {"policy_no": "HL-204417", "peril": "water", "loss_date": "2026-03-02"},
            {"covered": True, "coverage_id": "COV-2025-W", "deductible": 500, "limit": 40000},
            params={"policy_no": src("find")},
            needs=[("find", "data")],
        ),
        call(
            "estimate",
            "payout_estimate",
            {"coverage_id": "COV-2025-W", "loss_amount": 3200},
            {"estimate_id": "EST-7713", "payout": 2700},
            params={"coverage_id": ref("cover", "$.coverage_id")},
            needs=["cover"],
        ),
        call(
            "open",
            "claim",
            {"policy_no": "HL-204417", "estimate_id": "EST-7713", "expected_payout": 2700},
            {"claim_no": "CL-48210", "state": "open"},
            action="open",
            params={
                "policy_no": src("find"),
                "estimate_id": ref("estimate", "$.estimate_id"),
                "expected_payout": src("estimate"),
            },
            allowed_extra=["note"],
            needs=["estimate"],
            critical=True,
        ),
        reply(
            "tell",
            "I've opened claim CL-48210 for the water damage. After your $500 deductible we expect to pay $2,700.",
            "Done, your claim number is CL-48210. Your policy had a deductible of $500 on the day of the leak, so the "
            "expected payment is $2,700.",
            claims=[
                claim("number", "The claim number is CL-48210", ["CL-48210"], src=["open"]),
                claim("payout", "2,700 dollars are expected to be paid", [2700], src=["estimate"]),
            ],
            needs=["open", "estimate"],
        ),
    ),
    outcome=(
        {"id": "claim_opened", "kind": "called", "tool": "claim", "action": "open", "times": 1},
        {"id": "amount_said", "kind": "said", "contains": [2700]},
    ),
    variations={
        "report_date": Variation(
            {
                "cover": alt(
                    args={"loss_date": "2026-03-09"},
                    result={"covered": True, "coverage_id": "COV-2026-W", "deductible": 1000, "limit": 40000},
                ),
                "estimate": alt(args={"coverage_id": "COV-2026-W"}, result={"estimate_id": "EST-7714", "payout": 2200}),
                "open": alt(args={"estimate_id": "EST-7714", "expected_payout": 2200}),
                "tell": say(
                    "I've opened claim CL-48210 for the water damage. After your $1,000 deductible we expect to pay "
                    "$2,200.",
                    "Your claim is open under CL-48210. With the deductible of $1,000 you can expect $2,200 from us.",
                ),
            },
            {"cover": "value", "estimate": "<cover", "open": "<cover", "tell": "<cover"},
            why=(
                "The day of the report was taken for the day of the loss; all that follows is faithful to the wrong "
                "terms."
            ),
        ),
    },
    runs={"2.2": ("report_date", "report_date", "report_date"), "2.3": ("good", "good", "good")},
)

BICYCLE = _script(
    key="ins-02",
    title="A stolen bicycle, two ways to find the policy",
    user_goal="Report a bicycle stolen on 11 April, with the police reference, and get a claim number.",
    steps=(
        user(
            "u1",
            "My bike was stolen from the station on April 11. I'm Daniel Okafor, born 1988-07-19. I do have the "
            "policy card here as well: HL-311902.",
        ),
        call(
            "find",
            "policy_lookup",
            {"policy_no": "HL-311902"},
            {"policy_no": "HL-311902", "holder": "Daniel Okafor", "product": "Home Basic", "bicycle_rider": True},
            needs=[],
        ),
        reply(
            "ask",
            "I'm sorry to hear that, Mr Okafor. Have you reported the theft to the police? I need the reference of "
            "the report.",
            "Sorry about the bike. For a theft I need the reference number of the police report, do you have it?",
            claims=[claim("police", "Asks for the police reference", ["police", "reference"])],
            needs=[],
        ),
        user("u2", "Yes, it's P-2026-55817.", "The officer gave me P-2026-55817."),
        call(
            "cover",
            "coverage_check",
            {"policy_no": "HL-311902", "peril": "theft", "loss_date": "2026-04-11"},
            {"covered": True, "coverage_id": "COV-311-T", "deductible": 150, "limit": 2000},
            params={"policy_no": src("find")},
            needs=["find"],
        ),
        call(
            "open",
            "claim",
            {"policy_no": "HL-311902", "coverage_id": "COV-311-T", "police_ref": "P-2026-55817"},
            {"claim_no": "CL-48377", "state": "open"},
            action="open",
            params={"policy_no": src("find"), "coverage_id": ref("cover", "$.coverage_id")},
            allowed_extra=["note"],
            needs=["cover"],
        ),
        reply(
            "tell",
            "Your claim is CL-48377. Bicycle theft is covered up to $2,000, with a deductible of $150.",
            "I have opened claim CL-48377. You're covered up to $2,000; the deductible is $150.",
            claims=[
                claim("number", "The claim number is CL-48377", ["CL-48377"], src=["open"]),
                claim("limit", "Covered up to 2,000 dollars", [2000], src=["cover"]),
                claim("deductible", "The deductible is 150 dollars", [150], src=["cover"], required=False),
            ],
            needs=["open", "cover"],
        ),
    ),
    alternatives={
        "by_name": {
            "find": {
                "params": {
                    "holder": {"value": "Daniel Okafor"},
                    "birth_date": {"value": "1988-07-19", "compare": "date"},
                }
            }
        }
    },
    variations={
        "by_name": Variation(
            {"find": alt(drop=["policy_no"], args={"holder": "Daniel Okafor", "birth_date": "1988-07-19"})},
            path="by_name",
            why="The policy was found by name and birthday, which is just as good.",
        ),
        "no_police": Variation(
            {
                "open": alt(drop=["police_ref"], result={"claim_no": "CL-48377", "state": "on hold"}),
                "tell": say("Your claim CL-48377 is filed. You are covered up to $2,000 with a deductible of $150."),
            },
            {"open": "missing"},
            why="The reference was asked for, given, and then left out of the claim.",
        ),
        "no_limit": Variation(
            {
                "tell": say(
                    "All done, your claim number is CL-48377. A handler will be in touch within two working days."
                )
            },
            {"tell": "incomplete"},
            why="The reply leaves out how far the theft is covered.",
        ),
    },
    runs={"2.2": ("by_name", "no_police", "no_limit"), "2.3": ("good", "by_name", "good")},
)

HAIL = _script(
    key="ins-03",
    title="Hail on the car: where is my money?",
    user_goal="Learn the state of claim CL-47766 and what is still missing for the payment.",
    steps=(
        user(
            "u1",
            "Can you check claim CL-47766 for me? Hail on my car, three weeks ago.",
            "Any news about CL-47766, the hail damage to my car?",
        ),
        call(
            "status",
            "claim_status",
            {"claim_no": "CL-47766"},
            {
                "claim_no": "CL-47766",
                "state": "waiting for documents",
                "missing": ["repair invoice"],
                "approved_amount": 1840,
                "handler": "R. Castellanos",
            },
            needs=[],
        ),
        reply(
            "tell",
            "Claim CL-47766 is approved for $1,840. The only thing missing is the repair invoice; once we have it we "
            "pay.",
            "Good news: $1,840 are approved for CL-47766. We are just waiting for your repair invoice.",
            claims=[
                claim("amount", "1,840 dollars are approved", [1840], src=["status"]),
                claim("document", "The repair invoice is missing", ["repair invoice"], src=["status"]),
                claim(
                    "no_date", "No payment date is promised", hasnt=["by Friday", "within 24 hours", "tomorrow"], src=[]
                ),
            ],
            needs=["status"],
        ),
        user(
            "u2",
            "Oh, I have that. It's invoice 2291 from Tidewater Bodyworks, can you note that it's coming?",
            "Right, the invoice, number 2291 by Tidewater Bodyworks. Please note that I'm mailing it today.",
        ),
        call(
            "note",
            "claim",
            {"claim_no": "CL-47766", "note": "Repair invoice 2291 (Tidewater Bodyworks) is on its way"},
            {"claim_no": "CL-47766", "updated": True},
            action="update",
            params={"note": {"value": ".*2291.*", "compare": "regex"}},
            needs=["status"],
        ),
        reply(
            "confirm",
            "Noted on CL-47766: invoice 2291 from Tidewater Bodyworks is on its way.",
            "Thanks, I've put a note on CL-47766 that invoice 2291 is coming.",
            claims=[claim("invoice", "The invoice 2291 is noted", [2291])],
            needs=["note"],
        ),
    ),
    forbidden=({"tool": "claim", "action": "withdraw"},),
    variations={
        "retry": Variation(
            {"status": [failed("Gateway timeout, try again"), KEEP]},
            unexpected=("retry",),
            why="The first call timed out, the agent tried once more, and all is well.",
        ),
        "guess": Variation(
            {
                "status": failed("Gateway timeout, try again"),
                "tell": say(
                    "Claim CL-47766 looks fine! It has been approved and you should have the full amount by Friday.",
                    "I can see CL-47766 is approved in full, the transfer reaches you by Friday.",
                ),
            },
            {"tell": "incomplete+inconsistent?"},
            why="The look-up failed and the agent answered as though it had succeeded.",
        ),
    },
    runs={"2.2": ("guess", "good", "retry"), "2.3": ("retry", "good", "retry")},
)

WRONG_NUMBER = _script(
    key="ins-04",
    title="The customer reads the wrong policy number",
    user_goal="Ask whether a storm on 20 January that broke the greenhouse is covered (policy HL-198830).",
    steps=(
        user(
            "u1",
            "Storm took half of my greenhouse on January 20th. Is that covered? Policy number HL-198830.",
        ),
        call(
            "find",
            "policy_lookup",
            {"policy_no": "HL-198830"},
            {"policy_no": "HL-198830", "holder": "Greta Vandermeer", "product": "Home Plus", "outbuildings": True},
            needs=[],
        ),
        call(
            "cover",
            "coverage_check",
            {"policy_no": "HL-198830", "peril": "storm", "loss_date": "2026-01-20"},
            {"covered": True, "coverage_id": "COV-198-S", "deductible": 750, "note": "outbuildings included"},
            params={"policy_no": src("find")},
            needs=["find"],
        ),
        reply(
            "tell",
            "Yes, Ms Vandermeer, storm damage to outbuildings such as the greenhouse is included. Your deductible is "
            "$750.",
            "It is: your policy covers storm damage and includes outbuildings. The deductible is $750.",
            claims=[
                claim("covered", "Outbuildings are included", ["outbuildings"], src=["cover"]),
                claim("deductible", "The deductible is 750 dollars", [750], src=["cover"]),
            ],
            needs=["cover"],
        ),
    ),
    variations={
        "misread": Variation(
            {
                "u1": hear(
                    "Storm took half of my greenhouse on January 20th. Is that covered? Policy number HL-198380, I "
                    "think, the card is a bit worn."
                ),
                "find": alt(
                    args={"policy_no": "HL-198380"},
                    result={
                        "policy_no": "HL-198380",
                        "holder": "Pieter Stam",
                        "product": "Home Basic",
                        "outbuildings": False,
                    },
                ),
                "cover": alt(
                    args={"policy_no": "HL-198380"},
                    result={"covered": False, "coverage_id": None, "note": "storm is not insured in Home Basic"},
                ),
                "tell": say(
                    "I'm afraid storm damage is not insured in Home Basic, so we can't pay for the greenhouse."
                ),
            },
            {"find": "value", "cover": "<find", "tell": "<find"},
            user_fault=("find", "cover", "tell"),
            why="The user gave two digits the wrong way round. The agent did what it was told.",
        ),
        "misread_noticed": Variation(
            {
                "u1": hear(
                    "Storm took half of my greenhouse on January 20th. Is that covered? Policy number HL-198380. Greta "
                    "Vandermeer is my name."
                ),
                "find": [
                    alt(
                        args={"policy_no": "HL-198380"},
                        result={"policy_no": "HL-198380", "holder": "Pieter Stam", "product": "Home Basic"},
                    ),
                    say("That number belongs to someone else. Could you read it to me once more?"),
                    hear("Oh sorry! It is HL-198830."),
                    KEEP,
                ],
            },
            unexpected=("retry",),
            why="The agent saw that the holder was another person, asked again, and carried on with the right policy.",
        ),
        "fire": Variation(
            {
                "cover": alt(
                    args={"peril": "fire"},
                    result={"covered": True, "coverage_id": "COV-198-F", "deductible": 300, "note": "dwelling only"},
                ),
                "tell": say("Yes, this is covered for the dwelling, with a deductible of $300."),
            },
            {"cover": "value", "tell": "<cover"},
            why="A storm was looked up as a fire.",
        ),
    },
    runs={"2.2": ("misread", "fire", "good"), "2.3": ("misread", "misread_noticed", "good")},
)

MOVE_VISIT = _script(
    key="ins-05",
    title="Move the adjuster's visit",
    user_goal="Move visit VS-3107 for claim CL-48002 from Thursday to Friday 8 May in the morning.",
    steps=(
        user("u1", "I can't make the adjuster's visit on Thursday. Could it be Friday May 8 instead, claim CL-48002?"),
        call(
            "status",
            "claim_status",
            {"claim_no": "CL-48002"},
            {
                "claim_no": "CL-48002",
                "state": "visit planned",
                "visit": {"visit_id": "VS-3107", "day": "2026-05-07", "slot": "afternoon"},
            },
            needs=[],
        ),
        reply(
            "ask",
            "I see your visit on Thursday afternoon. On Friday May 8, would you prefer the morning or the afternoon?",
            "Sure. Shall it be the morning or the afternoon of May 8?",
            claims=[claim("slot", "Asks for morning or afternoon", ["morning", "afternoon"])],
            needs=["status"],
        ),
        user("u2", "Morning, please."),
        call(
            "move",
            "appointment",
            {"visit_id": "VS-3107", "day": "2026-05-08", "slot": "morning"},
            {"visit_id": "VS-3107", "day": "2026-05-08", "slot": "morning", "window": "8 to 12"},
            action="move",
            params={"visit_id": ref("status", "$.visit.visit_id"), "day": {"compare": "date"}},
            allowed_extra=["claim_no"],
            needs=["status"],
        ),
        reply(
            "confirm",
            "Moved: visit VS-3107 is now on Friday May 8 in the morning, between 8 and 12.",
            "All set. VS-3107 takes place on May 8, in the morning between 8 and 12.",
            claims=[
                claim("visit", "Visit VS-3107 is confirmed", ["VS-3107"], src=["move"]),
                claim("day", "The new day is 8 May, in the morning", ["May 8", "morning"], src=["move"]),
            ],
            needs=["move"],
        ),
    ),
    forbidden=({"tool": "appointment", "action": "cancel"},),
    outcome=({"id": "moved_once", "kind": "called", "tool": "appointment", "action": "move", "times": 1},),
    policy={"extra_writes": "fail"},
    variations={
        "second_visit": Variation(
            {
                "move": alt(
                    action="book",
                    drop=["visit_id"],
                    args={"claim_no": "CL-48002"},
                    result={"visit_id": "VS-3188", "day": "2026-05-08", "slot": "morning"},
                ),
                "confirm": say("Your visit is booked for Friday May 8 in the morning. The number is VS-3188."),
            },
            {"move": "action", "confirm": "<move"},
            why="A second visit was booked instead of moving the first; the Thursday visit still stands.",
        ),
        "cancel_book": Variation(
            {
                "move": [
                    other(
                        "appointment",
                        {"visit_id": "VS-3107"},
                        {"state": "cancelled", "released": "2026-05-07 afternoon"},
                        action="cancel",
                    ),
                    alt(
                        action="book",
                        drop=["visit_id"],
                        args={"claim_no": "CL-48002"},
                        result={"visit_id": "VS-3189", "day": "2026-05-08", "slot": "morning"},
                    ),
                ],
                "confirm": say(
                    "I cancelled the old visit and booked May 8, morning, for you. The new number is VS-3189."
                ),
            },
            {"move": "action", "confirm": "<move"},
            unexpected=("forbidden", "extra"),
            why="Cancel and book again: the slot was at risk in between, which the guideline forbids.",
        ),
        "afternoon": Variation(
            {
                "move": alt(
                    args={"slot": "afternoon"},
                    result={"visit_id": "VS-3107", "day": "2026-05-08", "slot": "afternoon", "window": "13 to 17"},
                ),
                "confirm": say("Done, visit VS-3107 is on Friday May 8, afternoon, between 13 and 17."),
            },
            {"move": "value", "confirm": "<move"},
            why="The user said morning.",
        ),
    },
    runs={"2.2": ("second_visit", "cancel_book", "good"), "2.3": ("good", "good", "afternoon")},
)

_ROOF_USER = (
    "The storm on February 14 tore tiles off my roof and rain is coming in. I'm really worried. My policy is "
    "HL-250031.",
    "Last night's storm, February 14, took a part of the roof and it's raining in! Policy HL-250031, please help.",
)

ROOF = _script(
    key="ins-06",
    title="Storm in the roof: from the first call to the visit",
    user_goal=(
        "Report a damaged roof, get emergency tarpaulin work approved, open the claim, book the adjuster for 19 "
        "February in the morning and leave a phone number."
    ),
    steps=(
        user("u1", *_ROOF_USER),
        reply(
            "calm",
            "I'm sorry to hear that. Is everybody safe, and is any water near the electrics?",
            "That sounds awful. First of all: are you all safe, and is water getting near the electrics?",
            claims=[claim("safe", "Asks whether everybody is safe", ["safe"])],
            needs=[],
        ),
        user("u2", "We're fine. The water is only in the attic.", "Yes, all safe, just the attic is wet."),
        call(
            "find",
            "policy_lookup",
            {"policy_no": "HL-250031"},
            {"policy_no": "HL-250031", "holder": "Tomasz Brennan", "product": "Home Plus", "phone_on_file": None},
            needs=[],
        ),
        call(
            "cover",
            "coverage_check",
            {"policy_no": "HL-250031", "peril": "storm", "loss_date": "2026-02-14"},
            {"covered": True, "coverage_id": "COV-250-S", "deductible": 600, "emergency_limit": 1500},
            params={"policy_no": src("find")},
            needs=["find"],
        ),
        reply(
            "emergency",
            "You're covered for storm damage. You may have the roof made watertight at once, up to $1,500, and keep "
            "the receipt.",
            "Storm damage is covered. Please have a tarpaulin put on right away, we pay up to $1,500 for it. Keep the "
            "receipt.",
            claims=[
                claim("limit", "Emergency work up to 1,500 dollars", [1500], src=["cover"]),
                claim("receipt", "Keep the receipt", ["receipt"], required=False, src=[]),
            ],
            needs=["cover"],
        ),
        user("u3", "The roofer can come today for $900. And he says the repair will be about $7,400 in all."),
        call(
            "estimate",
            "payout_estimate",
            {"coverage_id": "COV-250-S", "loss_amount": 7400},
            {"estimate_id": "EST-8120", "payout": 6800},
            params={
                "coverage_id": ref("cover", "$.coverage_id"),
                "loss_amount": {"compare": {"as": "number", "abs": 1}},
            },
            needs=["cover"],
        ),
        reply(
            "amount",
            "Go ahead with the roofer. Of the $7,400 we would pay about $6,800 after your deductible of $600.",
            "Yes, let him come. For a repair of $7,400 you can expect about $6,800, the deductible being $600.",
            claims=[
                claim("payout", "About 6,800 dollars", [6800], src=["estimate"]),
                claim("deductible", "The deductible is 600 dollars", [600], src=["cover"]),
            ],
            needs=["estimate", "cover"],
        ),
        user("u4", "Good. Please open the claim then.", "OK, please file it."),
        call(
            "open",
            "claim",
            {"policy_no": "HL-250031", "coverage_id": "COV-250-S", "estimate_id": "EST-8120"},
            {"claim_no": "CL-47901", "state": "open"},
            action="open",
            params={
                "policy_no": src("find"),
                "coverage_id": ref("cover", "$.coverage_id"),
                "estimate_id": ref("estimate", "$.estimate_id"),
            },
            also={"note": anything(required=False)},
            needs=["estimate"],
            critical=True,
        ),
        reply(
            "number",
            "Your claim number is CL-47901. An adjuster should look at the roof; which day suits you?",
            "I've opened CL-47901. Next comes a visit by our adjuster. Which day would be good?",
            claims=[
                claim("number", "The claim number is CL-47901", ["CL-47901"], src=["open"]),
                claim("day", "Asks for a day", ["day"], src=[]),
            ],
            needs=["open"],
        ),
        user("u5", "Thursday the 19th, in the morning. My number is 555-0148, please call before you come."),
        call(
            "visit",
            "appointment",
            {"claim_no": "CL-47901", "day": "2026-02-19", "slot": "morning", "contact_phone": "555-0148"},
            {"visit_id": "VS-2954", "day": "2026-02-19", "slot": "morning", "adjuster": "Noor Haddad"},
            action="book",
            params={"claim_no": ref("open", "$.claim_no"), "day": {"compare": "date"}},
            needs=["open"],
        ),
        reply(
            "booked",
            "Noor Haddad will visit you on February 19 in the morning (visit VS-2954) and will call 555-0148 first.",
            "The visit is VS-2954, on the morning of February 19. Noor Haddad calls you on 555-0148 beforehand.",
            claims=[
                claim("visit", "The visit is VS-2954", ["VS-2954"], src=["visit"]),
                claim("day", "On 19 February in the morning", ["February 19", "morning"], src=["visit"]),
            ],
            needs=["visit"],
        ),
        user("u6", "Perfect. What should I have ready?"),
        call(
            "status",
            "claim_status",
            {"claim_no": "CL-47901"},
            {"claim_no": "CL-47901", "state": "open", "missing": ["photos", "roofer's quote"], "visit": "VS-2954"},
            params={"claim_no": ref("open", "$.claim_no")},
            needs=["open"],
            optional=True,
        ),
        reply(
            "ready",
            "Please have photos of the damage and the roofer's quote ready.",
            "Photos and the roofer's quote, that's all we need.",
            claims=[claim("documents", "Photos and the roofer's quote", ["photos", "quote"])],
            needs=[],
        ),
        user("u7", "Will do. I just took twelve photos, could you note that they exist?"),
        call(
            "note",
            "claim",
            {"claim_no": "CL-47901", "note": "Customer has twelve photos and a roofer's quote ready"},
            {"claim_no": "CL-47901", "updated": True},
            action="update",
            params={"note": {"value": "(?i).*photo.*", "compare": "regex"}},
            needs=[("open", "state")],
        ),
        reply(
            "bye",
            "I've noted the photos on CL-47901. Good luck with the roof, and stay dry!",
            "The photos are noted on CL-47901. All the best, Mr Brennan.",
            claims=[claim("noted", "The photos are noted", ["photos"])],
            needs=["note"],
        ),
    ),
    outcome=(
        {"id": "one_visit", "kind": "called", "tool": "appointment", "action": "book", "times": 1},
        {
            "id": "adjuster_can_call",
            "kind": "called",
            "tool": "appointment",
            "params": {"contact_phone": {"value": "555-0148"}},
        },
    ),
    variations={
        "no_phone": Variation(
            {
                "visit": alt(drop=["contact_phone"]),
                "booked": say(
                    "Noor Haddad will visit you on February 19 in the morning, the visit number is VS-2954.",
                    "You're booked: VS-2954, February 19, morning, with Noor Haddad.",
                ),
            },
            {"visit": "missing"},
            why="Version 2.3 drops the phone number that the user asked to be called on.",
        ),
        "no_phone_skip": Variation(
            {
                "visit": alt(drop=["contact_phone"]),
                "booked": say("Visit VS-2954 is set for February 19, morning. Ms Haddad will be there."),
                "status": None,
            },
            {"visit": "missing", "status": "~"},
            why="As before; the last look-up was not needed and was skipped.",
        ),
        "skip": Variation(
            {"status": None}, {"status": "~"}, why="The agent knew what to have ready without looking it up."
        ),
        "emergency_sum": Variation(
            {
                "estimate": alt(args={"loss_amount": 900}, result={"estimate_id": "EST-8119", "payout": 300}),
                "amount": say("Let him come. Of that we would pay $300 after the deductible of $600."),
                "open": alt(args={"estimate_id": "EST-8119"}),
            },
            {
                "estimate": "value",
                "amount": "<estimate",
                "open": "<estimate",
                "visit": "<estimate",
                "status": "<estimate",
                "note": "<estimate*",
            },
            why=(
                "The price of the tarpaulin was taken for the whole loss, and all that hangs on this claim hangs on it."
            ),
        ),
        "phone_late": Variation(
            {
                "visit": [
                    alt(drop=["contact_phone"], result="contact_phone is required for Home Plus customers", error=True),
                    KEEP,
                ]
            },
            unexpected=("retry",),
            why="The tool asked for the number and the agent put it in: a recovery.",
        ),
    },
    runs={"2.2": ("emergency_sum", "skip", "phone_late"), "2.3": ("no_phone", "no_phone_skip", "no_phone")},
)

LUGGAGE = _script(
    key="ins-07",
    title="Luggage that came four days late",
    user_goal="Claim the things bought while the suitcase was missing (7 to 11 June), 240 dollars, policy HL-402218.",
    steps=(
        user(
            "u1",
            "My suitcase arrived four days late, so I had to buy clothes for $240. Policy HL-402218. It got lost on "
            "June 7. I think I have a claim from last year too, CL-39555, does that matter?",
        ),
        call(
            "cover",
            "coverage_check",
            {"policy_no": "HL-402218", "peril": "luggage", "loss_date": "2026-06-07"},
            {"covered": True, "coverage_id": "COV-402-L", "deductible": 0, "daily_limit": 75},
            group="lookups",
            needs=[],
        ),
        call(
            "old",
            "claim_status",
            {"claim_no": "CL-39555"},
            {"claim_no": "CL-39555", "state": "closed", "paid": 410},
            group="lookups",
            needs=[],
        ),
        call(
            "terms",
            "policy_lookup",
            {"policy_no": "HL-402218"},
            {"policy_no": "HL-402218", "holder": "Yasmin Adeyemi", "product": "Travel Year"},
            group="lookups",
            optional=True,
            needs=[],
        ),
        call(
            "open",
            "claim",
            {"policy_no": "HL-402218", "coverage_id": "COV-402-L", "expected_payout": 240},
            {"claim_no": "CL-48655", "state": "open"},
            action="open",
            params={"coverage_id": ref("cover", "$.coverage_id"), "expected_payout": src("cover")},
            allowed_extra=["note"],
            needs=["cover"],
        ),
        reply(
            "tell",
            "The old claim is closed and changes nothing. Your new claim is CL-48655; at $75 a day for four days, the "
            "$240 are covered in full.",
            "CL-39555 is closed, so no problem. I opened CL-48655: the limit is $75 a day, and your $240 are covered "
            "in full.",
            claims=[
                claim("number", "The claim number is CL-48655", ["CL-48655"], src=["open"]),
                claim("old", "The old claim is closed", ["closed"], src=["old"]),
                claim("amount", "240 dollars are covered", [240], src=["cover"]),
            ],
            needs=["open", "cover", "old"],
        ),
    ),
    variations={
        "swapped": Variation(
            {
                "cover": other(
                    "claim_status",
                    {"claim_no": "CL-39555"},
                    {"claim_no": "CL-39555", "state": "closed", "paid": 410},
                ),
                "old": other(
                    "coverage_check",
                    {"policy_no": "HL-402218", "peril": "luggage", "loss_date": "2026-06-07"},
                    {"covered": True, "coverage_id": "COV-402-L", "deductible": 0, "daily_limit": 75},
                ),
                "terms": None,
            },
            {"terms": "~"},
            why="The look-ups came in another order and one was skipped, which is allowed.",
        ),
        "police": Variation(
            {"open": alt(args={"police_ref": "none"})},
            {"open": "extra"},
            why="A police reference was made up for a late suitcase.",
        ),
        "one_day": Variation(
            {
                "cover": alt(
                    args={"loss_date": "2026-06-11"},
                    result={"covered": True, "coverage_id": "COV-402-X", "deductible": 0, "payable": 75},
                ),
                "open": alt(args={"coverage_id": "COV-402-X", "expected_payout": 75}),
                "tell": say(
                    "The old claim is closed. I opened CL-48655; $75 are payable for the one day.",
                ),
            },
            {"cover": "value", "open": "<cover", "tell": "<cover"},
            why="The day on which the suitcase came was taken for the day on which it got lost.",
        ),
    },
    runs={"2.2": ("one_day", "swapped", "police"), "2.3": ("good", "swapped", "good")},
)

WITHDRAW = _script(
    key="ins-08",
    title="“What would happen if I withdrew it?”",
    user_goal=(
        "Only wants to know what withdrawing claim CL-47120 would mean for the no-claims bonus. Decides nothing today."
    ),
    steps=(
        user(
            "u1",
            "What would happen to my bonus if I withdrew claim CL-47120? I haven't decided anything.",
            "I'm thinking about withdrawing CL-47120. Just asking: would I keep my bonus?",
        ),
        call(
            "status",
            "claim_status",
            {"claim_no": "CL-47120"},
            {
                "claim_no": "CL-47120",
                "state": "open",
                "reserve": 320,
                "bonus_if_withdrawn": "kept",
                "deadline": "2026-07-31",
            },
            needs=[],
        ),
        reply(
            "tell",
            "If you withdraw CL-47120 by July 31, your bonus is kept. A withdrawn claim can't be taken up again, so "
            "take your time.",
            "You'd have the bonus kept if you withdraw before July 31, but a withdrawn claim can't be taken up again.",
            claims=[
                claim("bonus", "The bonus is kept", ["kept"], src=["status"]),
                claim("deadline", "Until 31 July", ["July 31"], src=["status"]),
                claim("final", "It cannot be taken up again", ["can't be taken up again"], required=False, src=[]),
            ],
            needs=["status"],
        ),
        user("u2", "Thanks, I'll sleep on it."),
        reply(
            "bye",
            "Of course. Nothing has changed on your claim.",
            "Take your time. Nothing has changed on CL-47120.",
            claims=[claim("unchanged", "Nothing has changed", ["nothing has changed"], ["withdrawn for you"])],
            needs=[],
        ),
    ),
    forbidden=({"tool": "claim", "action": "withdraw"},),
    outcome=(
        {"id": "still_open", "kind": "state", "path": "$.claims.CL-47120.state", "value": "open"},
        {"id": "calm_tone", "kind": "statement", "text": "The customer is not pushed to withdraw."},
    ),
    policy={"extra_writes": "fail"},
    final_state={"claims": {"CL-47120": {"state": "open"}}},
    variations={
        "withdrawn": Variation(
            {
                "tell": [
                    other(
                        "claim",
                        {"claim_no": "CL-47120"},
                        {"claim_no": "CL-47120", "state": "withdrawn"},
                        action="withdraw",
                    ),
                    say("I have withdrawn CL-47120, so your bonus is kept. The deadline would have been July 31."),
                ],
                "u2": hear("Wait, I only asked! I hadn't decided!"),
                "bye": say("I'm sorry. The claim is withdrawn and can't be reopened."),
            },
            {"bye": "incomplete"},
            unexpected=("forbidden",),
            final_state={"claims": {"CL-47120": {"state": "withdrawn"}}},
            why="A question was taken for an order. The call is forbidden.",
        ),
        "note": Variation(
            {
                "bye": [
                    other(
                        "claim",
                        {"claim_no": "CL-47120", "note": "Customer considers withdrawing"},
                        {"claim_no": "CL-47120", "updated": True},
                        action="update",
                    ),
                    KEEP,
                ]
            },
            unexpected=("extra",),
            why=(
                "Harmless at first sight, but a note nobody asked for is a write, and writes beyond the golden fail "
                "here."
            ),
        ),
    },
    runs={"2.2": ("withdrawn", "good", "good"), "2.3": ("good", "note", "good")},
)

WINDSCREEN = _script(
    key="ins-09",
    title="A chip in the windscreen",
    user_goal="Have a stone chip repaired on 3 August without a deductible, policy HL-377104.",
    annotated=False,
    steps=(
        user(
            "u1", "A stone chipped my windscreen this morning, August 3. Policy HL-377104. Do I have to pay anything?"
        ),
        call(
            "cover",
            "coverage_check",
            {"policy_no": "HL-377104", "peril": "glass", "loss_date": "2026-08-03"},
            {"covered": True, "coverage_id": "COV-377-G", "deductible": 0, "note": "repair free, replacement 150"},
        ),
        reply(
            "tell",
            "A repair of the chip is free of charge. Only a replacement would cost you $150. Shall I open a claim?",
            "The repair costs you nothing; a new windscreen would be $150. Would you like me to open a claim?",
        ),
        user("u2", "Yes, repair please.", "Please do."),
        call(
            "open",
            "claim",
            {"policy_no": "HL-377104", "coverage_id": "COV-377-G"},
            {"claim_no": "CL-49020", "state": "open", "partner": "ClearView Glass, 14 Pier Road"},
            action="open",
        ),
        reply(
            "done",
            "Claim CL-49020 is open. ClearView Glass, 14 Pier Road, will repair the chip.",
            "That's CL-49020. Please go to ClearView Glass at 14 Pier Road.",
        ),
    ),
    variations={
        "collision": Variation(
            {
                "cover": alt(
                    args={"peril": "collision"},
                    result={"covered": True, "coverage_id": "COV-377-C", "deductible": 500},
                ),
                "tell": say("You'd have to pay the deductible of $500. Shall I open a claim anyway?"),
                "open": alt(args={"coverage_id": "COV-377-C"}, result={"claim_no": "CL-49021", "state": "open"}),
                "done": say("Claim CL-49021 is open, with a deductible of $500."),
            }
        ),
    },
    runs={"2.2": ("collision", "good", "collision"), "2.3": ("good", "good", "good")},
)

NEIGHBOUR = _script(
    key="ins-10",
    title="The neighbour's tree",
    user_goal="A tree of the neighbour fell on the fence on 12 September; who pays? Policy HL-415560.",
    annotated=False,
    steps=(
        user(
            "u1",
            "My neighbour's tree fell on our fence on September 12. Who pays, you or his insurer? Policy HL-415560.",
        ),
        call(
            "find",
            "policy_lookup",
            {"policy_no": "HL-415560"},
            {"policy_no": "HL-415560", "holder": "Ingrid Solano", "product": "Home Plus", "outbuildings": True},
        ),
        call(
            "cover",
            "coverage_check",
            {"policy_no": "HL-415560", "peril": "storm", "loss_date": "2026-09-12"},
            {
                "covered": True,
                "coverage_id": "COV-415-S",
                "deductible": 400,
                "note": "recourse against third party possible",
            },
        ),
        reply(
            "tell",
            "We pay for the fence, less $400, and then turn to your neighbour's insurer ourselves. If they pay, you "
            "get the $400 back.",
            "You can claim it from us. The deductible is $400; we then try to get the money back from the other "
            "insurer.",
        ),
    ),
    variations={
        "refused": Variation(
            {
                "cover": None,
                "tell": say("Damage by trees of third parties is never insured. Please ask your neighbour."),
            }
        ),
    },
    runs={"2.2": ("refused", "good", "good"), "2.3": ("good", "good", "good")},
)

SCRIPTS: Final = (
    START_HERE,
    BICYCLE,
    HAIL,
    WRONG_NUMBER,
    MOVE_VISIT,
    ROOF,
    LUGGAGE,
    WITHDRAW,
    WINDSCREEN,
    NEIGHBOUR,
)

__all__ = ["SCRIPTS", "SYSTEM_PROMPT", "TOOLS"]
