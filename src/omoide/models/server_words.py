"""What a server says of a request that it refuses, fit to be shown: on one line, short, and without
secrets or what the request held.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from omoide.nouns.metadata import parse_json
from omoide.text.secrets import mask_secrets

LONGEST = 200  # characters that are shown
GAP = "…"

_READ = 1_000  # characters of what a server says that are looked at
_RUN = 8  # characters of several words in a row that are no chance
_LONG = 16  # letters, beyond which a word is rather a key
_WORD = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W_]+")
_KEY = re.compile(r"\b(?:sk|pk|rk|hf|gsk|xai)[-_][\w*-]{6,}")  # also one that is no real key
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")
_QUOTES = "\"'`“”‘’«»「」"


def server_words(body: object, sent: Sequence[str]) -> str:
    """A server's message, shortened, with ``: `` before it; empty if it says nothing.

    body: the body of its answer, read as JSON or not. sent: the texts of the request, and its key.
    Of these nothing is shown: where the message repeats words of them, a mark stands.
    """
    try:
        found = _message(body)[:_READ]
    except RecursionError:  # lists in lists
        return ""
    message = "".join(c if c.isprintable() else " " for c in _unescaped(found))
    said = _without(_KEY.sub(GAP, mask_secrets(message).text), " ".join(sent))
    said = " ".join(said.split())
    if not _WORD.search(said):
        return ""
    return f": {said}" if len(said) <= LONGEST else f": {said[: LONGEST - 1].rstrip()}{GAP}"


def _message(body: object) -> str:
    """Where servers put it: OpenAI's ``error.message``, Ollama's ``error``, FastAPI's ``detail``,
    or a plain line.
    """
    if isinstance(body, list) and body:
        return _message(body[0])
    if isinstance(body, Mapping):
        found = (body.get(name) for name in ("error", "message", "detail", "msg"))
        return next((said for said in map(_message, found) if said), "")
    if not isinstance(body, str) or body.lstrip().startswith("<"):  # a page of HTML
        return ""
    try:
        read = parse_json(body)
    except ValueError:
        return body
    return _message(read) if isinstance(read, dict | list) else body


def _unescaped(message: str) -> str:
    """With what stands for another character put back, so that it can be compared."""
    plain = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), message)
    return re.sub(r"\\[nrt]", " ", plain)


def _without(message: str, sent: str) -> str:
    """The message with a mark in the place of each run of words that was sent."""
    shown, end = "", 0
    for start, stop in _repeated(message, sent):
        shown, end = f"{shown}{message[end:start]}{GAP}", stop
    return re.sub(rf"{GAP}(\W*{GAP})+", GAP, shown + message[end:])


def _repeated(message: str, sent: str) -> Iterator[tuple[int, int]]:
    """Where the message repeats what was sent: the longest runs of its words, first to last."""
    words = list(_WORD.finditer(message))
    told = _WORD.findall(sent)
    held, known = _joined(told), set(told)
    first = 0
    while first < len(words):
        last = first
        while last < len(words) and _joined(w[0] for w in words[first : last + 1]) in held:
            last += 1
        run = words[first:last]
        if run and _tells(message, run, held, known):
            yield run[0].start(), run[-1].end()
            first = last
        else:
            first += 1


def _joined(words: Iterator[str] | Sequence[str]) -> str:
    return " ".join(words).casefold()


def _tells(message: str, run: Sequence[re.Match[str]], held: str, known: set[str]) -> bool:
    """Whether it is no chance that these words were sent too.

    Several are none. A single one is, if it is a usual word: in small letters, or at the head of a
    sentence and sent in small letters elsewhere; and does not stand in quotation marks.
    """
    start, end = run[0].start(), run[-1].end()
    text = message[start:end]
    if len(run) > 1:
        return len(text) >= _RUN or not text.isascii()
    if f" {text.casefold()} " not in f" {held} ":
        return False
    if any(mark in _QUOTES for mark in message[start - 1 : start] + message[end : end + 1]):
        return True
    usual = text.isascii() and text.isalpha() and (text.islower() or text.lower() in known)
    return len(text) > 1 and not (usual and len(text) <= _LONG)
