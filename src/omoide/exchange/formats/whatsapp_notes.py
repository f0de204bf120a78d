"""What WhatsApp writes in place of media, deleted messages and edits, in the phone's language.

Words and phrases of the phone's languages are listed. What stands in brackets without one of them
is what somebody wrote.
"""

from __future__ import annotations

import re

from omoide.exchange.formats.whatsapp_lines import MARKS

NOTE_LIMIT = 400  # characters of a line that can be a note

_M = f"[{MARKS}]{{0,4}}"
_BRACKETS = re.compile(rf"{_M}<([^<>:/\n]{{3,60}})>{_M}")
_ATTACHED = re.compile(rf"{_M}<[^<>:：\n]{{1,30}}[:：]\s?([^<>:/\n]{{1,200}}\.\w{{2,5}})>{_M}$")
_NAMED = re.compile(rf"({_M})([^\n/()<>]{{1,200}}\.\w{{2,5}}) \(([^()\n]{{3,40}})\){_M}$")
_OWN_NAME = re.compile(r"(?:IMG|VID|AUD|PTT|STK|DOC)-\d{8}-WA\d{4}", re.IGNORECASE)
_EDITED = re.compile(rf"\s?({_M})<([^<>\n]{{5,60}})>{_M}$")
_OMITTED = (
    "omitted weggelassen ausgeschlossen omis omess weggelaten ocult revelad pominięt пропущ"
    " отсутств без dihilangkan disertakan edilmedi 省略 忽略 含まれていません 생략 제외 استبعاد"
    " مستبعد حذف הושמט נכלל utelämn udelad utelatt jätetty jäetud vynech छोड़ bỏ omes kihagy"
    " izostav изостав пропус izpušč praleist izlaist ละเว้น παραλε παράλε বাদ தவிர் విస్మర वगळ અવગણ"
    " ಬಿಟ್ಟು ഒഴിവാക്ക imeachwa buraxıl dikecualikan omiti atlan omès 略去 略過 除く बिना ไม่รวม fără"
    " hiányz εξαίρ অন্তর্ভুক্ত прапушч"
).split()
_FILE_NOTES = frozenset(
    {
        "file attached",
        "datei angehängt",
        "archivo adjunto",
        "fichier joint",
        "arquivo anexado",
        "ficheiro anexado",
        "file allegato",
        "bestand bijgevoegd",
        "файл добавлен",
        "plik załączony",
        "dosya ekli",
        "file terlampir",
        "ファイル添付",
        "文件附件",
        "檔案已附加",
        "파일 첨부됨",
        "الملف مرفق",
        "קובץ מצורף",
        "फ़ाइल संलग्न",
        "bifogad fil",
    }
)
_DELETIONS = frozenset(
    {
        "this message was deleted",
        "you deleted this message",
        "diese nachricht wurde gelöscht",
        "du hast diese nachricht gelöscht",
        "se eliminó este mensaje",
        "eliminaste este mensaje",
        "ce message a été supprimé",
        "vous avez supprimé ce message",
        "mensagem apagada",
        "essa mensagem foi apagada",
        "você apagou essa mensagem",
        "esta mensagem foi apagada",
        "questo messaggio è stato eliminato",
        "hai eliminato questo messaggio",
        "dit bericht is verwijderd",
        "je hebt dit bericht verwijderd",
        "ta wiadomość została usunięta",
        "данное сообщение удалено",
        "вы удалили данное сообщение",
        "bu mesaj silindi",
        "bu mesajı sildiniz",
        "pesan ini telah dihapus",
        "このメッセージは削除されました",
        "此消息已被删除",
        "此訊息已刪除",
        "삭제된 메시지입니다",
        "تم حذف هذه الرسالة",
        "הודעה זו נמחקה",
        "यह संदेश हटा दिया गया था",
    }
)
_EDITS = frozenset(
    {
        "this message was edited",
        "diese nachricht wurde bearbeitet",
        "se editó este mensaje",
        "mensagem editada",
        "ce message a été modifié",
        "questo messaggio è stato modificato",
        "dit bericht is bewerkt",
        "данное сообщение изменено",
        "bu mesaj düzenlendi",
    }
)
_AROUND = re.compile(rf"[\s{MARKS}.。]+")


def is_deleted(body: str) -> bool:
    """The message was deleted, and this stands in its place."""
    return len(body) <= NOTE_LIMIT and _plain(body) in _DELETIONS


def is_omitted(body: str) -> bool:
    """Media stood here and was not exported."""
    if len(body) > NOTE_LIMIT:
        return False
    is_note = bool(_BRACKETS.fullmatch(body)) or (body.startswith("\u200e") and len(body) <= 60)
    return is_note and any(word in body.casefold() for word in _OMITTED)


def without_attachment(body: str) -> tuple[str, str]:
    """The caption and the attached file's name; the body and "" where nothing is attached."""
    first, _, caption = body.partition("\n")
    named = _NAMED.match(first) if len(first) <= NOTE_LIMIT else None
    if named and (named[1] or _OWN_NAME.match(named[2]) or _plain(named[3]) in _FILE_NOTES):
        return caption, named[2]
    before, feed, last = body.rpartition("\n")
    attached = _ATTACHED.search(last[-NOTE_LIMIT:])
    if attached is None:
        return body, ""
    kept = last[: len(last) - len(attached[0])]
    return (before + feed + kept).rstrip(), attached[1]


def without_edit_note(body: str) -> str:
    """The body without the note that it was edited."""
    tail = body[-NOTE_LIMIT:]
    found = _EDITED.search(tail)
    if found and (found[1] or _plain(found[2]) in _EDITS):
        return body[: len(body) - len(found[0])]
    return body


def _plain(text: str) -> str:
    """Case folded, with single spaces, without direction marks and full stops."""
    return _AROUND.sub(" ", text).strip().casefold()
