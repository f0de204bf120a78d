"""What is put into a turn from elsewhere: it stands there, and nobody says it. Told by its shape,
in any language.

Lines behind ">", in a fence of backticks, tildes or three quotation marks, or of a log are put
there. So is all that comes below

- a line that ends with a colon, unless that is a list: lines with bullets or numbers, or short ones
  none of which ends a sentence;
- a line of three dashes or more, or the head of a mail;
- a salutation, where something was said before it;
- a line that is a link, or ends with one where a page's length of text follows;
- a question about "this page" or another such text, also in the question's own line;
- and all of a turn that begins as a page does: with a heading, or with a title above paragraphs.

Assistants put text below colons all day, and it is theirs: of what they say, only what has a sign
or a fence was put there. What follows a colon in its own line is who speaks: "Update: I moved to
Porto" has the shape of a pasted sentence, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

from omoide.grounding.chatter import passing
from omoide.nouns.item import Item, Tier
from omoide.nouns.turn import Role
from omoide.text.letters import MARKS

SHORT = 80  # characters of a line in a list without bullets, or of a title
PAGE = 200  # characters of a text that is a page's rather than a remark
PASTED = "pasted"  # the origin of what stands in a text that a user pasted
BEGIN, END = "[pasted]", "[/pasted]"  # what a model sees around it
_FENCE = re.compile(r"```|~~~|\"\"\"|'''|“““|”””")
# one line of a log: a day with its time
_LOGGED = re.compile(r"\s*\[?\d{4}[-/.]\d\d[-/.]\d\d[T ]\d\d:\d\d")
_COLON = re.compile(r"[:：][\s*_]*$")
_BULLET = re.compile(
    r"\s*(?:[-*+•·–—‣◦▪●○✓✔☐☑→#|]|\[["
    r" xX]\]|[(（]?(?:\d{1,3}|[a-zA-Z]|[一二三四五六七八九十]{1,3})[.)）、]|[\u2460-\u2473])"
)
_SENTENCE_END = re.compile(r"[.!?…؟۔।][\"'»”’)*]*\s*$|[。！？]")
_STOP = re.compile(r"[.!?…؟۔।](?=[\"'»”’)*\s]|$)|[。！？]")  # one sentence's
_RULE = re.compile(r"\s*(?:[-_=*]{5,}|[-_=*]{3,4}\s*$)")  # "-----Original message-----"
_HEAD = re.compile(r"\s*[^\s:：][^:：]{0,30}[:：]\s*\S")  # "From: …" in any language
_ADDRESS = re.compile(r"[^\s@<>]@[^\s@<>]+\.\w")
_SALUTATION = re.compile(
    r"(?:^|[:：])\s*[^\s.!?…。！？:：,،，、][^.!?…。！？:：]{0,40}[,،，、]\s*$"
)
_LINK = r"<?(?:https?://|www\.)[^\s<>]+>?"
_ONLY_LINK, _ENDS_IN_LINK = re.compile(rf"\s*{_LINK}\s*$"), re.compile(rf"{_LINK}[\s.:]*$")
_TITLE = re.compile(r"\s*(?:#{1,6}\s+\S|<(?:!doctype|html|head|body|h1|article|title)\b)", re.I)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
# what stands between a page's title and its site, and between the links of a page
_BAR, _BETWEEN_LINKS = (
    re.compile(r"\S\s*(?:[|｜]|\s[–—])\s*\S"),
    re.compile(r"\s[·•|]\s|｜|\S\u3000"),
)
_THIS = (
    r"this|these|following|below|dies\w{0,20}|folgend\w{0,20}|[dn]?est[aeo]s?|[dn]?ess[ae]s?|siguiente|seguinte"
    r"|ce(?:t|tte|s)?|quest[aeo]|deze|tej|tę|tym|tego|bu|эт\w{1,20}|(?:这|這|此)[个個篇封条條段]?|以下|この|こちらの|次の|هذه?|هذا|التالي\w{0,20}|इस|यह|ये|इन|निम्न\w{0,20}|이"
)
_TEXT = (
    r"pages?|articles?|texts?|posts?|e-?mails?|messages?|letters?|blogs?|websites?|sites?|documents?"
    r"|webpages?|seiten?|artikel|texte?|beitrag|nachricht|brief|webseite|dokument"
    r"|p[aá]ginas?|art[ií]culos?|textos?|publicaci[oó]n|correos?|mensajes?|cartas?|sitios?|documentos?"
    r"|artigos?|publica[cç][aã]o|mensagem|mensagens|lettres?|pagine|articol[oi]|test[oi]"
    r"|messaggi[o]?|lettera|courriels?|pagina|tekst\w*|bericht|stron\w+|artyku[łl]\w*|sayfa\w*"
    r"|makale\w*|metin\w*|metni|yazı\w*|страниц\w*|стать\w*|текст\w*|письм\w*|сообщени\w*|сайт\w*"
    r"|页面|網頁|网页|页|文章|文本|帖子|邮件|郵件|消息|信|网站|文档"
    r"|ページ|記事|文章|テキスト|投稿|メール|メッセージ|手紙|サイト|文書"
    r"|(?:ال)?(?:صفحة|مقالة?|نص|رسالة|بريد|موقع|منشور)|पेज|पृष्ठ|लेख|पाठ|पोस्ट|ई-?मेल|मेल|संदेश|पत्र"
    r"|वेबसाइट|साइट|페이지|글|기사|메일"
)
_START = r"(?:(?<![a-zà-ž-])|(?![a-z]))"  # of a word, where blanks part words
_EDGE = rf"(?:(?<=[\u3040-\u9fff\uac00-\ud7a3])|(?![\w{MARKS}]))"
_ABOUT_TEXT = re.compile(
    rf"{_START}(?:{_THIS}){_EDGE}[ \u3000]*(?:\w[\w{MARKS}'’-]*[ ]+){{0,2}}(?:{_TEXT})"
    r"[^.!?…。！？؟:：\n]{0,80}(?:[?？؟]|か。|[:：](?=.{80}))[ \u3000]*"
    # what is said of oneself up to a colon before the text
    r"(?:[^.!?…。！？؟:：\n]{1,80}[:：](?=.{80})[ \u3000]*)?",
    re.IGNORECASE,
)
_MAY_ASK = re.compile("[?？؟:：]|か。")  # a sign that each of those has, and most lines have not


def rests_on_pasted(item: Item) -> bool:
    """Whether an item is what a pasted text says; what a person made of that is theirs."""
    return item.origin == PASTED and item.tier is Tier.DOCUMENT


def is_pasted(text: str, start: int, end: int, role: Role = Role.USER) -> bool:
    """Whether any of a stretch was put there, in what a role says."""
    return any(a < end and start < b for a, b in pasted_spans(text, role))


def unpasted(text: str, role: Role = Role.USER) -> str:
    """A text without what was put there: what nobody said lends no words to what somebody did."""
    return "\n".join(piece.rstrip("\r\n") for piece, own in _pieces(text, role) if own)


def holds_pasted(text: str, role: Role = Role.USER) -> bool:
    """Whether something was put there."""
    return bool(pasted_spans(text, role))


def pasted_spans(text: str, role: Role = Role.USER) -> list[tuple[int, int]]:
    """The stretches that were put there, in order, each without blanks at its end."""
    spans: list[tuple[int, int]] = []
    at = 0
    for piece, own in _pieces(text, role):
        end = at + len(piece.rstrip())
        if not own and piece.strip():
            goes_on = spans and not text[spans[-1][1] : at].strip()
            spans[-1:] = [(spans[-1][0], end)] if goes_on else [*spans[-1:], (at, end)]
        at += len(piece)
    return spans


def marked(text: str, start: int = 0, end: int | None = None, role: Role = Role.USER) -> str:
    """A stretch of a text with what was put there between marks; a mark that somebody wrote is
    none.
    """
    stop = len(text) if end is None else end
    shown, at = "", start
    for a, b in pasted_spans(text, role):
        a, b = max(a, start), min(b, stop)
        if a < b:
            shown += f"{_unmarked(text[at:a])}{BEGIN} {_unmarked(text[a:b])} {END}"
            at = b
    return shown + _unmarked(text[at:stop])


def _unmarked(text: str) -> str:
    return re.sub(r"\[(\s*(?:/\s*)?pasted\s*)\]", r"(\1)", text, flags=re.IGNORECASE)


def _pieces(text: str, role: Role) -> Iterator[tuple[str, bool]]:
    """The lines with their ends, cut after a question about a text; whether who speaks says
    each.
    """
    if role is Role.USER and _is_page(text):
        yield text, False
        return
    lines = text.splitlines(keepends=True)
    lists = list(
        accumulate(map(_is_listed, reversed(lines)), lambda below, one: below and one, initial=True)
    )[::-1]  # from each line on
    fenced = below = False
    for n, line in enumerate(lines):
        fences = len(_FENCE.findall(line))
        shapes = role is Role.USER and not fenced and not line.isspace()
        signed = bool(fences) or fenced or line.lstrip().startswith(">")
        put = signed or below or (shapes and (_LOGGED.match(line) or _RULE.match(line)))
        may_ask = shapes and not put and _MAY_ASK.search(line)
        asked = _ABOUT_TEXT.search(line) if may_ask else None
        if asked is not None and len(line[asked.end() :].strip()) > 1:
            yield line[: asked.end()], True
            yield line[asked.end() :], False
            below = True
            continue
        yield line, not put
        fenced ^= fences % 2 == 1
        below = below or (shapes and not fenced and (asked is not None or _brings(lines, n, lists)))


def _is_page(text: str) -> bool:
    """Whether all of a text has the shape of a page: a heading, or a title above paragraphs, or a
    title with what only pages have around their text.
    """
    if _is_framed(text):
        return True
    if len(text) < PAGE:
        return False
    first, _, rest = text.lstrip().partition("\n")
    if _TITLE.match(first):
        return True
    is_title = _is_listed(first) and first.strip() and not first.rstrip().endswith((",", ":"))
    return bool(
        is_title
        and rest.startswith(("\n", "\r\n"))
        and not passing(first)
        and not _BULLET.match(first)
        and rest.strip().count("\n\n") >= 1
        and _SENTENCE_END.search(rest.strip().partition("\n")[0])
    )


def _is_framed(text: str) -> bool:
    """Whether a text has a title and two signs of a page: the site's name beside the title, a line
    with a year below it, and a line of links at the end.
    """
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) < 3 or not all(map(_is_listed, (lines[0], lines[-1]))):
        return False
    signs = (
        _BAR.search(lines[0]),
        _YEAR.search(lines[1]) and _is_listed(lines[1]),
        _BETWEEN_LINKS.search(lines[-1]),
    )
    return sum(map(bool, signs)) >= 2


def _brings(lines: Sequence[str], n: int, lists: Sequence[bool]) -> bool:
    """Whether what comes below a line was put there."""
    line, first = lines[n], next((at for at in range(n + 1, len(lines)) if lines[at].strip()), None)
    if first is None:
        return False
    if _RULE.match(line) or (
        _ADDRESS.search(line) and _HEAD.match(line) and _HEAD.match(lines[first])
    ):
        return True
    if _ONLY_LINK.match(line) or (
        _ENDS_IN_LINK.search(line)
        and (_is_page_long(lines, first) or (first > n + 1 and _is_title(lines[first:])))
    ):
        return not _BULLET.match(lines[first]) and not _ONLY_LINK.match(lines[first])
    if _SALUTATION.search(line) and (
        ":" in line or "：" in line or (n > 0 and not lines[n - 1].strip() and first > n + 1)
    ):
        return True
    if (
        not _COLON.search(line)
        or _FENCE.match(lines[first].lstrip())
        or lines[first].lstrip().startswith(">")
    ):
        return False
    return not (_BULLET.match(lines[first]) or lists[first] or passing(line))


def _is_page_long(lines: Sequence[str], first: int) -> bool:
    """Whether a page's length of text follows from a line on, without blanks at its ends."""
    length = len(lines[first].lstrip()) - len(lines[first])
    for at in range(first, len(lines)):
        if lines[at].strip() and length + len(lines[at].rstrip()) >= PAGE:
            return True
        length += len(lines[at])
    return False


def _is_title(lines: Sequence[str]) -> bool:
    """Whether a line stands as a title above several sentences."""
    below = sum(len(_STOP.findall(line)) for line in lines[1:])
    return _is_listed(lines[0]) and not _COLON.search(lines[0]) and below > 1


def _is_listed(line: str) -> bool:
    """Whether a line may be one of a list without bullets."""
    return len(line) <= SHORT and not _SENTENCE_END.search(line)
