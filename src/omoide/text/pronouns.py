"""Words by which who speaks means whom they speak to, in many languages."""

from __future__ import annotations

import re

from omoide.text.letters import fold

_WORD = re.compile(r"[^\s.,;:!?()\"“”«»।]+")
_SECOND = frozenset(
    fold(
        "you your you're yours du dich dir dein deine deinen sie ihnen tu tú te ti tus usted"
        " ustedes vous toi ton ta tes votre vos lei voi tuo tua você vocês ты вы тебя тебе вас вам"
        " твой твоя ваш ваша jij je u dig du din sen senin 너 네 당신 أنت أنتِ لك तुम तुम्हारा आप"
        " आपका"
    ).split()
)
_SIGNS = re.compile("[你您]|あなた|君")


def speaks_to_somebody(text: str) -> bool:
    """Whether it says "you" or "your"; in languages that leave that to the verb it may not be
    seen.
    """
    words = frozenset(_WORD.findall(fold(text).replace("’", "'")))
    return bool(words & _SECOND) or _SIGNS.search(text) is not None
