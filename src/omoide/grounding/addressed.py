"""Whether a text speaks to an assistant, or of "the user" as a page would, in many languages.

People tell of themselves; a page that wants to be remembered speaks to a machine, or of whoever
reads it. It is a finding, no verdict: "I want the assistant to be brief" is a person's wish.
"""

from __future__ import annotations

import re

from omoide.text.letters import fold

_USER = (
    "the user,this user,der nutzer,des nutzers,dem nutzer,den nutzer,der benutzer,des benutzers,"
    "dem benutzer,den benutzer,die nutzerin,el usuario,la usuaria,al usuario,del usuario,"
    "o usuário,a usuária,do usuário,ao usuário,o utilizador,do utilizador,ao utilizador,"
    "l'utilisateur,l’utilisateur,l'utilisatrice,l'utente,l’utente,dell'utente,all'utente,"
    "de gebruiker,пользователь,пользователя,пользователю,користувач,użytkownik,użytkownika,"
    "kullanıcı,kullanıcının"
)
_ASSISTANT = (
    "the assistant,ai assistant,dear assistant,assistants,chatbot,language model,ai agent,ai model,"
    "ai systems,llm,der assistent,dem assistenten,den assistenten,ki-assistent,ki-assistenten,"
    "sprachmodell,el asistente,al asistente,asistentes,o assistente,ao assistente,assistentes,"
    "l'assistant,l’assistant,l'assistente,de assistent,ассистент,ассистента,ассистентам,asystent,"
    "asistan"
)
_USER_SIGNS = "用户|用戶|使用者|ユーザー|사용자|المستخدم|مستخدم|उपयोगकर्ता|यूज़र|यूजर|המשתמש|ผู้ใช้"
_ASSISTANT_SIGNS = "助手|助理|アシスタント|어시스턴트|비서|المساعد|مساعد ذكي|सहायक|העוזר|ผู้ช่วย"


def _pattern(words: str, signs: str) -> re.Pattern[str]:
    """What finds any of some words, folded, or of signs of scripts in which no blank ends one."""
    listed = "|".join(map(fold, words.split(",")))
    return re.compile(rf"\b(?:{listed})\b|{fold(signs)}")


_OF_USER, _TO_ASSISTANT = _pattern(_USER, _USER_SIGNS), _pattern(_ASSISTANT, _ASSISTANT_SIGNS)


def speaks_of_user(text: str) -> bool:
    """Whether a text speaks of a user as such, as no person does of themselves."""
    return _OF_USER.search(fold(text)) is not None


def addresses_assistant(text: str) -> bool:
    """Whether a text names an assistant, or a user, as such."""
    return speaks_of_user(text) or _TO_ASSISTANT.search(fold(text)) is not None
