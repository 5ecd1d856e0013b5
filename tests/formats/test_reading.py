"""From bytes to values: encodings, lines, and characters that cannot be stored."""

import json
from typing import Any

import pytest

from evaluation.formats.reading import read_documents

TEXT = "\n".join(json.dumps({"text": text}, ensure_ascii=False) for text in ("é", "ã", "漢", "😀")) + "\n"


def sentences(data: bytes, **options: Any) -> list[str]:
    return [problem.sentence() for problem in read_documents(data, **options).problems]


def values(data: bytes, **options: Any) -> list[Any]:
    return [document.value for document in read_documents(data, **options).documents]


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        TEXT.encode("utf-8-sig"),
        b"\xff\xfe" + TEXT.encode("utf-16-le"),
        b"\xfe\xff" + TEXT.encode("utf-16-be"),
    ],
)
def test_encodings_with_a_mark_give_identical_records(data: Any) -> None:
    assert values(data) == [{"text": "é"}, {"text": "ã"}, {"text": "漢"}, {"text": "😀"}]


def test_another_encoding_is_refused_with_line_and_byte() -> None:
    data = '{"text": "a"}\n{"text": "é"}\n'.encode("latin-1")
    (sentence,) = sentences(data)
    assert sentence.startswith("line 2: byte 11 of the line (byte 25 of the file) is 0xE9, which is not UTF-8")
    assert data[24] == 0xE9
    assert values(data) == []


def test_another_encoding_is_read_when_it_is_named() -> None:
    assert values('{"text": "é"}'.encode("latin-1"), encoding="latin-1") == [{"text": "é"}]


def test_bytes_that_break_off_in_utf16_are_refused() -> None:
    (sentence,) = sentences(b"\xff\xfe" + '{"a": 1}\n{"b": 2}'.encode("utf-16-le")[:-1])
    assert sentence.startswith("line 2: byte ")
    assert "UTF-16" in sentence


@pytest.mark.parametrize("data", ['{"a": 1}'.encode("utf-16-le"), '{"a": 1}'.encode("utf-32")])
def test_utf16_without_mark_and_utf32_are_named(data: Any) -> None:
    (sentence,) = sentences(data)
    assert "UTF-16" in sentence


@pytest.mark.parametrize("name", ["rot13", "no-such-thing", "undefined"])
def test_an_encoding_that_is_none_is_refused(name: Any) -> None:
    assert len(sentences(b'{"a": 1}', encoding=name)) == 1


def test_a_mark_is_taken_off_also_where_the_encoding_is_named() -> None:
    assert values('{"a": 1}'.encode("utf-8-sig"), encoding="utf-8") == [{"a": 1}]
    assert values('{"a": 1}'.encode("utf-16"), encoding="utf-16") == [{"a": 1}]


def test_json_over_several_lines_is_one_document() -> None:
    reading = read_documents(b'{\n  "a": [1,\n  2]\n}\n')
    assert reading.kind == "json"
    assert [document.value for document in reading.documents] == [{"a": [1, 2]}]


def test_a_list_keeps_the_line_of_each_element() -> None:
    (document,) = read_documents(b'\n[\n {"a": 1},\n\n {"b":\n 2}\n]').documents
    assert [(item.value, item.line) for item in document.items] == [({"a": 1}, 3), ({"b": 2}, 5)]


def test_a_list_on_one_line_counts_its_records() -> None:
    (document,) = read_documents(b'[{"a": 1}, {"a": 1, "a": 2}]').documents
    (problem,) = document.items[1].problems()
    assert problem.sentence() == "record 2: the key 'a' stands more than once in one object"


def test_blank_lines_windows_line_ends_and_no_final_newline() -> None:
    reading = read_documents(b'{"a": 1}\r\n\r\n  \r\n{"b": 2}\r\n{"c": 3}')
    assert [(document.value, document.line) for document in reading.documents] == [
        ({"a": 1}, 1),
        ({"b": 2}, 4),
        ({"c": 3}, 5),
    ]
    assert reading.counts == {"lines": 5, "blank_lines": 2, "continuation_lines": 0, "records": 3}
    assert reading.problems == ()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"a": 1,}', "a comma stands before a closing bracket (column 9)"),
        ('{"a": 1', "the text ends in the middle of a value"),
        ('{"a": 1} {"b": 2}', "something follows after the end of the value (column 10)"),
        ("{'a': 1}", "a key in double quotes is expected (column 2)"),
        ('{"a" 1}', "a colon is expected after the key"),
        ('{"a": NaN}', "NaN is not a JSON value"),
        ('{"a": "\t"}', "a line break, tab or other control character stands inside a text"),
        ('{"a": ' + "9" * 5000 + "}", "a whole number has more digits than can be read (4300)"),
        ('{"a": ' + "[" * 5000 + "]" * 5000 + "}", "nested more than 100 levels deep"),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_broken_line_costs_only_itself(line: Any, reason: Any, end: Any) -> None:
    data = end.join(['{"first": 1}', line, '{"last": 1}', ""]).encode()
    reading = read_documents(data)
    assert [document.value for document in reading.documents] == [{"first": 1}, {"last": 1}]
    (problem,) = reading.problems
    assert problem.sentence().startswith(f"line 2: {reason}")
    assert problem.excerpt == line[:80]
    assert (problem.record, reading.counts["records"]) == (2, 3)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_line_break_inside_a_text_makes_one_bad_record(end: Any) -> None:
    data = f'{{"a": 1}}{end}{{"text": "one{end}two", "b": 2}}{end}{{"c": 3}}'.encode()
    reading = read_documents(data)
    assert [document.value for document in reading.documents] == [{"a": 1}, {"c": 3}]
    (problem,) = reading.problems
    assert problem.sentence().startswith("line 2: a line break stands inside a text")
    assert "line 3" in problem.reason
    assert reading.counts["records"] == 3


def test_an_unclosed_text_does_not_swallow_the_next_record() -> None:
    reading = read_documents(b'{"a": "x\n{"b": "y"}\n{"c": 3}')
    assert [document.value for document in reading.documents] == [{"b": "y"}, {"c": 3}]
    assert len(reading.problems) == 1


def test_a_json_file_that_breaks_off_gives_one_problem_and_what_stood_before() -> None:
    reading = read_documents(b'[\n {"a": 1},\n {"b": 2},\n {"c": 3,}\n]')
    assert [problem.sentence() for problem in reading.problems] == [
        "line 4: a comma stands before a closing bracket (column 10); "
        "the 2 records before it were read, nothing after it"
    ]
    (document,) = reading.documents
    assert document.value == [{"a": 1}, {"b": 2}]
    assert not document.is_complete


@pytest.mark.parametrize("data", [b"", b"  \n\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_said_to_be_empty(data: Any) -> None:
    assert sentences(data) == ["the file is empty"]


def test_text_that_is_no_json_gives_one_problem() -> None:
    assert len(sentences(b"Dear all,\nplease find attached\n")) == 1


def test_characters_that_cannot_be_stored_become_replacement_characters_and_are_counted() -> None:
    data = rb'{"t": "a\u0000b\ud83d", "k\u0000": {"x\ud800": 1}}' + b"\n" + rb'{"t": "\\u0000 \ud83d\ude00"}'
    first, second = read_documents(data).documents
    assert first.value == {"t": "a�b�", "k�": {"x�": 1}}
    (problem,) = first.problems()
    assert problem.severity == "warning"
    assert problem.line == 1
    assert problem.reason.startswith("4 characters that cannot be stored became U+FFFD (t, ")
    assert second.value == {"t": "\\u0000 😀"}
    assert second.problems() == []


def test_a_raw_zero_character_is_replaced_too() -> None:
    (document, _) = read_documents(b'{"t": "a\x00b"}\n{"t": "c"}').documents
    assert document.value == {"t": "a�b"}
    assert [fault.severity for fault in document.faults] == ["warning"]


def test_keys_that_become_equal_are_an_error() -> None:
    (document,) = read_documents(rb'{"k\u0000": 1, "k\ud800": 2}').documents
    assert document.has_errors
    assert any("two keys become equal" in problem.reason for problem in document.problems())


def test_repeated_keys_are_an_error_at_their_path() -> None:
    (document,) = read_documents(b'{"a": [{"b": {"c": 1, "c": 1}}]}').documents
    (problem,) = document.problems()
    assert problem.sentence() == "line 1: a[0].b: the key 'c' stands more than once in one object"


def test_a_unicode_line_separator_is_no_line_end() -> None:
    assert values('{"a": "x\u2028y\x85z"}\n{"b": 1}'.encode()) == [{"a": "x\u2028y\x85z"}, {"b": 1}]


def test_many_unclosed_lines_stay_linear() -> None:
    data = b'{"a": 1}\n' + b'{"t": "' + b"x" * 200 + b"\n" + (b'{"t": "' + b"x" * 200 + b"\n") * 20_000
    assert len(read_documents(data).problems) == 20_001
