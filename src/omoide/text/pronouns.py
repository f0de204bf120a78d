"""Words by which who speaks means themselves or whom they speak to, in many languages."""

from __future__ import annotations

import re

from omoide.text.letters import fold

_WORD = re.compile(r"[^\s.,;:!?()\"“”«»।]+")
_FIRST = frozenset(
    fold(
        "i i'm i've i'd i'll my me mine ich mein meine meinen meinem meiner mir mich yo mi mis je j'ai j'habite mon ma mes moi io mio mia "
        "miei mie eu meu minha meus minhas mim я мой моя моё мои моего моей меня мне мною мной ik mijn jag min mitt jeg mig mój moja ja "
        "ben benim 저는 저도 제 제가 저의 나는 내 내가 나의 나도 أنا لي عندي اسمي अपना मैं मेरा मेरी मेरे मुझे मैंने"
    ).split()
)
_SECOND = frozenset(
    fold(
        "you your you're yours du dich dir dein deine deinen sie ihnen tu tú te ti tus usted ustedes vous toi ton ta tes votre vos lei "
        "voi tuo tua você vocês ты вы тебя тебе вас вам твой твоя ваш ваша jij je u dig du din sen senin 너 네 당신 أنت أنتِ لك तुम तुम्हारा "
        "आप आपका"
    ).split()
)
_FIRST_SIGNS, _SECOND_SIGNS = re.compile("[我私僕俺]"), re.compile("[你您]|あなた|君")


def speaks_of_self(text: str) -> bool:
    """Whether it says "I" or "my", and not "you"."""
    words = frozenset(_WORD.findall(fold(text).replace("’", "'")))
    first = bool(words & _FIRST) or _FIRST_SIGNS.search(text) is not None
    return first and not words & _SECOND and _SECOND_SIGNS.search(text) is None
