"""Whether a text speaks to an assistant, or of "the user" as a page would, in many languages.

People tell of themselves; a page that wants to be remembered speaks to a machine, or of whoever
reads it. It is a finding, no verdict: "I want the assistant to be brief" is a person's wish.
"""

from __future__ import annotations

import re

from omoide.text.letters import fold

_WORDS = re.compile(
    r"\b(?:"
    + "|".join(
        fold(word)
        for word in (
            "the user,this user,the assistant,ai assistant,dear assistant,assistants,chatbot,"
            "language model,ai agent,ai model,ai systems,llm,"
            "der nutzer,des nutzers,dem nutzer,den nutzer,der benutzer,des benutzers,dem benutzer,"
            "den benutzer,die nutzerin,der assistent,dem assistenten,den assistenten,"
            "ki-assistent,ki-assistenten,sprachmodell,"
            "el usuario,la usuaria,al usuario,del usuario,el asistente,al asistente,asistentes,"
            "o usuário,a usuária,do usuário,ao usuário,o utilizador,o assistente,ao assistente,"
            "assistentes,l'utilisateur,l’utilisateur,l'utilisatrice,l'assistant,l’assistant,"
            "l'utente,l’utente,l'assistente,de gebruiker,de assistent,"
            "пользователь,пользователя,пользователю,ассистент,ассистента,ассистентам,"
            "користувач,użytkownik,użytkownika,asystent,kullanıcı,kullanıcının,asistan"
        ).split(",")
    )
    + r")\b"
)
_SIGNS = re.compile(
    "用户|用戶|使用者|助手|助理|ユーザー|アシスタント|사용자|어시스턴트|비서"
    "|المستخدم|مستخدم|المساعد|مساعد ذكي|उपयोगकर्ता|यूज़र|यूजर|सहायक|המשתמש|העוזר|ผู้ใช้|ผู้ช่วย"
)


def addresses_assistant(text: str) -> bool:
    """Whether a text names a user or an assistant as such."""
    return _WORDS.search(fold(text)) is not None or _SIGNS.search(text) is not None
