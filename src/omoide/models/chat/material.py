"""Stored text as a model is shown it: data that cannot pass for anything else. What is stored stays
as it is.

A prompt has a line for each text, behind a head of ours; so a text ends with its line, and nothing
in it can begin another. What a reader would not see is left out, and the literals by which
tokenizers of chat models tell who speaks are parted by a space, so that no text ends the message
that it stands in. Quotes are compared by words, so one that a model copies is still found where it
was said.
"""

from __future__ import annotations

import re
from itertools import pairwise
from unicodedata import normalize

from omoide.models.chat.answers import one_line
from omoide.text.hidden import Unseen, find_hidden
from omoide.text.letters import CHARACTERS, Memo

_UNSEEN = {
    Unseen.ZERO_WIDTH: "",
    Unseen.BIDI: "",
    Unseen.TAG: "",
    Unseen.SELECTOR: "",
    Unseen.CONTROL: " ",
}
# <|im_start|>, <|eot_id|>, <｜User｜>, [|user|]: the first sign is parted off, or the last
_AFTER = r"<(?=\|)|\[(?=\|[a-z_]{1,20}\|\])"
_BEFORE = r"(?<=\|)>"
_TOKENS = (
    r"<(?=(?:<?/?sys>>|/?(?:s|bos|eos|eot|eod|pad|unk|mask|sep|cls|gmask|sop|eop|system|user|assistant|human|bot|think|thinking"
    r"|tools?|tool_calls?|tool_responses?|tool_outputs?|function_calls?|function_results?|functions|start_of_\w{1,20}|end_of_\w{1,20}"
    r"|beginning_of_\w{1,20}|fim_\w{1,20}|unused_?\d{1,6}|extra_id_\d{1,6}|reserved_\w{1,40}|0x[0-9a-f]{2}|begin_of_\w{1,20}"
    r"|special_\d{1,6}|seed:\w{1,20}|system-reminder|\w{0,20}message)>|/?(?:antml:\w|(?:invoke|parameter)\s)))"
    r"|\[(?=/?(?:inst|sys|system_prompt|available_tools|tool_calls|tool_results|tool_content|args|call_id|think|img|img_break|img_end"
    r"|prefix|middle|suffix|cls|sep|mask|pad|unk|bos|eos|gmask|smask)\]|e~(?:\[|$))|\](?=~!?b[\[\]])"
)
_SIGNS = re.compile(rf"(?P<before>{_BEFORE})|{_AFTER}|{_TOKENS}", re.IGNORECASE)


def _narrow(code: int) -> int:
    """A letter or sign as it is after normalisation, where that is one of ASCII."""
    plain = normalize("NFKC", chr(code))
    return ord(plain) if len(plain) == 1 and plain.isascii() else code


_NARROW = Memo(_narrow, CHARACTERS)
_PARTED = str.maketrans({":": ";", "[": "(", "]": ")"})


def disarmed(text: str) -> str:
    """A text without what cannot be seen, and with a space in each literal that a chat model may
    take for a sign of its own.

    Line ends stay; ordinary writing stays as it is, the joiners of Persian and of emoji too. Twice
    is as once.
    """
    return parted(_seen(text), _SIGNS)


def parted(text: str, signs: re.Pattern[str]) -> str:
    """A text with a space after each sign that a pattern finds, or before it, where its group
    ``before`` matched.
    """
    # a tokenizer may normalise first, so signs count that look like these: ＜ as <
    found = [*signs.finditer(text if text.isascii() else text.translate(_NARROW))]
    cuts = [sign.start() if sign.lastgroup == "before" else sign.end() for sign in found]
    places = (0, *cuts, len(text))
    return " ".join(text[start:end] for start, end in pairwise(places)) if cuts else text


def one_name(text: str) -> str:
    """A name on one line, without the signs that part it from what its bearer says, or mark a
    role.
    """
    return one_line(text).translate(_PARTED)


def _seen(text: str) -> str:
    if text.isascii() and (text.isprintable() or text.replace("\n", "").isprintable()):
        return text
    parts, at = [], 0
    for place in find_hidden(text):
        if place.why in _UNSEEN:
            parts += [text[at : place.start], _UNSEEN[place.why]]
            at = place.end
    return "".join((*parts, text[at:]))
