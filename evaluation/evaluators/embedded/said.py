"""What the layers say of a pair, one sentence each.

Scores are kept with their sentences in English; pages tell them again in the reader's language. So this module is
loaded wherever the scorer is known, also where nothing is compared.
"""

from evaluation.aem.language import kept

# --- replies: who and what belongs together ---

GOLDEN_GOES_FROM_TO_REPLY = kept("The golden goes from {one} to {other}; the reply goes from {other} to {one}.")
BELONGS_TO_GOLDEN_TO_REPLY = kept("“{golden}” belongs to {owner} in the golden, and to {taker} in the reply.")
REPLY_GIVES_FOR_FOR_SOMETHING = kept("The reply gives {reply} for “{golden}”, and {reply2} for something else.")
HAVE_CHANGED_THEIR_PARTS_AROUND = kept("{one} and {other} have changed their parts around “{golden}”.")

# --- replies: what stands for what ---

REPLY_PUTS_WHERE_GOLDEN_LEAVES = kept("The reply puts “{reply}” where the golden leaves it open.")
GOLDEN_SAYS_REPLY_OTHER_SIDE = kept(
    "The golden says “{golden}”, the reply “{reply}”: the other side of the same value."
)
REPLY_SAYS_WHERE_GOLDEN_SAYS = kept("The reply says “{reply}” where the golden says “{golden}”.")
IN_GOLDEN_DOES_REPLY_DONE = kept("In the golden “{golden}” does it, in the reply it is done to it: “{reply}”.")

# --- values: two texts by their facts and words ---

ONE_SAYS_WHAT_WAS_OR = kept("One says what was or is, the other what will or may be.")
STANDS_AGAINST_NO_LIST_KNOWS = kept("“{a}” stands against “{b}”, and no list knows whether they mean the same.")
THEY_TOO_LONG_TO_COMPARE = kept("They are too long to compare every word and value.")
ONLY_ONE_SAYS = kept("Only one says {fact}.")
THEY_HAVE_SAME_WORDS = kept("They have the same words.")
THEY_HAVE_SAME_WORDS_BUT = kept("They have the same words, but two names have changed places.")
THEY_HAVE_NO_WORD_COMMON = kept("They have no word in common.")
ONLY_ONE_SAYS_WORDS = kept("Only one says “{words}”.")
ONLY_ONE_SAYS_WHICH_MAY = kept("Only one says “{words}”, which may make it something else.")
ONE_TEXT_HAS_NEGATION_OTHER = kept("One text has a negation that the other has not.")
DIRECTION_REVERSED_BETWEEN = kept("The direction is reversed between “{a}” and “{b}”.")
THEY_DENY_DIFFERENT_WORDS = kept("They deny different words.")
WHO_DOES_ONE_TEXT_ONE = kept("Who does it in one text is the one it is done to in the other.")
THEY_HAVE_SAME_WORDS_BUT_OTHER = kept("They have the same words but other signs.")
ONE_SAYS_OR_WHERE_OTHER = kept("One says “or” where the other says “and”.")
TWO_GIVEN_NAMES_HAVE_CHANGED = kept("Two given names have changed places.")
THEY_HAVE_SAME_WORDS_BUT_TWO = kept("They have the same words, but two have changed places.")
GOES_WITH_ANOTHER_WORD_THAN = kept("“{word}” goes with another word than in the other text.")
STANDS_BESIDE_ANOTHER_WORD_THAN = kept("“{word}” stands beside another word than in the other text.")
THEY_HAVE_SAME_WORDS_ANOTHER = kept("They have the same words in another order.")
OPPOSITE_ONE_TEXT_DENIES = kept("“{a}” is the opposite of “{b}”, and one text denies it.")
EXCLUDES_ONE_TEXT_DENIES_SOMETHING = kept("“{a}” excludes “{b}”, and one text denies something.")
ONE_SAYS_ZERO_WHAT_OTHER = kept("One says zero of what the other is without.")
WHAT_ONE_LACKS_DOES_NOT = kept("What one lacks does not work in the other.")
ONE_TEXT_DENIES_WHAT_OTHER = kept("One text denies what the other says.")
THEY_HAVE_NOTHING_COMMON = kept("They have nothing in common.")
BOTH_NAME_ONLY_SAYS_WHAT = kept("Both name {named}; “{words}” only says of what.")

# --- values: units, codes and places ---

DIFFERENT_UNITS = kept("{a} and {b} are different units.")
BOTH_NAME_SAME_REGION = kept("Both name {first} in the same region.")
BOTH_NAME_UNIT = kept("Both name the unit {a}.")
A_LETTER_ALONE_DOES_NOT = kept("A letter alone does not say which unit it is.")
NOT_SAME_FORM_LANGUAGE = kept("{a} and {b} are not the same form of the language.")
TWO_CITIES = kept("{a} and {b} are two cities.")
NAMES_THE_AIRPORT = kept("{name} names the airport {code}.")
IS_CODE_OF = kept("{iata} is the code of {known}.")
IS_AN_AIRPORT_OF = kept("{iata} is an airport of {known}.")
CODE_IS = kept("{iata} is {known}.")
BOTH_AIRPORTS_NAMES = kept("Both are airports' names.")
LIES_DIFFERENT_REGIONS = kept("{first} lies in different regions.")
BOTH_NAME_ONE_ALSO_SAYS = kept("Both name {first}; one also says in which region.")
LIE_DIFFERENT_REGIONS = kept("{first} and {second} lie in different regions.")
DIFFERENT_PLACES = kept("{first} and {second} are different places.")
THEY_ARE_AIRPORTS = kept("They are the airports {first} and {second}.")
CODE_IS_NOT_QUITE = kept("{iata} is {known}, which is not quite {name}.")
MAY_BE_THE_PLACE = kept("{a} may be {b}.")
BOTH_NAME_TIME_ZONE = kept("Both name the time zone {code}.")
IS_TIME_ZONE_OF = kept("{code} is the time zone of {other}.")

# --- values: symbols ---

THEY_DIFFERENT_NOTES = kept("They are different notes.")
IS_NO_SYMBOL = kept("{a} is not the symbol of {b}.")
THEY_SAME_NOTE = kept("They are the same note.")
IS_SYMBOL = kept("{a} is the symbol of {b}.")

# --- values: why two words are alike ---

SAME_WORD = kept("the same word")
OFTEN_SAME_COUNTRY = kept("often the same country")
LIST_SAYS_MEAN_SAME = kept("a list says that they mean the same")
AN_ABBREVIATION = kept("an abbreviation")
NAME_SAME_FAMILY = kept("a name of the same family")
ANOTHER_SPELLING_NAME = kept("another spelling of the name")
ANOTHER_FORM_WORD = kept("another form of the word")
CODE_STATE = kept("the code of a state")
AN_INITIAL = kept("initial")
WORD_SAME_FAMILY = kept("a word of the same family")
ANOTHER_SPELLING = kept("another spelling")
WORD_SAME_ROOT = kept("a word of the same root")
WORD_SAME_FAMILY_MEANS_SAME = kept("a word of the same family means the same")
LETTER_APART = kept("a letter apart")
OTHER_FORMS_WORDS = kept("other forms of the words")
WRITTEN_TOGETHER = kept("written together")

# --- values: whole texts ---

THEY_TOO_LONG_OR_HOLD = kept("They are too long, or hold too many numbers, and were not looked into.")
THEY_SEEM_TO_START_END = kept("They seem to start and end at the same places.")
THEY_EQUAL_BUT_FOR_CASE = kept("They are equal but for case and spaces.")
THEY_START_END_AT_SAME = kept("They start and end at the same places.")

# --- values: short whole texts ---

ARE_INITIALS = kept("{short} are the initials of {full}.")
SAME_LETTERED_CODE = kept("{a} and {b} are the same code.")
ARE_INITIALS_AND_NUMBER = kept("{short} are the initials and the number of {full}.")
THEY_EQUAL_BUT_FOR_CASE_ACCENTS = kept("They are equal but for case, accents and punctuation.")
THEY_EQUAL_BUT_FOR_SPACES = kept("They are equal but for spaces and hyphens.")
THEY_EQUAL_BUT_FOR_NUMBER = kept("They are equal but for a number sign.")
ONLY_ONE_WRITTEN_AS_HANDLE = kept("Only one is written as a handle.")
A_LIST_SAYS_MEAN_SAME = kept("A list says that {a} and {b} mean the same.")
VALUES_ARE_OPPOSITE = kept("{a} is the opposite of {b}.")
EXCLUDE_EACH_OTHER = kept("{a} and {b} exclude each other.")
HAVE_DIFFERENT_NUMBERS = kept("{short} and {full} have different numbers.")
THEY_HAVE_OTHER_ACCENTS_WHICH = kept("They have other accents, which may make another word.")
MAY_STAND_FOR_TRUTH_VALUE = kept("{text} may stand for a truth value.")

# --- replies: to the letter ---

REPLY_LEAVES_OUT = kept("The reply leaves out “{golden}”.")
HAVE_CHANGED_PLACES_REPLY = kept("“{one}” and “{other}” have changed places in the reply.")
REPLY_PUTS_BEFORE_WHAT_GOLDEN = kept("The reply puts “{reply}” before what the golden says without it.")
GOLDEN_SAYS_REPLY_SAME = kept("The golden says “{golden}”, the reply “{reply}” the same.")
WHO_COMES_BEFORE_AFTER_HAS = kept("Who comes before and after “{golden}” has changed places.")

# --- replies: denials and doubts ---

GOLDEN_SAYS_REPLY_SAYS = kept("The golden says “{mine}”, and the reply says “{theirs}”.")
GOLDEN_SPEAKS_BOTH_REPLY_ONE = kept("The golden speaks of both, and the reply of one: “{reply}”.")
REPLY_LEAVES_OPEN_WHAT_GOLDEN = kept("The reply leaves open what the golden says: “{reply}”.")
GOLDEN_DENIES_REPLY_SAYS_WITHOUT = kept("The golden denies “{word}”, and the reply says “{there}” without a denial.")
REPLY_DENIES_WHICH_GOLDEN_DOES = kept("The reply denies “{there}”, which the golden does not.")
REPLY_SAYS_WHERE_GOLDEN_SAYS_WHICH = kept(
    "The reply says “{there}” where the golden says “{word}”, which is the contrary."
)

# --- replies: as a whole, and their values ---

ALL_CLAIMS_COVERED = kept("All {count} claims are covered.")
REPLY_REPEATS_GOLDEN_WITHOUT = kept("The reply repeats the golden without “{golden}”.")
REPLY_HAS_NOTHING_FOR = kept("The reply has nothing for: {words}.")
NOTHING_REPLY_SPEAKS = kept("Nothing in the reply speaks of it.")
REPLY_DOES_NOT_DENY_WHAT = kept("The reply does not deny what the golden does: “{golden}”.")
GOLDEN_CLAIMS_NOTHING = kept("The golden claims nothing.")
ALL_OF_IT_STANDS_IN_REPLY = kept("All that the claim says stands in the reply.")
REPLY_GIVES_WHERE_GOLDEN_SAYS = kept("The reply gives {reply} where the golden says {golden}.")
GOLDEN_SAYS_REPLY_ASKS = kept("The golden says “{golden}”, and the reply asks {reply}.")
REPLY_SAYS_WHERE_GOLDEN_SAYS_ONE = kept(
    "The reply says “{there}” where the golden says “{here}”: one is where it went, one how far."
)
REPLY_NAMES_WHERE_GOLDEN_NAMES = kept("The reply names {reply} where the golden names {mine}.")
REPLY_DOES_NOT_NAME = kept("The reply does not name {mine}.")
CLAIM_TOO_LONG_TO_BE = kept("The claim is too long to be judged.")
ITS_VALUES_STAND_REPLY_NOTHING = kept("Its values stand in the reply, and nothing there says otherwise.")
REPLY_SAYS_OTHER_WORDS = kept("The reply says it in other words.")
REPLY_PUTS_OR_MORE_OR = kept("The reply puts “or more” or “or less” after {golden}.")
CLAIM_IS_EMPTY = kept("The claim is empty.")

# --- values of any JSON type ---

ONE_NULL_OTHER = kept("One is null, the other is {other}.")
ALL_PARTS_OBJECTS_EQUAL = kept("All parts of the objects are equal.")
THEY_NESTED_MORE_THAN_LEVELS = kept("They are nested more than {most} levels deep and were not looked into.")
ONE_IS_A_TRUTH_VALUE = kept("{truth} is a truth value, {other} is none.")
OTHER_LIST_HAS_NO = kept("The other list has no {lost}.")
MAY_STAND_FOR_NULL = kept("{other} may stand for null.")
THEY_ARE_EQUAL = kept("They are equal.")
NO_TRUTH_VALUE = kept("{other} is no truth value.")
THEY_NO_JSON_VALUES_CAN = kept("They are no JSON values that can be compared.")
NO_NUMBER = kept("{number} is a number, {text} is none.")
ONE_NUMBER_TOO_LONG_TO = kept("One is a number too long to be compared with a text.")
TEXT_IS_NUMBER = kept("{text} is the number {number}.")
NO_OBJECT = kept("{one} is an object, {other} is none.")
LISTS_EQUAL = kept("The lists are equal.")
THEY_HAVE_SAME_ELEMENTS_ANOTHER = kept("They have the same elements, in another order.")
ELEMENTS_DIFFER_WHICH_MORE_THAN = kept("{count} elements differ, which are more than are compared by meaning.")
LISTS_HAVE_SAME_ELEMENTS = kept("The lists have the same elements.")
LISTS_SEEM_TO_HAVE_SAME = kept("The lists seem to have the same elements.")
OTHER_LIST_MAY_NOT_HAVE = kept("The other list may not have {lost}.")
OTHER_ID = kept("{first} is not {second} (id).")
SAME_NUMBER = kept("{a} and {b} are the same number.")
ONLY_ONE_OBJECTS_HAS = kept("Only one of the objects has {listed}.")

# --- replies: how they are worded ---

GOLDEN_SAYS_NOT_REPLY_REVERSE = kept("The golden says {golden} and not {golden2}, the reply the reverse.")
GOLDEN_SAYS_REPLY = kept("The golden says “{golden}”, the reply “{reply}”.")
GOLDEN_DENIES_NOT_REPLY_REVERSE = kept("The golden denies “{two}” and not “{one}”, the reply the reverse.")
IN_GOLDEN_DO_REPLY = kept("In the golden “{mine}” do it, in the reply “{theirs}”: “{golden}”.")
IN_REPLY_COMES_PLACE_GOLDEN = kept("In the reply {one} comes in place of {other}, in the golden the reverse.")
HAVE_CHANGED_PLACES_AROUND = kept("“{one}” and “{other}” have changed places around “{reply}”.")

# --- where one word makes the difference ---

ARE_EQUAL = kept("{a} and {b} are equal.")
ARE_OPPOSITE = kept("{a} and {b} are opposite.")
SAME_TRUTH = kept("{a} and {b} are the same truth values.")
OPPOSITE_TRUTH = kept("{a} and {b} are opposite truth values.")
MEANS = {True: kept("{a} means true."), False: kept("{a} means false.")}
DOES_NOT_MEAN = {True: kept("{a} does not mean true."), False: kept("{a} does not mean false.")}
OTHER_NUMBERS = kept("{a} and {b} are different numbers.")
OTHER_COUNTS = kept("The lists have {few} and {many} elements.")
BOTH_EMPTY = kept("Both objects are empty.")
PROJECT_SAYS_SAME = kept("The project says that they mean the same.")
PROJECT_SAYS_DIFFERENT = kept("The project says that they mean different things.")
FINDS_ALIKE = kept("{name} finds the texts {share} alike.")
AND_MORE = kept("{listed} and {count} more")
SAME_AIRPORT = kept("{a} and {b} are the same airport.")
OTHER_AIRPORTS = kept("{a} and {b} are different airports.")
IS_BOTH = kept("{a} is both {b}.")
IS_REGION_OF = kept("{a} is the region of {b}.")
SAME_CODE = {
    "country": kept("Both name the country {code}."),
    "currency": kept("Both name the currency {code}."),
    "language": kept("Both name the language {code}."),
    "state": kept("Both name the state {code}."),
    "zone": kept("Both name the zone {code}."),
}
OTHER_CODES = {
    "country": kept("They name different countries: {a} and {b}."),
    "currency": kept("They name different currencies: {a} and {b}."),
    "language": kept("They name different languages: {a} and {b}."),
    "state": kept("They name different states: {a} and {b}."),
    "zone": kept("They name different zones: {a} and {b}."),
}
#: Of one kind of text: the same, the same but for capitals, and different.
PATHS = (
    kept("They are the same paths."),
    kept("They are paths but for capitals."),
    kept("They are different paths."),
)
HANDLES = (
    kept("They are the same handles."),
    kept("They are handles but for capitals."),
    kept("They are different handles."),
)
IS_NOT = kept("{a} is not {b} ({label}).")
#: What a value is, in brackets; units of quantities stand there by their names.
KINDS = {
    "number": kept("number"),
    "percent": kept("percent"),
    "money": kept("money"),
    "ordinal": kept("ordinal"),
    "date": kept("date"),
    "relative": kept("date"),
    "datetime": kept("date and time"),
    "time": kept("time"),
    "period": kept("period"),
    "weekday": kept("weekday"),
    "recurrence": kept("recurrence"),
    "id": kept("id"),
    "version": kept("version"),
    "phone": kept("phone"),
    "email": kept("email"),
    "url": kept("url"),
}
WORDS_ARE_OPPOSITE = kept("“{a}” is the opposite of “{b}”.")
WORD_EXCLUDES = kept("“{a}” excludes “{b}”.")
MAY_BE_SAME = kept("{a} and {b} may be the same.")
HARDLY_SAME = kept("{a} and {b} are hardly the same.")
WORDS_ARE_ALIKE = kept("“{a}” and “{b}” are alike ({why}).")
WORDS_MEAN_THE_SAME = kept("The words mean the same: “{a}” and “{b}” ({why}).")
BOTH_SAY_THE_SAME = kept("Both say the same: {listed}.")
OTHER_ENDS = kept("They do not start or end at the same places: {why}")
MUST_BE_AND_OPEN = kept("The golden says that it must be, and the reply leaves it open: “{reply}”.")
OPEN_AND_MUST_BE = kept("The golden leaves it open, and the reply says that it must be: “{reply}”.")
MUST_BE_AND_MAY_BE = kept("The golden says that it must be, and the reply only that it may be: “{reply}”.")
DONE_AND_WILL_BE = kept("The golden says that it was done, and the reply that it will be: “{reply}”.")
WILL_BE_AND_DONE = kept("The golden says that it will be done, and the reply that it was: “{reply}”.")
ALL_AND_A_PART = kept("The golden speaks of all, and the reply of a part: “{reply}”.")
A_PART_AND_ALL = kept("The golden speaks of a part, and the reply of all: “{reply}”.")
EACH_AND_ALL = kept("The golden gives {golden} for each, the reply for all together: {reply}.")
ALL_AND_EACH = kept("The golden gives {golden} for all together, the reply for each: {reply}.")
WAS_AND_WILL_BE = kept("In the golden it was, in the reply it will be: “{reply}”.")
WILL_BE_AND_WAS = kept("In the golden it will be, in the reply it was: “{reply}”.")
UP_AND_DOWN = kept("{value} goes up in the golden, and down in the reply.")
DOWN_AND_UP = kept("{value} goes down in the golden, and up in the reply.")
GIVES_NO_VALUE = kept("The reply does not give the value {golden}.")
GIVES_NO_ID = kept("The reply does not give the id {golden}.")
GIVES_NO_AMOUNT = kept("The reply does not give the amount {golden}.")
GIVES_NO_DATE = kept("The reply does not give the date {golden}.")
GIVES_NO_TIME = kept("The reply does not give the time {golden}.")
GIVES_NO_PHONE = kept("The reply does not give the phone number {golden}.")
GIVES_NO_ADDRESS = kept("The reply does not give the address {golden}.")
GIVES_NO_PERCENTAGE = kept("The reply does not give the percentage {golden}.")
GIVES_NO_PERIOD = kept("The reply does not give the period {golden}.")
GIVES_NO_DAY = kept("The reply does not give the day {golden}.")
GIVES_NO_VERSION = kept("The reply does not give the version {golden}.")
