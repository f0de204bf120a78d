"""Time expressions become intervals: in which languages, of which forms, and what is left alone."""

from __future__ import annotations

import subprocess
import sys
import timeit
from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.nouns.errors import InvalidTime
from omoide.text.times import EARLIEST, LATEST, READ_LIMIT, Interval, find_interval
from omoide.text.times.words import lexicons

NOW = datetime(2026, 3, 12, 14, 30, tzinfo=UTC)  # a Thursday
OPEN, END, SO_FAR = EARLIEST.date().isoformat(), LATEST.date().isoformat(), "2026-03-12T14:30"
Cases = list[tuple[str, str, str]]

ENGLISH: Cases = [
    ("what did I do last week", "2026-03-02", "2026-03-09"),
    ("notes from 3 March 2025", "2025-03-03", "2025-03-04"),
    ("December 25th 2020", "2020-12-25", "2020-12-26"),
    ("the day before yesterday", "2026-03-10", "2026-03-11"),
    ("two weeks ago", "2026-02-26", "2026-02-27"),
    ("2 years and 3 months ago", "2023-12-12", "2023-12-13"),
    ("two or three weeks ago", "2026-02-19", "2026-02-27"),
    ("a couple of weeks ago", "2026-02-19", "2026-03-06"),
    ("in the last 3 days", "2026-03-09", "2026-03-13"),
    ("a month from today", "2026-04-12", "2026-04-13"),
    ("next spring", "2027-03-01", "2027-06-01"),
    ("this weekend", "2026-03-14", "2026-03-16"),
    ("on Monday last week", "2026-03-02", "2026-03-03"),
    ("second Monday in March 2025", "2025-03-10", "2025-03-11"),
    ("the last day of the month", "2026-03-31", "2026-04-01"),
    ("the week of 3 March 2025", "2025-03-03", "2025-03-10"),
    ("two weeks before August 11, 2025", "2025-07-28", "2025-07-29"),
    ("yesterday morning", "2026-03-11T05:00", "2026-03-11T12:00"),
    ("at 3pm on Friday", "2026-03-06T15:00", "2026-03-06T16:00"),
    ("music from the 90s", "1990-01-01", "2000-01-01"),
    ("what did I do over the weekend", "2026-03-07", "2026-03-09"),
    ("between 2 and 4pm yesterday", "2026-03-11T14:00", "2026-03-11T16:00"),
    ("since the beginning of the year", "2026-01-01", SO_FAR),
    ("Q1 to Q3 2024", "2024-01-01", "2024-10-01"),
    ("from October to January", "2025-10-01", "2026-02-01"),
    ("March 3-5, 2025", "2025-03-03", "2025-03-06"),
]
GERMAN: Cases = [
    ("Besprechung am 3. März 2025", "2025-03-03", "2025-03-04"),
    ("am 24.12. waren wir dort", "2025-12-24", "2025-12-25"),
    ("letzten Winter", "2025-12-01", "2026-03-01"),
    ("vor zwei Wochen", "2026-02-26", "2026-02-27"),
    ("in den letzten 3 Tagen", "2026-03-09", "2026-03-13"),
    ("gestern Abend", "2026-03-11T17:00", "2026-03-12"),
    ("am Freitag um 15 Uhr", "2026-03-06T15:00", "2026-03-06T16:00"),
    ("am kommenden Wochenende", "2026-03-14", "2026-03-16"),
    ("Ende des Monats", "2026-03-21", "2026-04-01"),
    ("14. Kalenderwoche 2025", "2025-03-31", "2025-04-07"),
    ("zwischen März und Mai 2024", "2024-03-01", "2024-06-01"),
    ("vom 3. bis 5. März 2025", "2025-03-03", "2025-03-06"),
    ("seit drei Tagen", "2026-03-09", SO_FAR),
    ("vor 2020", OPEN, "2020-01-01"),
    ("voriges Jahr im Sommer", "2025-06-01", "2025-09-01"),
    ("gestern von 9 bis 11 Uhr", "2026-03-11T09:00", "2026-03-11T11:00"),
]
FRENCH: Cases = [
    ("réunion du 3 mars 2025", "2025-03-03", "2025-03-04"),
    ("la semaine derniere", "2026-03-02", "2026-03-09"),
    ("l'été dernier", "2025-06-01", "2025-09-01"),
    ("il y a quelques jours", "2026-03-07", "2026-03-11"),
    ("ces 3 derniers jours", "2026-03-09", "2026-03-13"),
    ("hier soir", "2026-03-11T17:00", "2026-03-12"),
    ("vendredi à 15h30", "2026-03-06T15:30", "2026-03-06T16:30"),
    ("mi-mars 2025", "2025-03-11", "2025-03-21"),
    ("T3 2025", "2025-07-01", "2025-10-01"),
    ("du 3 au 5 mars 2025", "2025-03-03", "2025-03-06"),
    ("jusqu'en mars", OPEN, "2026-04-01"),
    ("hier de 14h à 16h", "2026-03-11T14:00", "2026-03-11T16:00"),
]
SPANISH: Cases = [
    ("reunión del 10 de julio de 2025", "2025-07-10", "2025-07-11"),
    ("el fin de semana pasado", "2026-03-07", "2026-03-09"),
    ("hace dos semanas", "2026-02-26", "2026-02-27"),
    ("los últimos 3 días", "2026-03-09", "2026-03-13"),
    ("mañana por la tarde", "2026-03-13T12:00", "2026-03-13T18:00"),
    ("a finales de marzo", "2026-03-21", "2026-04-01"),
    ("en los años 90", "1990-01-01", "2000-01-01"),
    ("de junio a agosto de 2024", "2024-06-01", "2024-09-01"),
    ("desde hace 3 días", "2026-03-09", SO_FAR),
]
ITALIAN: Cases = [
    ("lunedì scorso", "2026-03-09", "2026-03-10"),
    ("l'anno scorso", "2025-01-01", "2026-01-01"),
    ("qualche giorno fa", "2026-03-07", "2026-03-11"),
    ("quest'anno", "2026-01-01", "2027-01-01"),
    ("stamattina", "2026-03-12T05:00", "2026-03-12T12:00"),
    ("a fine mese", "2026-03-21", "2026-04-01"),
    ("tra marzo e maggio 2024", "2024-03-01", "2024-06-01"),
    ("dal 2019", "2019-01-01", SO_FAR),
]
PORTUGUESE: Cases = [
    ("3 de março de 2025", "2025-03-03", "2025-03-04"),
    ("segunda-feira passada", "2026-03-09", "2026-03-10"),
    ("o que aconteceu há 5 dias", "2026-03-07", "2026-03-08"),
    ("ontem à noite", "2026-03-11T18:00", "2026-03-12T06:00"),
    ("nos últimos 3 dias", "2026-03-09", "2026-03-13"),
    ("terceiro trimestre de 2025", "2025-07-01", "2025-10-01"),
]
DUTCH: Cases = [
    ("3 maart 2025", "2025-03-03", "2025-03-04"),
    ("een paar dagen geleden", "2026-03-07", "2026-03-11"),
    ("gisteravond", "2026-03-11T17:00", "2026-03-12"),
    ("volgende week dinsdag", "2026-03-17", "2026-03-18"),
    ("van 3 tot 5 maart 2025", "2025-03-03", "2025-03-06"),
    ("eind maart", "2026-03-21", "2026-04-01"),
]
RUSSIAN: Cases = [
    ("встреча 3 марта 2025 года", "2025-03-03", "2025-03-04"),
    ("на прошлой неделе", "2026-03-02", "2026-03-09"),
    ("неделю назад", "2026-03-05", "2026-03-06"),
    ("за последнюю неделю", "2026-03-05", "2026-03-13"),
    ("вчера вечером", "2026-03-11T17:00", "2026-03-12"),
    ("с 3 по 5 марта 2025", "2025-03-03", "2025-03-06"),
    ("третий квартал 2025", "2025-07-01", "2025-10-01"),
    ("в 90-е годы", "1990-01-01", "2000-01-01"),
]
ARABIC: Cases = [
    ("الأسبوع الماضي", "2026-03-02", "2026-03-09"),
    ("قبل ٣ أيام", "2026-03-09", "2026-03-10"),
    ("قبل أسبوعين", "2026-02-26", "2026-02-27"),
    ("٣ مارس ٢٠٢٥", "2025-03-03", "2025-03-04"),
    ("بين مارس ومايو 2024", "2024-03-01", "2024-06-01"),
    ("مساء أمس", "2026-03-11T17:00", "2026-03-12"),
    ("منذ 2019", "2019-01-01", SO_FAR),
]
CHINESE: Cases = [
    ("上周做了什么", "2026-03-02", "2026-03-09"),
    ("上周一", "2026-03-02", "2026-03-03"),
    ("二〇二四年三月", "2024-03-01", "2024-04-01"),
    ("２０２４年３月", "2024-03-01", "2024-04-01"),
    ("两三天前", "2026-03-09", "2026-03-11"),
    ("三个月前", "2025-12-12", "2025-12-13"),
    ("昨天下午三点半", "2026-03-11T15:30", "2026-03-11T16:30"),
    ("2025年第三季度", "2025-07-01", "2025-10-01"),
    ("3月3日到5日", "2026-03-03", "2026-03-06"),
    ("2019年以来", "2019-01-01", SO_FAR),
    ("年初", "2026-01-01", "2026-05-01"),
]
JAPANESE: Cases = [
    ("2025年3月3日の会議", "2025-03-03", "2025-03-04"),
    ("先週の月曜日", "2026-03-02", "2026-03-03"),
    ("数日前", "2026-03-07", "2026-03-11"),
    ("過去3日間", "2026-03-09", "2026-03-13"),
    ("昨夜", "2026-03-11T18:00", "2026-03-12T06:00"),
    ("去年の夏", "2025-06-01", "2025-09-01"),
    ("3月から5月まで", "2026-03-01", "2026-06-01"),
    ("先月末", "2026-02-21", "2026-03-01"),
]
KOREAN: Cases = [
    ("2025년 3월 3일", "2025-03-03", "2025-03-04"),
    ("지난 주말에", "2026-03-07", "2026-03-09"),
    ("일주일 전", "2026-03-05", "2026-03-06"),
    ("최근 3일간", "2026-03-09", "2026-03-13"),
    ("금요일 오후 3시", "2026-03-06T15:00", "2026-03-06T16:00"),
    ("작년 여름", "2025-06-01", "2025-09-01"),
    ("2019년부터 2021년까지", "2019-01-01", "2022-01-01"),
]
SMALLER: Cases = [
    ("för tre dagar sedan", "2026-03-09", "2026-03-10"),
    ("i slutet av mars", "2026-03-21", "2026-04-01"),
    ("forrige måned", "2026-02-01", "2026-03-01"),
    ("w zeszłym tygodniu", "2026-03-02", "2026-03-09"),
    ("w marcu 2024 roku", "2024-03-01", "2024-04-01"),
    ("минулого тижня", "2026-03-02", "2026-03-09"),
    ("üç gün önce", "2026-03-09", "2026-03-10"),
    ("2019'dan beri", "2019-01-01", SO_FAR),
]
FIGURES: Cases = [
    ("what did we decide in 2026-W14", "2026-03-30", "2026-04-06"),
    ("2026-W14-3", "2026-04-01", "2026-04-02"),
    ("week 14 of 2025", "2025-03-31", "2025-04-07"),
    ("KW 14", "2026-03-30", "2026-04-06"),
    ("Q3 2025", "2025-07-01", "2025-10-01"),
    ("H1 2025", "2025-01-01", "2025-07-01"),
    ("winter 2024/25", "2024-12-01", "2025-03-01"),
    ("2024-03", "2024-03-01", "2024-04-01"),
    ("2024/01/15", "2024-01-15", "2024-01-16"),
    ("15.01.2024", "2024-01-15", "2024-01-16"),
    ("15.01.24", "2024-01-15", "2024-01-16"),
    ("20240115", "2024-01-15", "2024-01-16"),
    ("2026-03-01T09:00", "2026-03-01T09:00", "2026-03-01T09:01"),
    ("2026-03-01T09:00:05+02:00", "2026-03-01T07:00:05", "2026-03-01T07:00:06"),
    ("March '24", "2024-03-01", "2024-04-01"),
    ("in 2024 we moved", "2024-01-01", "2025-01-01"),
]


def expected(start: str, end: str) -> tuple[datetime, datetime]:
    first, last = (datetime.fromisoformat(text).replace(tzinfo=UTC) for text in (start, end))
    return first, last


def read(query: str, now: datetime = NOW) -> tuple[datetime, datetime] | None:
    found = find_interval(query, now)
    return (found.start, found.end) if found else None


@pytest.mark.covers("GM-53")
@pytest.mark.parametrize(
    ("query", "start", "end"),
    [
        *ENGLISH,
        *GERMAN,
        *FRENCH,
        *SPANISH,
        *ITALIAN,
        *PORTUGUESE,
        *DUTCH,
        *RUSSIAN,
        *ARABIC,
        *CHINESE,
        *JAPANESE,
        *KOREAN,
        *SMALLER,
    ],
)
def test_a_phrase_becomes_the_interval_it_names(query: str, start: str, end: str) -> None:
    """A phrase of time in any of seventeen languages becomes dates, with the end exclusive."""
    assert read(query) == expected(start, end)


@pytest.mark.parametrize(("query", "start", "end"), FIGURES)
def test_figures_become_the_interval_they_name(query: str, start: str, end: str) -> None:
    """Dates in figures, ISO weeks, quarters, halves and timestamps are read as written."""
    assert read(query) == expected(start, end)


@pytest.mark.parametrize(
    ("query", "start", "end"),
    [
        ("since 2019", "2019-01-01", SO_FAR),
        ("until March", OPEN, "2026-04-01"),
        ("before 2020", OPEN, "2020-01-01"),
        ("after March 2025", "2025-04-01", SO_FAR),
        ("after tomorrow", "2026-03-14", END),
    ],
)
def test_an_open_interval_ends_at_now_or_at_the_sentinels(query: str, start: str, end: str) -> None:
    """What began goes up to now, the open past starts at EARLIEST, and what is yet to begin ends at
    LATEST.
    """
    assert read(query) == expected(start, end)


@pytest.mark.parametrize(
    "query",
    [
        "the day before Ana's birthday",
        "after the wedding",
        "two days before the wedding",
        "two days later",
        "the next day",
        "der Tag vor Annas Geburtstag",
        "la veille de l'anniversaire d'Ana",
        "el día antes del cumpleaños de Ana",
        "il giorno prima del compleanno di Ana",
        "за день до дня рождения Аны",
        "قبل زفاف آنا",
        "安娜生日的前一天",
        "アンナの誕生日の前日",
        "안나의 생일 전날",
    ],
)
def test_a_time_relative_to_an_unknown_event_is_left_alone(query: str) -> None:
    """Only the event's own date could tell, and the query does not have it."""
    assert find_interval(query, NOW) is None


@pytest.mark.parametrize(
    "query",
    [
        "may I ask a question",
        "she may have been right",
        "we should march on",
        "can you second that motion",
        "the cat sat in the sun",
        "spring boot configuration",
        "what does June like",
        "real estate listings",
        "mon ami",
        "guten Morgen",
        "vor allem",
        "j'ai été malade",
        "la segunda guerra",
        "mai dire mai",
        "a quarta versão",
        "до свидания",
        "日本語のテキスト",
        "上海的天气",
        "三年级",
        "월급",
    ],
)
def test_ordinary_words_are_no_times(query: str) -> None:
    """Words that can name a month, day or season are read as one only where they stand for one."""
    assert find_interval(query, NOW) is None


@pytest.mark.parametrize(
    "query",
    [
        "chunk size of 2000 tokens",
        "in 2000 tokens",
        "between 2000 and 3000 tokens",
        "since 1999 tokens",
        "2024",
        "error 2003",
        "room 2024",
        "version 2024.1",
        "3.5 days ago",
        "192.168.2024.1",
        "/data/2024-01-15/file",
        "https://example.com/2024/01/15/post",
        "99999999999",
        "2000个用户",
    ],
)
def test_figures_that_are_no_dates_are_left_alone(query: str) -> None:
    """Four figures are a year only where a word says so; versions, paths and counts are none."""
    assert find_interval(query, NOW) is None


@pytest.mark.parametrize(
    "query",
    [
        "31 february 2020",
        "0000-00-00",
        "2020-13-45",
        "january 0000",
        "0.5.2024",
        "2025-W60",
        "十亿年前",
    ],
)
def test_a_date_that_does_not_exist_names_no_time(query: str) -> None:
    """An impossible date is not cut down to its month or year."""
    assert find_interval(query, NOW) is None


@pytest.mark.parametrize(
    "query",
    [
        "once a week",
        "every day",
        "5 days a week",
        "for 3 days",
        "Mondays are bad",
        "every Monday",
        "jeden Montag",
        "tous les jours",
        "毎日",
        "每周一",
        "my first week at work",
    ],
)
def test_durations_and_habits_name_no_time(query: str) -> None:
    """How long and how often is not when."""
    assert find_interval(query, NOW) is None


@pytest.mark.parametrize("query", ["3:30pm", "noon", "at midnight", "um 15 Uhr"])
def test_a_time_of_day_without_a_day_names_no_time(query: str) -> None:
    """Any day has a noon."""
    assert find_interval(query, NOW) is None


@pytest.mark.parametrize(
    ("query", "day"),
    [("3/4/2025", "2025-04-03"), ("13/4/2025", "2025-04-13"), ("4/13/2025", "2025-04-13")],
)
def test_the_day_comes_first_unless_it_cannot(query: str, day: str) -> None:
    """An ambiguous date in figures is read with the day first; one that only has a month first,
    with the month first.
    """
    found = find_interval(query, NOW)

    assert found is not None
    assert found.start.date().isoformat() == day


@pytest.mark.parametrize(
    ("query", "start"),
    [
        ("December", "2025-12-01"),
        ("March 3rd", "2026-03-03"),
        ("April 3rd", "2025-04-03"),
        ("Thursday", "2026-03-05"),
        ("on the 31st", "2026-01-31"),
    ],
)
def test_an_open_year_month_or_week_means_the_latest(query: str, start: str) -> None:
    """Without a year, month or week the latest one that has begun is meant; a weekday is never
    today.
    """
    found = find_interval(query, NOW)

    assert found is not None
    assert found.start.date().isoformat() == start


@pytest.mark.parametrize(
    ("query", "start"),
    [
        ("last weekend", "2026-03-07"),
        ("this weekend", "2026-03-14"),
        ("next weekend", "2026-03-21"),
    ],
)
def test_on_a_sunday_this_weekend_is_still_this_one(query: str, start: str) -> None:
    """On the last day of a weekend, last and next count from that weekend."""
    found = find_interval(query, datetime(2026, 3, 15, 18, tzinfo=UTC))

    assert found is not None
    assert found.start.date().isoformat() == start


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("qu'ai-je fait hier", True),
        ("was haben wir hier besprochen", False),
        ("am Morgen", False),
        ("was ist morgen", True),
        ("wat doen we morgen", True),
    ],
)
def test_a_word_is_read_in_the_language_of_its_query(query: str, named: bool) -> None:
    """French "hier" and Dutch "morgen" are not read into German sentences."""
    assert (find_interval(query, NOW) is not None) == named


def test_the_first_of_several_expressions_counts() -> None:
    """Of two times the one that is named first is given, whole."""
    found = find_interval("what changed between Monday and Wednesday, not last year", NOW)

    assert found is not None
    assert (found.text, found.start.day, found.end.day) == ("between Monday and Wednesday", 9, 12)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("Was geschah am 3. März 2025?", "3. März 2025"),
        ("ﬁnd ２０２４年３月の記録", "２０２４年３月"),
        ("İstanbul'da geçen hafta", "geçen hafta"),
        ("re\u0301union du 3 mars 2025", "3 mars 2025"),
    ],
)
def test_the_span_says_which_characters_named_the_time(query: str, text: str) -> None:
    """Span and text point into the query as it was written, however its characters fold."""
    found = find_interval(query, NOW)

    assert found is not None
    assert query[slice(*found.span)] == found.text == text


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("schůzka 3. března 2025", "3. března 2025"),
        ("3 martie 2025", "3 martie 2025"),
        ("बैठक 3 मार्च 2025 को", "3 मार्च 2025"),
    ],
)
def test_full_dates_are_read_in_further_languages(query: str, text: str) -> None:
    """A day, month and year are understood in languages that have no grammar here."""
    found = find_interval(query, NOW)

    assert found == Interval(
        datetime(2025, 3, 3, tzinfo=UTC),
        datetime(2025, 3, 4, tzinfo=UTC),
        found.span if found else (0, 0),
        text,
    )


def test_days_are_days_of_the_askers_zone() -> None:
    """A day starts and ends at midnight where the asker is, also when the clocks change in it."""
    zone = ZoneInfo("Europe/Berlin")
    found = find_interval("am 29. März 2026", datetime(2026, 4, 1, 1, tzinfo=zone))

    assert found is not None
    assert found.end.astimezone(UTC) - found.start.astimezone(UTC) == timedelta(hours=23)


def test_today_is_the_askers_today() -> None:
    """At one moment it can be Thursday in one zone and Friday in another."""
    there = NOW.astimezone(timezone(timedelta(hours=12)))
    found = find_interval("today", there)

    assert found is not None
    assert found.start == datetime(2026, 3, 13, tzinfo=there.tzinfo)


def test_a_naive_now_is_refused() -> None:
    """Without a zone "today" has no meaning."""
    with pytest.raises(InvalidTime):
        find_interval("today", datetime(2026, 3, 12))


def test_only_the_beginning_of_a_huge_query_is_read() -> None:
    """Past the limit nothing is looked for, so that a pasted file costs no more than a page."""
    assert find_interval("x " * (READ_LIMIT // 2) + "yesterday", NOW) is None


@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                sorted({word for lexicon in lexicons().values() for word in lexicon.first_words()})
            ),
            st.sampled_from(
                [
                    "1",
                    "31",
                    "2024",
                    "0000",
                    "9999",
                    "99999",
                    "3.",
                    "2025-03-03",
                    "24.12.",
                    "-",
                    "/",
                    ",",
                    "'",
                    "15:30",
                    "第",
                    "\u0301",
                ]
            ),
        ),
        max_size=8,
    ),
    st.sampled_from([1, 2024, 9999]),
    st.sampled_from(["UTC", "America/New_York", "Pacific/Kiritimati"]),
)
def test_any_query_gives_an_ordered_interval_or_none(
    words: list[str], year: int, zone: str
) -> None:
    """Whatever the words and whenever now is: no error, start before end, both within the
    sentinels.
    """
    found = find_interval(" ".join(words), datetime(year, 12, 31, 23, tzinfo=ZoneInfo(zone)))

    assert found is None or EARLIEST <= found.start < found.end <= LATEST


def test_a_query_without_time_words_costs_under_50_microseconds() -> None:
    """Recall asks this of every query, and most of them name no time."""
    query = "explain the difference between world facts and experience facts in the store"
    find_interval(query, NOW)  # the word file is read once

    assert min(timeit.repeat(lambda: find_interval(query, NOW), number=200, repeat=5)) / 200 < 50e-6


def test_dateparser_is_not_loaded_for_known_languages() -> None:
    """It takes most of a second to load, so it waits for a date that needs it."""
    code = (
        "import sys, datetime; from omoide.text.times import find_interval; found ="
        " find_interval('am 3. März 2025', datetime.datetime.now(datetime.UTC)); print(found.text,"
        " 'dateparser' in sys.modules)"
    )
    told = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code],
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=60,
    )

    assert told.stdout.split() == ["3.", "März", "2025", "False"]
