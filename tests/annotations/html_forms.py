"""Reads the forms of a page as a browser would submit them."""

from __future__ import annotations

from html.parser import HTMLParser

Fields = dict[str, str]


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.forms: list[tuple[dict[str, str], Fields]] = []
        self._textarea: str | None = None
        self._select: str | None = None
        self._text = ""
        self._option: str | None = None
        self._is_selected = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        if tag == "form":
            self.forms.append((given, {}))
            return
        if not self.forms:
            return
        fields = self.forms[-1][1]
        name = given.get("name", "")
        if tag == "input" and name:
            kind = given.get("type", "text")
            if kind in ("checkbox", "radio"):
                if "checked" in given:
                    fields[name] = given.get("value", "on")
            elif kind != "submit":
                fields[name] = given.get("value", "")
        elif tag == "textarea" and name:
            self._textarea, self._text = name, ""
        elif tag == "select" and name:
            self._select = name
        elif tag == "option" and self._select:
            self._option, self._text = given.get("value"), ""
            self._is_selected = "selected" in given
            if self._is_selected or self._select not in fields:
                fields[self._select] = given.get("value", "")

    def handle_data(self, data: str) -> None:
        if self._textarea is not None or self._option is not None or self._select:
            self._text += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea" and self._textarea is not None:
            text = self._text.removeprefix("\n")  # HTML drops the first line break of a textarea
            self.forms[-1][1][self._textarea] = text.replace("\r\n", "\n").replace("\n", "\r\n")
            self._textarea = None
        elif tag == "option" and self._select:
            if self._option is None and (self._is_selected or not self.forms[-1][1].get(self._select)):
                self.forms[-1][1][self._select] = self._text.strip()
            self._option = None
        elif tag == "select":
            self._select = None


def form_of(html: str, *, action: str) -> Fields:
    """The fields of the first form with this action, as a browser would send them without a button."""
    parser = _Forms()
    parser.feed(html)
    for attributes, fields in parser.forms:
        if attributes.get("action") == action and len(fields) > 1:
            return fields
    raise AssertionError(f"no form with the action {action}")
