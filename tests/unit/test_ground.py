"""A model's proposal held against the turns it is said to come from."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.grounding.claims import Claim, Flag, Grounded, ground
from omoide.learning.application import CLOSES_MORE, UNLIKE
from omoide.nouns.ids import SessionId, TurnId
from omoide.nouns.item import Tier
from omoide.nouns.proposal import in_words
from omoide.nouns.turn import Role, Turn

NOON = datetime(2024, 5, 8, 12, tzinfo=timezone(timedelta(hours=2)))  # a Wednesday


def turn(
    text: str,
    position: int = 0,
    role: Role = Role.USER,
    speaker: str = "Ana",
    user: str | None = "ana",
) -> Turn:
    """What Ana says, unless told otherwise."""
    return Turn(
        id=TurnId(f"s#{position}"),
        session=SessionId("s"),
        position=position,
        role=role,
        speaker=speaker,
        user=user if role is Role.USER else None,
        text=text,
        at=NOON,
        recorded_at=NOON,
    )


def judged(
    text: str,
    quote: str,
    *turns: Turn,
    named: tuple[int, ...] = (0,),
    known: tuple[str, ...] = (),
    tags: tuple[str, ...] = (),
) -> Grounded:
    """A claim of Ana's memory, from these turns or from one that is its quote."""
    return ground(
        Claim(text=text, quote=quote, turns=named, entities=tags),
        turns or (turn(quote),),
        names=known,
        user="ana",
    )


def test_what_was_said_passes() -> None:
    """A claim that says what its quote says has no flag, and is the user's word."""
    found = judged("Ana lives in Berlin with 2 cats", "I live in Berlin with my two cats")

    assert found.flags == frozenset()
    assert found.tier is Tier.USER
    assert found.span == (0, 33)


@pytest.mark.parametrize(
    ("text", "tag", "flag"),
    [
        ("Ana lives in Munich", "place:Munich", Flag.NAME),
        ("Ben lives in Berlin", "person:Ben", Flag.NAME),
        ("Ana lives in Берлин", "place:Берлин", Flag.NAME),
        ("Ana lives in Berlin with 3 cats", "", Flag.NUMBER),
        ("アナは私の猫とベルリンに住んでいる", "", Flag.SCRIPT),
        ("Ana has lived in Berlin since 12 March 2019", "", Flag.DATE),
        ("Ana lived in Berlin last week", "", Flag.RELATIVE_DATE),
        ("Ana, ana@example.org, lives in Berlin", "", Flag.ADDRESS),
        ("The user lives in Berlin with two cats", "", Flag.TO_ASSISTANT),
        ("Ana " * 300, "", Flag.TOO_LONG),
    ],
)
def test_what_was_not_said_is_flagged(text: str, tag: str, flag: Flag) -> None:
    """Each kind of invention that can be told without the language has its flag."""
    tags = (tag,) if tag else ()
    assert flag in judged(text, "I live in Berlin with my two cats", tags=tags).flags


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("See you on Friday at 10:30", "Ana has an appointment on Friday, 10 May 2024 at 10:30"),
        ("I've an interview next Tuesday at 2pm", "Ana: interview, Tuesday, 14 May 2024 at 14:00"),
        ("from the 14th to the 21st", "Ana is away from 14 to 21 May 2024"),
        ("she starts in August and turns six in May", "Ana's girl turns six in May 2025"),
        ("seit drei Jahren in Leipzig", "Ana wohnt seit 2021 in Leipzig"),
        ("I'm 1m85 and about 90 kilos", "Ana is 185 cm tall and weighs about 90 kg"),
        ("a flat without a lift", "Ana's flat has no lift"),
        ("her name is Anneke not Annika", "Her name is Anneke, not Annika"),
        ("Call Bob, water the plants", "Water the plants"),
        ("with Postgres as db", "Ana uses PostgreSQL"),
    ],
)
def test_what_is_said_in_another_form_is_the_same(quote: str, text: str) -> None:
    """A weekday with its date, a range, a unit and the like are normalised before they are
    judged.
    """
    tags = ("tool:PostgreSQL",) if "PostgreSQL" in text else ()
    assert judged(text, quote, tags=tags).flags == frozenset()


@pytest.mark.parametrize(
    "quote",
    [
        "i don't LIKE black tea",
        "“I don’t like black tea”",
        "I don't like black tea...",
        "I  don't\nlike black tea.",
        "I don't … black tea",
        "don't like black tea [...] café",
        "CAFE\u0301",
    ],
)
def test_a_carelessly_copied_quote_is_found(quote: str) -> None:
    """Case, spaces, quotation marks, dashes, normal form and what was left out do not matter; the
    span is of the turn's own characters.
    """
    said = turn("Well, I don’t like black tea — but I'd take a café au lait.")

    found = judged("Ana", quote, said)

    assert found.turn == said
    assert found.span is not None
    assert "tea" in said.text[slice(*found.span)] or said.text[slice(*found.span)] == "café"


@pytest.mark.parametrize(
    "quote", ["I like black tea", "tea … don't like", "lack tea", "café au lait is 3", "caf", ""]
)
def test_what_stands_nowhere_is_no_quote(quote: str) -> None:
    """Other words, pieces in another order and parts of words or numbers are not found."""
    found = judged("Ana", quote, turn("I don’t like black tea; café au lait is 3.5 euros."))

    assert found.flags == {Flag.NO_QUOTE}
    assert (found.turn, found.span) == (None, None)


def test_a_quote_is_found_in_another_turn_than_was_named() -> None:
    """A wrong number of the turn costs nothing."""
    turns = turn("Hello there"), turn("I live in Berlin now", 1)

    found = judged("Ana lives in Berlin", "I live in Berlin now", *turns, named=(0, 7))

    assert found.turn == turns[1]
    assert not found.flags


@pytest.mark.parametrize(
    ("said", "tier"),
    [
        (turn("I live in Berlin now"), Tier.USER),
        (turn("I live in Berlin now", speaker="Ben", user="ben"), Tier.AGENT),
        (turn("I live in Berlin now", speaker="Ben", user=None), Tier.AGENT),
        (turn("I live in Berlin now", role=Role.ASSISTANT), Tier.AGENT),
        (turn("I live in Berlin now", role=Role.TOOL), Tier.DOCUMENT),
        (turn("I live in Berlin now", role=Role.SYSTEM), Tier.DOCUMENT),
        (turn("Look at this mail:\n> I live in Berlin now\nWhat do you think?"), Tier.DOCUMENT),
        (turn("```\nI live in Berlin now\n```"), Tier.DOCUMENT),
        (turn("```\nls\n```\nI live in Berlin now"), Tier.USER),
    ],
)
def test_who_said_it_decides_whose_word_it_is(said: Turn, tier: Tier) -> None:
    """Only what the user says, and does not paste, is the user's word; nobody else speaks for
    them.
    """
    assert judged("Ana lives in Berlin", "I live in Berlin now", said).tier is tier


def test_whoever_repeats_a_page_does_not_make_it_theirs() -> None:
    """What stood in a tool's answer before the user said it is the page's word; what is repeated
    after the user stays the user's.
    """
    quote = "the meeting point is Pier 9"
    page, user = turn(quote, 0, Role.TOOL), turn(f"It says {quote}, right?", 1)

    assert (
        judged("The meeting point is Pier 9", quote, page, user, named=(1,)).tier is Tier.DOCUMENT
    )
    told = judged(
        "The meeting point is Pier 9",
        quote,
        turn(quote, 0),
        turn(quote, 1, Role.ASSISTANT),
        named=(0,),
    )
    assert told.tier is Tier.USER


def test_a_few_words_stand_in_many_turns_by_chance() -> None:
    """The answer to a question holds the question's words, and is the user's still."""
    asked, answer = (
        turn("Would you like green tea or coffee?", 0, Role.ASSISTANT),
        turn("green tea please", 1),
    )

    found = judged("Ana likes green tea", "green tea", asked, answer, named=(1,))

    assert (found.turn, found.tier) == (answer, Tier.USER)


def test_a_known_name_counts_where_it_was_not_mentioned() -> None:
    """ "He" may be somebody whom the talk mentioned, or who is known from earlier sessions."""
    turns = turn("My brother Marko called"), turn("He has moved to Oslo", 1)
    quote, named = "He has moved to Oslo", (1,)

    def flags(name: str, *known: str) -> frozenset[Flag]:
        text, tags = f"{name} moved to Oslo", (f"person:{name}",)
        return judged(text, quote, *turns, named=named, known=known, tags=tags).flags

    assert flags("Marko") == frozenset()
    assert flags("Ben", "Ben") == frozenset()
    assert flags("Ben") == {Flag.NAME}


@pytest.mark.covers("LS-79", "ED-11")
@pytest.mark.parametrize(
    ("quote", "absolute", "wrong", "relative"),
    [
        (
            "I moved to Oslo yesterday",
            "Ana moved to Oslo on 7 May 2024",
            "on 6 May 2024",
            "yesterday",
        ),
        (
            "Ich bin gestern nach Oslo gezogen",
            "Ana ist am 7. Mai 2024 nach Oslo gezogen",
            "am 9. Mai 2024",
            "gestern",
        ),
        (
            "昨日大阪に引っ越しました",
            "アナは2024年5月7日に大阪に引っ越した",
            "2024年5月8日に",
            "昨日",
        ),
        (
            "Вчера я переехала в Осло",
            "Ana переехала в Осло 7 мая 2024 года",
            "6 мая 2024 года",
            "вчера",
        ),
    ],
)
def test_relative_dates_are_absolute_by_the_turns_own_clock(
    quote: str, absolute: str, wrong: str, relative: str
) -> None:
    """Only the day that was meant, by the clock and zone of the turn, passes; "yesterday" itself is
    flagged.
    """
    day = next(
        part
        for part in ("on 7 May 2024", "am 7. Mai 2024", "2024年5月7日に", "7 мая 2024 года")
        if part in absolute
    )

    assert not judged(absolute, quote).flags & {Flag.DATE, Flag.RELATIVE_DATE, Flag.NUMBER}
    assert Flag.DATE in judged(absolute.replace(day, wrong), quote).flags
    assert Flag.RELATIVE_DATE in judged(absolute.replace(day, relative), quote).flags


@pytest.mark.parametrize(
    "text",
    [
        "Ana plays chess every Monday",
        "Ana's birthday is on 3 May",
        "Ana has played chess since 2019",
    ],
)
def test_habits_anniversaries_and_years_are_not_relative(text: str) -> None:
    """They mean the same tomorrow."""
    assert not judged(
        text, "Every Monday I play chess, since 2019. My birthday is on 3 May."
    ).flags & {Flag.RELATIVE_DATE}


@pytest.mark.parametrize(
    ("quote", "text", "same"),
    [
        ("I have three dogs", "Ana has 3 dogs", True),
        ("I have 3 dogs", "Ana has three dogs", True),
        ("ich habe fünfundzwanzig Schafe", "Ana hat 25 Schafe", True),
        ("لدي ٤٢ كتابا", "لدى Ana 42 كتابا", True),
        ("我有二十五本书", "Ana有25本书", True),
        ("I paid 1,000 euros", "Ana paid 1000 euros", True),
        ("I ran 5 km", "Ana ran 5 miles", False),
        ("it costs $300", "It costs 300 euros", False),
        ("I get up at 3 pm", "Ana gets up at 15:00", True),
        ("I get up at 3 pm", "Ana gets up at 3 am", False),
        ("I have 30 sheep", "Ana has 3 sheep", False),
        ("我五点半起床，十一点睡", "Ana5:30起床，23:00睡觉", True),
        ("我五点半起床，十一点睡", "Ana6:30起床，23:00睡觉", False),
        ("다섯 시 반에 일어나요", "Ana는 5:30에 일어난다", True),
        ("साढ़े पाँच बजे उठती हूँ", "Ana 5:30 बजे उठती है", True),
        ("من أصحى خمس ونص", "Ana تصحى الساعة 47:30", False),
        ("بخمسة وثمانين دينار اشتريته", "Ana اشترته بـ 85 دينار", True),
        ("ซื้อมาสองแสนห้า", "Ana ซื้อมาในราคา 250,000 บาท", True),
        ("ซื้อมาสองแสนห้า", "Ana ซื้อมาในราคา 260,000 บาท", False),
        ("组里来了个新人", "Ana的组里来了一个新人", True),
        ("I bought a few eggs", "Ana bought a dozen eggs", False),
        ("I bought twelve eggs", "Ana bought a dozen eggs", True),
        ("I wrote some letters", "Ana wrote dozens of letters", False),
        ("I wrote dozens of letters", "Ana wrote dozens of letters", True),
        ("I read part of the book", "Ana read half of the book", False),
        ("I read 50% of the book", "Ana read half of the book", True),
        ("I lived there as a child", "Ana lived there in the nineties", False),
        ("I lived there in 1994", "Ana lived there in the nineties", True),
        ("Ich habe Eier gekauft", "Ana hat ein Dutzend Eier gekauft", False),
        ("В детстве я жила там", "Ana жила там в девяностых", False),
        ("В девяностых я жила там", "Ana жила там в девяностых", True),
        ("كنت أسكن هناك", "كانت Ana تسكن هناك في التسعينيات", False),
        ("我看了那本书", "Ana看了那本书的一半", False),
        ("我看了一半", "Ana看了一半", True),
    ],
)
def test_numbers_are_the_same_in_figures_words_and_any_script_with_their_unit(
    quote: str, text: str, same: bool
) -> None:
    """Three is 3 and ٤٢ is 42; five kilometres are not five miles."""
    assert (Flag.NUMBER not in judged(text, quote).flags) is same


@pytest.mark.parametrize(
    ("since", "flagged"),
    [
        (datetime(2019, 1, 1, tzinfo=NOON.tzinfo), False),
        (NOON, False),
        (datetime(2017, 1, 1, tzinfo=NOON.tzinfo), True),
    ],
)
def test_validity_is_what_the_quote_says(since: datetime, flagged: bool) -> None:
    """A beginning that the quote does not name, and that is not when it was said, is an
    invention.
    """
    claim = Claim(
        text="Ana has lived in Oslo since 2019",
        quote="I've lived in Oslo since 2019",
        turns=(0,),
        since=since,
    )

    assert (Flag.DATE in ground(claim, (turn(claim.quote),), user="ana").flags) is flagged


@pytest.mark.parametrize(
    ("said", "due", "flagged"),
    [
        ("I have to call Bob about the boat", "2031-07-09T03:00", True),
        ("I have to call Bob about the boat on Friday", "2031-07-09T03:00", True),
        ("I have to call Bob about the boat tomorrow", "2024-05-17", True),
        ("I have to call Bob about the boat tomorrow at nine", "2024-05-09T09:00", False),
        ("I have to call Bob about the boat tomorrow", "2024-05-09T09:00", False),
        ("I have to call Bob about the boat in three weeks", "2024-05-29", False),
        ("I have to call Bob about the boat next Friday", "2024-05-10", False),
        ("I have to call Bob about the boat on Friday", "2024-05-10T18:00", False),
        ("I have to call Bob about the boat on 9 July", "2024-07-09T15:00", False),
        ("I have to call Bob about the boat in an hour", "2024-05-08T13:00", False),
        ("Am Freitag muss ich Bob wegen des Boots anrufen", "2024-05-10T09:00", False),
        ("Übermorgen muss ich Bob wegen des Boots anrufen", "2024-05-10", False),
        ("明天九点我要给鲍勃打电话说船的事", "2024-05-09T09:00", False),
        ("Завтра мне нужно позвонить Бобу насчёт лодки", "2024-05-09", False),
    ],
)
def test_when_something_is_due_is_what_the_quote_says(said: str, due: str, flagged: bool) -> None:
    """A day that nobody named, and that is not worked out from what was said, is an invention; an
    hour of a day that was named is none.
    """
    claim = Claim(
        text="Ana must call Bob",
        quote=said,
        turns=(0,),
        due=datetime.fromisoformat(due).replace(tzinfo=NOON.tzinfo),
    )

    assert (Flag.DATE in ground(claim, (turn(said),), user="ana").flags) is flagged


def test_a_memory_that_comes_back_is_flagged() -> None:
    """Words in a block of memories are recalled, whoever's turn it stands in."""
    said = turn("<memory>\nAna lives in Berlin\n</memory>\nWhat else?", 0, Role.SYSTEM)

    assert judged("Ana lives in Berlin", "Ana lives in Berlin", said).flags == {Flag.RECALLED}


@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=80))
def test_nothing_breaks_the_check(text: str, quote: str, said: str) -> None:
    """Whatever a model writes, there is a verdict; a span lies in the turn."""
    found = judged(text, quote, turn(said + quote + said))

    assert found.span is None or 0 <= found.span[0] <= found.span[1] <= len(said + quote + said)


@given(
    st.text(
        st.characters(categories=("Ll", "Lu", "Lo", "Nd", "Zs", "Po", "Mn")),
        min_size=1,
        max_size=40,
    )
)
def test_a_verbatim_quote_is_always_found(text: str) -> None:
    """What a turn says by itself is found in it."""
    found = judged("Ana", text, turn(text))

    assert found.flags != {Flag.NO_QUOTE} or not text.strip()


@pytest.mark.parametrize(
    "piece",
    [
        "11 ",
        "a@",
        "… ",
        " ",
        "你好",
        "가나 ",
        "not ",
        "3 May 2024, ",
        "<memory ",
        "```\n",
        "a\u0301",
        "\ud800",
        "\u202e ",
    ],
)
def test_long_hostile_texts_are_judged(piece: str) -> None:
    """A hundred thousand characters of anything end in a verdict; the time limit of the suite would
    tell of a blow-up.
    """
    text = piece * (100_000 // len(piece))

    assert (
        ground(Claim(text=text[:900], quote=text, turns=(0,)), (turn(text),), user="ana").tier
        in Tier
    )
    assert (
        ground(
            Claim(text="Ana lives in Berlin", quote=text[:1_900], turns=(0,)),
            (turn("x " + text),),
            user="ana",
        ).tier
        in Tier
    )
    assert (
        Flag.TOO_LONG
        in ground(Claim(text=text, quote=text, turns=(0,)), (turn(text),), user="ana").flags
    )


def test_what_the_speaker_said_before_or_beside_it_bears_a_claim_out() -> None:
    """A name or number that the quote lacks may stand elsewhere in its turn, or before it in the
    same person's mouth; that turn is told.
    """
    turns = (
        turn("My sister Mia has 12 goats"),
        turn("Nice!", 1, Role.ASSISTANT),
        turn("She moved to Bern. She took them along.", 2),
    )

    found = judged("Mia moved to Bern with 12 goats", "She moved to Bern", *turns, named=(2,))
    assert (found.flags, found.also, found.tier) == (frozenset(), (turns[0],), Tier.USER)
    beside = judged("Mia has 12 goats", "has 12 goats", *turns)
    assert (beside.flags, beside.also) == (frozenset(), ())


@pytest.mark.parametrize(
    "other",
    [
        turn("My sister Mia has 12 goats", 0, speaker="Ben", user="ben"),
        turn("My sister Mia has 12 goats", 0, Role.TOOL),
        turn("> My sister Mia has 12 goats"),
        turn("My sister Mia has 12 goats", 0, Role.ASSISTANT),
        turn("My sister Mia has 12 goats", 3),
        turn("<memory>My sister Mia has 12 goats</memory>"),
    ],
)
def test_nobody_elses_words_bear_it_out(other: Turn) -> None:
    """Of figures: not another person's, a tool's, what is pasted or recalled, what comes later, or
    an assistant's that the quote does not answer.
    """
    turns = sorted(
        (other, turn("Fine weather", 1), turn("She moved to Bern", 2)), key=lambda one: one.position
    )

    found = judged("She moved to Bern with 12 goats", "She moved to Bern", *turns, named=(2,))
    assert found.flags == {Flag.NUMBER}


def test_what_another_person_said_right_before_bears_its_answer_out_as_an_agents_word() -> None:
    """Who answers a friend means whom the friend named; the friend's turn is a source then."""
    turns = (
        turn("How is Mia in Bern?", 0, speaker="Ben", user="ben"),
        turn("She moved there last year", 1),
    )

    found = judged("Mia moved to Bern in 2023", "She moved there last year", *turns, named=(1,))
    assert (found.flags, found.also, found.tier) == (frozenset(), (turns[0],), Tier.AGENT)


@pytest.mark.parametrize(
    ("quote", "text", "name", "other"),
    [
        ("我老婆在昆山的厂里上班，怀上了", "陈浩的妻子怀孕了，在昆山的工厂工作", "昆山", "绵阳"),
        (
            "신입이 카이스트 나왔는데 코딩 빨라",
            "태호의 팀에 카이스트 출신 신입 사원이 들어왔다",
            "카이스트",
            "남궁민철",
        ),
        (
            "أخدت قرض من بنك الإسكان وبعت أرضي",
            "ليث أخذ قرض من بنك الإسكان وباع أرضه",
            "ليث",
            "زكرياء",
        ),
        (
            "नया लड़का पिलानी से है",
            "रवि की टीम में पिलानी से पढ़ा एक नया सहकर्मी आया है",
            "पिलानी",
            "गुवाहाटी",
        ),
        (
            "น้องใหม่จบลาดกระบัง เขียนโค้ดไวมาก",
            "ทีมของมานะมีพนักงานใหม่จบจากลาดกระบัง เขียนโค้ดเร็วมาก",
            "ลาดกระบัง",
            "เชียงราย",
        ),
    ],
)
def test_other_words_are_no_names_in_scripts_without_capitals(
    quote: str, text: str, name: str, other: str
) -> None:
    """An ordinary word that was not said is no name there; another name is one."""
    said = turn(
        quote,
        speaker=next(one for one in ("陈浩", "태호", "ليث", "रवि", "มานะ", "健") if one in text),
    )

    assert judged(text, quote, said, tags=(f"place:{name}",)).flags == frozenset()
    wrong = judged(text.replace(name, other), quote, said, tags=(f"place:{other}",))
    assert Flag.NAME in wrong.flags


def test_an_arabic_quote_may_begin_after_the_and_that_is_written_onto_it() -> None:
    """A model quotes "I found" of "and I found"."""
    said = turn("رجعت على البلد ولقيت معلم حجر ممتاز")

    found = judged("Ana لقيت معلم حجر", "لقيت معلم حجر ممتاز", said)
    assert found.turn == said
    assert Flag.NO_QUOTE in judged("Ana لقيت معلم حجر", "قيت معلم حجر ممتاز", said).flags


def test_a_persons_name_is_no_time() -> None:
    """千夏 is a name, though it may be read as the summer of the year 1000; May is one too."""
    said = turn("そばを食べると喉がかゆくなる", speaker="千夏")

    assert (
        Flag.DATE
        not in judged(
            "千夏はそばを食べると喉がかゆくなる", "そばを食べると喉がかゆくなる", said
        ).flags
    )


def test_a_question_bears_its_answer_out_as_an_agents_word() -> None:
    """What the assistant asked just before is not what the user said: the tier tells."""
    turns = turn("Is Mia in Bern?", 0, Role.ASSISTANT), turn("Yes, she moved there last year", 1)

    found = judged("Mia moved to Bern in 2023", "she moved there last year", *turns, named=(1,))
    assert (found.flags, found.also, found.tier) == (frozenset(), (turns[0],), Tier.AGENT)


@pytest.mark.parametrize(
    ("quote", "text", "same"),
    [
        ("I fly to Oslo on Friday", "Ana flies to Oslo on 10 May 2024", True),
        ("I flew to Oslo on Friday", "Ana flew to Oslo on 3 May 2024", True),
        ("I fly to Oslo on Friday", "Ana flies to Oslo on 9 May 2024", False),
        ("I flew to Oslo last Friday", "Ana flew to Oslo on 10 May 2024", False),
        ("I fly to Oslo on 14 June", "Ana flies to Oslo on 14 June 2024", True),
        ("I fly to Oslo on 14 June", "Ana flies to Oslo on 14 June 2027", False),
        ("Vou a Oslo em maio", "Ana vai a Oslo em maio de 2024", True),
        ("I fly to Oslo in three weeks", "Ana flies to Oslo on 29 May 2024", True),
        ("I fly to Oslo in three weeks", "Ana flies to Oslo on 12 June 2024", False),
        ("I flew to Oslo two years ago", "Ana flew to Oslo in about 2022", True),
        ("I flew to Oslo two years ago", "Ana flew to Oslo in about 2019", False),
        ("I have to be in Oslo by Monday", "Ana has to be in Oslo on 13 May 2024", True),
        ("Ich bin am 20. in Oslo", "Ana ist am 20. Mai 2024 in Oslo", True),
    ],
)
def test_a_day_may_be_the_last_or_the_next_of_its_name_or_counted(
    quote: str, text: str, same: bool
) -> None:
    """Said on Wednesday 8 May 2024; who says "last" or names a year means that one alone."""
    assert (Flag.DATE not in judged(text, quote).flags) is same


@pytest.mark.parametrize("flag", [*Flag, UNLIKE, CLOSES_MORE])
def test_why_something_waits_is_told_in_words(flag: str) -> None:
    """Nobody who reviews has to know what a flag is called."""
    told = in_words([flag])
    assert "_" not in told
    assert " " in told
