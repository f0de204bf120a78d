"""Whether a question is about what the assistant told, or about an earlier talk as such, and so is
answered by an assistant's words rather than a person's. In ten languages; pure.

"What did you recommend for the tap?" and "Sum up our talks about the tap" are such questions.
"Would you recommend a tap?" asks for something new, and "What did I tell you about the tap?" for
what the person said.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOLD = re.compile(
    r"""
    # English: you did; your advice; our talk; a summary
    \b(?:did|have|had)\ you\b(?!\ (?:ever|any|got|heard|seen|been|tried)\b)
    |\byou(?:'ve|'d|\ have|\ had)?\ (?:\w+ly\ |also\ |just\ |once\ )?
      (?:\w{2,}ed|said|told|gave|wrote|made|found|chose|put|brought|meant|sent|built|drew|taught
      |showed|set)\b
    |\byour\ (?:\w+\ )?(?:advice|suggestions?|recommendations?|answers?|explanations?|tips?|reply
      |replies|words)\b
    |\bour\ (?:\w+\ ){0,2}(?:conversations?|chats?|discussions?|talks?|sessions?)\b
    |\bremind\ me\b|\bwe\ (?:\w+\ )?(?:discussed|talked|spoke|chatted|covered|reviewed
      |touched\ on|went\ (?:over|through)|outlined)\b
    |\bsummar(?:y|ies|i[sz]e|i[sz]ed)\b|\brecap\b
    # German
    |\b(?:hast\ du|du\ hast|haben\ sie\ mir|hattest\ du|du\ hattest)\b
    |\b(?:deine?[nr]?|ihre?[nr]?)\ (?:rat|ratschläge|tipps?|vorschlag|vorschläge|empfehlung
      |empfehlungen|antwort|erklärung)\b
    |\bunser(?:e[mnrs]?)?\ (?:\w+\ )?(?:gespräche?n?|unterhaltung|chats?)\b
    |zusammenfass\w*|\bfass\w*\b(?=\ .{0,200}\bzusammen\b)|\berinnere\ mich\b
    # Dutch
    |\b(?:heb\ je|je\ hebt|had\ je|heeft\ u|jouw\ advies|je\ advies|ons\ gesprek
      |onze\ gesprekken)\b
    |\bsamenvat\w*|\bvat\b(?=\ .{0,200}\bsamen\b)
    # French
    |\b(?:as-tu|tu\ as|tu\ m'as|m'as-tu|avez-vous|vous\ avez|vous\ m'avez|m'avez-vous)\b
    |\b(?:tes|ton|ta|vos|votre)\ (?:conseils?|suggestions?|recommandations?|réponses?
      |explications?)\b
    |\b(?:notre|nos)\ (?:conversations?|discussions?|échanges?)\b|\brésum\w*
    # Spanish
    |\b(?:recomendaste|dijiste|sugeriste|aconsejaste|explicaste|propusiste|diste|mencionaste)\b
    |\bme\ has\ \w+(?:ado|ido|icho)\b
    |\b(?:tus?|sus?)\ (?:consejos?|sugerencias?|recomendaci(?:ón|ones)|respuestas?)\b
    |\bnuestras?\ (?:conversaci(?:ón|ones)|charlas?)\b
    |\bresum(?:e|en|ir|as)\b(?=\ (?:nuestr|l[aeo]s?\b|el\b|mis?\b|tus?\b))
    # Italian
    |\bmi\ (?:hai|avevi)\ \w+|\bhai\ (?:consigliato|detto|suggerito|proposto|spiegato)\b
    |\b(?:tuoi|tuo|tua)\ (?:consigli|consiglio|risposta|suggerimenti)\b
    |\bnostr[aei]\ (?:conversazion[ei]|chiacchierat[ae])\b|\briassu\w*
    # Portuguese
    |\bvocê\ (?:me\ )?(?:recomendou|disse|sugeriu|aconselhou|explicou|propôs|deu|mencionou)\b
    |\bdisseste\b|\bnossas?\ conversas?\b|\bresuma\b|\bum\ resumo\b
    # Russian
    |\b(?:ты|вы)\ (?:мне\ |уже\ |тогда\ )?\w+(?:л|ла|ли)\b
    |\b(?:тво|ваш)\w{1,3}\ (?:совет|ответ|рекоменда|предложени)\w*
    |\bнаш\w{1,3}\ (?:разговор|бесед|переписк)\w*|\b(?:обобщи|подытожь|резюм)\w*
    # Chinese
    |[你您](?:之前|上次|刚才|当时|以前|曾)?(?:给我|跟我|向我|对我|帮我)?
      (?:推荐|建议|说|提到|告诉|提议|介绍|解释)我?(?:过|了|的|什么|哪|用|怎)
    |[你您]的(?:建议|推荐|回答|解释)|我们(?:之前|上次)?的?(?:对话|聊天|讨论|谈话)|总结|概括
    # Japanese
    |(?:勧めて|薦めて|教えて|提案して|説明して)(?:くれ|もらっ|いただい|ください)(?:まし)?た
    |(?:言って|おっしゃって|提案して|勧めて)(?:い|くれ)?(?:まし)?た(?:の|っけ|か|よね)
    |(?:言っ|おっしゃっ)た(?:の|っけ|か|よね)|私たちの(?:会話|話)|要約|まとめて
    """,
    re.IGNORECASE | re.VERBOSE,
)
# what the person said: "what did I tell you", "the order in which I brought things up"
_SAID_BY_ASKER = re.compile(
    r"""
    \bI\ (?:\w+\ )?(?:brought\ up|mentioned|said|told|asked|raised)\b
    |\bdid\ I\ (?:say|mention|tell|ask|bring\ up)\b
    # German and Dutch: what it was stands before the verb
    |\b(?:habe\ ich|ich\ habe|hatte\ ich|heb\ ik)\ (?P<kept>(?:\w+\ ){0,4})
      (?:gesagt|erzählt|erwähnt|gefragt|gezegd|verteld)\b
    |\b(?:ai-je|j'ai|je\ t'ai|t'ai-je|je\ vous\ ai)\ (?:dit|raconté|mentionné|demandé)\b
    |\b(?:te|le|les)\ (?:dije|conté|mencioné|pregunté)\b|\bti\ ho\ (?:detto|raccontato|chiesto)\b
    |\bte\ (?:contei|perguntei)\b
    |\bя\ (?:тебе\ |вам\ )?(?:сказал|говорил|рассказал|упомянул|спросил)
    |我(?:之前|上次)?(?:跟你|对你|告诉你|和你)(?:说|讲|提)|私が(?:言っ|話し|伝え)
    """,
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class EarlierTalk:
    """What a question says of an earlier talk. subject: the question without the words that name
    the talk, or who said something in it; these tell nothing of what was said.
    """

    told: bool  # it is about what the assistant told, or about the talk as such
    subject: str


def earlier_talk_in(question: str) -> EarlierTalk:
    """What a question says of an earlier talk; of one that says nothing, the subject is all of
    it.
    """
    asked = question.replace("’", "'")
    rest, said = _SAID_BY_ASKER.subn(r" \g<kept> ", asked)
    subject, told = _TOLD.subn(" ", rest)
    if not said and not told:
        return EarlierTalk(told=False, subject=question)
    return EarlierTalk(told=not said, subject=subject)
