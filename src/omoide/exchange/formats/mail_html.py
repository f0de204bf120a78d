"""The words of a mail's HTML as a reader sees them, line by line."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser

_HIDDEN = frozenset({"style", "script", "title", "xml"})
# elements that stand in lines of their own, and those that stand apart in a line
_BLOCKS = frozenset(
    "p div tr li h1 h2 h3 h4 h5 h6 blockquote table caption ul ol dl dt dd pre section article hr"
    " header footer address figure figcaption main aside nav form fieldset details summary".split()
)
_CELLS = frozenset({"td", "th"})
_QUOTES_MOST = 9
_TAG = re.compile(r"<[^<>]*>")


class _Html(HTMLParser):
    """The words of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self._hidden = self._quoted = self._as_written = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Break lines, and pass over what is not shown."""
        self._hidden += tag in _HIDDEN
        self._quoted += tag == "blockquote"
        self._as_written += tag == "pre"
        self._part(tag)
        if tag == "br":
            self.words += [self._feed(), ""]

    def handle_endtag(self, tag: str) -> None:
        """The end of what is not shown, or of a line."""
        self._hidden -= tag in _HIDDEN and self._hidden > 0
        self._quoted -= tag == "blockquote" and self._quoted > 0
        self._as_written -= tag == "pre" and self._as_written > 0
        self._part(tag)

    def parse_marked_section(self, i: int, report: bool = True) -> int:
        """Pass over a section in square brackets, whatever it is, as browsers do."""
        return self.parse_bogus_comment(i, report=False)

    def handle_data(self, data: str) -> None:
        """Words."""
        if self._hidden:
            return
        plain = data if self._as_written else re.sub(r"\s+", " ", data)
        if plain.strip() or not self._is_parted:
            self.words.append(plain.replace("\n", self._feed()))

    def _part(self, tag: str) -> None:
        """Go to the next line at a block, unless there are no words in this one; set a cell apart
        from the one before it.
        """
        if tag in _BLOCKS:
            self.words[-1:] = [] if self._is_parted else self.words[-1:]
            self.words.append(self._feed())
        elif tag in _CELLS and not self._is_parted:
            self.words.append(" ")

    def _feed(self) -> str:
        return "\n" + "> " * min(self._quoted, _QUOTES_MOST)

    @property
    def _is_parted(self) -> bool:
        """Whether a line was just begun by a block."""
        return bool(self.words) and self.words[-1].startswith("\n")


def words_of_html(page: str) -> str:
    """The words of a page, quotations behind ``> ``."""
    reader = _Html()
    reader.feed(page)
    # behind a sign that nothing ends; the parser's own close looks for its end from each "<" on
    reader.handle_data(unescape(_TAG.sub(" ", reader.rawdata)))
    lines = (re.sub(r"[ \t]+", " ", part).strip() for part in "".join(reader.words).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()
