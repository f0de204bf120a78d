"""WhatsApp exports."""

from __future__ import annotations

import codecs
import json
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from omoide.exchange import ImportOptions, detect_format, read_export
from omoide.exchange.formats.whatsapp_lines import Layout, find_header
from omoide.nouns.errors import InvalidInput
from omoide.nouns.turn import Role
from tests.exchange.exports import FIXTURES, read, read_one, sample, texts, written, zipped

ZONE = "Europe/Berlin"
LAYOUTS = {  # one moment, 31 December 2021 22:05, as phones of many languages write it
    "31/12/2021, 22:05 - ": "dmy",
    "31/12/21 22:05 - ": "dmy",
    "12/31/21, 10:05 PM - ": "mdy",
    "12/31/21, 10:05\u202fPM - ": "mdy",
    "31.12.21, 22:05 - ": "dmy",
    "31-12-2021 22:05 - ": "dmy",
    "31/12/2021 10:05 p. m. - ": "dmy",
    "31/12/21, 10:05 p.\xa0m. - ": "dmy",
    "31/12/2021 à 22:05 - ": "dmy",
    "31.12.2021 klo 22.05 - ": "dmy",
    "31.12.21 um 22:05 - ": "dmy",
    "31.12.2021 г., 22:05 ч. - ": "dmy",
    "2021-12-31 22:05 - ": "ymd",
    "2021-12-31 22 h 05 - ": "ymd",
    "2021-12-31T22:05 - ": "ymd",
    "2021/12/31, 22:05 - ": "ymd",
    "2021/12/31 下午10:05 - ": "ymd",
    "2021年12月31日 22:05 - ": "ymd",
    "2021. 12. 31. 오후 10:05 - ": "ymd",
    "2021. 12. 31. 22:05 - ": "ymd",
    "31/12/2564 22:05 - ": "dmy",
    "\u200f٣١\u200f/١٢\u200f/٢٠٢١، ١٠:٠٥ م - ": "dmy",
    "31/12/2021, 10:05 μ.μ. - ": "dmy",
    "31.12.2021 ÖS 10:05 - ": "dmy",
    "[31/12/2021, 22:05:00] ": "dmy",
    "\u200e[31.12.21, 22:05:00] ": "dmy",
    "[12/31/21, 10:05:00\u202fPM] ": "mdy",
    "[31/12/21 22:05] ": "dmy",
    "[2021-12-31, 22:05:00] ": "ymd",
    "[2021/12/31 下午10:05:00] ": "ymd",
    "[22:05, 31/12/2021] ": "dmy",
    "[10:05 PM, 12/31/2021] ": "mdy",
    "[22:05:00, 31.12.21] ": "dmy",
    "22:05, 31/12/2021 - ": "dmy",
    "10:05 p. m., 31/12/21 - ": "dmy",
    "22:05 2021-12-31 - ": "ymd",
}


def chat(path: Path, *lines: str) -> Path:
    return written(path / "WhatsApp Chat with Bo.txt", "\n".join(lines))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_known_layout_is_understood(layout: str) -> None:
    """Clocks of 12 and 24 hours, brackets, dots, dashes, words, marks of direction and other
    digits.
    """
    header = find_header(f"{layout}Bo: hi")

    assert header is not None
    assert Layout(LAYOUTS[layout], header.style).when(header) == datetime(2021, 12, 31, 22, 5)
    assert f"{layout}Bo: hi"[header.end :] == "Bo: hi"


@pytest.mark.parametrize(
    "line",
    [
        "hello",
        "12:30 - lunch?",
        "call 01/02/21 at noon",
        "1/2/3 and 4:05",
        "",
        "[1] see 2.3.2021",
        "- 31/12/2021, 22:05",
    ],
)
def test_other_lines_are_no_header(line: str) -> None:
    """Text that merely has numbers in it goes on with the message before."""
    assert find_header(line) is None


def test_midnight_and_noon_on_a_12_hour_clock() -> None:
    """12 AM is 0, 12 PM is 12, and 00:08 a. m. stays as it is."""
    hours = {
        "12:08 AM": 0,
        "12:08 PM": 12,
        "00:08 a. m.": 0,
        "1:08 PM": 13,
        "11:08 PM": 23,
        "13:08 PM": 13,
    }
    for written_as, hour in hours.items():
        header = find_header(f"31/12/21, {written_as} - Bo: x")
        assert header is not None
        when = Layout("dmy", header.style).when(header)
        assert when is not None
        assert (when.hour, when.minute) == (hour, 8)


def test_day_and_month_are_told_apart_by_a_day_over_12(tmp_path: Path) -> None:
    """Wherever in the file it stands."""
    day_first = read_one(
        chat(tmp_path / "a", "01/02/24, 10:00 - Bo: one", "13/02/24, 10:00 - Bo: two"), zone=ZONE
    )
    month_first = read_one(
        chat(tmp_path / "b", "01/02/24, 10:00 - Bo: one", "01/13/24, 10:00 - Bo: two"), zone=ZONE
    )

    assert [str(m.at)[:10] for m in day_first.messages] == ["2024-02-01", "2024-02-13"]
    assert [str(m.at)[:10] for m in month_first.messages] == ["2024-01-02", "2024-01-13"]


def test_day_and_month_are_told_apart_by_the_order_of_messages(tmp_path: Path) -> None:
    """Time does not run backwards."""
    found = read_one(
        chat(
            tmp_path,
            "05/01/24, 10:00 - Bo: a",
            "07/01/24, 10:00 - Bo: b",
            "02/02/24, 10:00 - Bo: c",
        ),
        zone=ZONE,
    )

    assert [str(m.at)[:10] for m in found.messages] == ["2024-01-05", "2024-01-07", "2024-02-02"]


def test_dates_that_can_be_read_both_ways_are_asked_about(tmp_path: Path) -> None:
    """The question names the option; the answer is taken, and one that cannot be is refused."""
    open_question = chat(tmp_path / "a", "01/02/24, 10:00 - Bo: one", "03/04/24, 10:00 - Bo: two")
    clear = chat(tmp_path / "b", "13/02/24, 10:00 - Bo: one")

    for path, answer in ((open_question, None), (clear, False)):
        with pytest.raises(InvalidInput) as asked:
            read(path, zone=ZONE, day_first=answer)
        assert asked.value.field == "day_first"
    assert [
        str(m.at)[5:10] for m in read_one(open_question, zone=ZONE, day_first=True).messages
    ] == ["02-01", "04-03"]
    assert [
        str(m.at)[5:10] for m in read_one(open_question, zone=ZONE, day_first=False).messages
    ] == ["01-02", "03-04"]


def test_dates_that_mean_the_same_both_ways_are_no_question(tmp_path: Path) -> None:
    """5 May is 5 May."""
    assert (
        len(
            read_one(
                chat(tmp_path, "05/05/24, 10:00 - Bo: a", "06/06/24, 10:00 - Bo: b"), zone=ZONE
            ).messages
        )
        == 2
    )


def test_the_zone_is_asked_for_and_kept(tmp_path: Path) -> None:
    """Never silently UTC; an unknown zone is refused; summer time is minded."""
    path = chat(tmp_path, "13/01/24, 10:00 - Bo: winter", "13/07/24, 10:00 - Bo: summer")

    for zone in (None, "Mars/Olympus", "../../etc/passwd", "Europe"):
        with pytest.raises(InvalidInput) as asked:
            read_export(path, ImportOptions(zone=zone))
        assert asked.value.field == "zone"
    assert [m.at.isoformat()[10:] for m in read_one(path, zone=ZONE).messages if m.at] == [
        "T10:00:00+01:00",
        "T10:00:00+02:00",
    ]


def test_the_hour_that_occurs_twice(tmp_path: Path) -> None:
    """When clocks go back, the messages that seem to step back are in the second hour."""
    lines = [
        f"27/10/24, {time} - Bo: {n}"
        for n, time in enumerate(("02:50", "02:55", "02:05", "02:10", "03:00"))
    ]

    found = read_one(chat(tmp_path, *lines), zone=ZONE)

    times = [m.at.timestamp() for m in found.messages if m.at]
    assert times == sorted(times)
    assert [
        m.at.utcoffset() == ZoneInfo(ZONE).utcoffset(datetime(2024, 7, 1))
        for m in found.messages
        if m.at
    ] == [True, True, False, False, False]


def test_messages_of_several_lines_stay_whole(tmp_path: Path) -> None:
    """Empty lines, indents, other separators and lines that look a bit like headers belong to the
    text.
    """
    text = "first\n\n  second: 10:30\u2028still second\n1. third"

    found = read_one(
        chat(tmp_path, f"13/01/24, 10:00 - Bo: {text}", "14/01/24, 10:00 - Ana: next"), zone=ZONE
    )

    assert texts(found.messages) == [text, "next"]


def test_notices_media_deletions_and_edits(tmp_path: Path) -> None:
    """What WhatsApp wrote itself is a system message or counted; captions, file names and edits are
    kept.
    """
    found = read_one(
        chat(
            tmp_path,
            "13/01/24, 10:00 - Messages and calls are end-to-end encrypted. Tap to learn more.",
            '13/01/24, 10:01 - Ana changed the subject from "a: b" to "c"',
            "13/01/24, 10:02 - Bo: <Media omitted>",
            "13/01/24, 10:03 - Bo: <省略多媒体文件>",
            "13/01/24, 10:04 - Bo: This message was deleted",
            "13/01/24, 10:05 - Bo: \u200eIMG-20240113-WA0001.jpg (file attached)",
            "13/01/24, 10:06 - Bo: IMG-20240113-WA0002.jpg (archivo adjunto)",
            "our cat",
            "13/01/24, 10:07 - Bo: see you at 6 <This message was edited>",
            "13/01/24, 10:08 - Bo: read report.pdf (very good)",
            "13/01/24, 10:09 - Bo: I <3 this & <b>",
            "13/01/24, 10:10 - +49 171 000: who? http://x.org/a:b",
        ),
        zone=ZONE,
    )

    assert [(m.role, m.speaker, m.text) for m in found.messages] == [
        (Role.SYSTEM, "system", "Messages and calls are end-to-end encrypted. Tap to learn more."),
        (Role.SYSTEM, "system", 'Ana changed the subject from "a: b" to "c"'),
        (Role.USER, "Bo", "our cat"),
        (Role.USER, "Bo", "see you at 6"),
        (Role.USER, "Bo", "read report.pdf (very good)"),
        (Role.USER, "Bo", "I <3 this & <b>"),
        (Role.USER, "+49 171 000", "who? http://x.org/a:b"),
    ]
    assert found.messages[2].metadata == {"attachments": [{"name": "IMG-20240113-WA0002.jpg"}]}
    assert found.messages[3].metadata == {"edited": True}
    assert found.metadata["left_out"] == {"attachment": 3, "deleted": 1}


def test_what_somebody_writes_in_brackets_is_no_note(tmp_path: Path) -> None:
    """Notes of WhatsApp have their words, in whatever language."""
    found = read_one(
        chat(
            tmp_path,
            "13/01/24, 10:00 - Bo: <scratches his head>",
            "13/01/24, 10:01 - Bo: <вздыхает и уходит>",
            "13/01/24, 10:02 - Bo: <Мултимедията е пропусната>",
            "13/01/24, 10:03 - Bo: <Multimedijalni sadržaj izostavljen>",
            "13/01/24, 10:04 - Bo: <ละเว้นสื่อ>",
            "13/01/24, 10:05 - Bo: <Se omitió multimedia>",
            "13/01/24, 10:06 - Bo: <Medya atlanmış>",
            "13/01/24, 10:07 - Bo: <媒體檔案已略去>",
        ),
        zone=ZONE,
    )

    assert texts(found.messages) == ["<scratches his head>", "<вздыхает и уходит>"]
    assert found.metadata["left_out"] == {"attachment": 6}


@pytest.mark.parametrize(
    ("shown", "hour"),
    [
        ("10:01 e pasdites", 22),
        ("10:01 e paradites", 10),
        ("10:01 ከሰዓት", 22),
        ("plkst. 22:01", 22),
        ("10:01 بعدازظهر", 22),
        ("下晝10:01", 22),
    ],
)
def test_halves_of_a_day_in_rarer_languages(shown: str, hour: int, tmp_path: Path) -> None:
    """Known, so that no hour is taken as it is written."""
    found = read_one(chat(tmp_path, f"31.12.2024, {shown} - Bo: hi"), zone=ZONE)

    assert [message.at.hour for message in found.messages if message.at] == [hour]


def test_the_form_of_iphones(tmp_path: Path) -> None:
    """Direction marks before notices and media, unknown people with a tilde, captions before the
    file.
    """
    found = read_one(
        zipped(
            tmp_path / "WhatsApp Chat - Family.zip",
            {
                "_chat.txt": "\r\n".join(
                    [
                        (
                            "[13.01.24, 10:00:00] Family: \u200eMessages and calls are end-to-end"
                            " encrypted."
                        ),
                        "\u200e[13.01.24, 10:00:01] Bo: \u200eimage omitted",
                        (
                            "\u200e[13.01.24, 10:00:02] Bo: \u200e<attached:"
                            " 00000012-PHOTO-2024-01-13.jpg>"
                        ),
                        "[13.01.24, 10:00:03] ~\u202fAna: hello",
                        "\u200e[13.01.24, 10:00:04] Bo: look \u200e<Anhang: 00000013-PHOTO.jpg>",
                        "[13.01.24, 10:00:05] Bo: fixed \u200e<Diese Nachricht wurde bearbeitet.>",
                        "[13.01.24, 10:00:06] Bo: \u200eLocation: https://maps.example/?q=1,2",
                    ]
                ),
                "00000013-PHOTO.jpg": b"\xff\xd8",
            },
        ),
        zone=ZONE,
    )

    assert found.title == "Family"
    assert [(m.role.value, m.speaker, m.text) for m in found.messages] == [
        ("system", "system", "Messages and calls are end-to-end encrypted."),
        ("user", "Ana", "hello"),
        ("user", "Bo", "look"),
        ("user", "Bo", "fixed"),
        ("user", "Bo", "Location: https://maps.example/?q=1,2"),
    ]
    assert found.messages[2].metadata["attachments"] == [{"name": "00000013-PHOTO.jpg"}]


def test_ids_do_not_depend_on_how_the_file_lies_around(tmp_path: Path) -> None:
    """Alone, in a zip or in a folder, read again, downloaded twice: the same conversation and
    keys.
    """
    text = "13/01/24, 10:00 - Bo: ok\n13/01/24, 10:00 - Bo: ok\n13/01/24, 10:00 - Bo: ok"
    name = "WhatsApp Chat with Bo.txt"
    places = [
        written(tmp_path / name, text),
        written(tmp_path / "WhatsApp Chat with Bo (1).txt", text),
        written(tmp_path / "folder" / name, text).parent,
        zipped(tmp_path / "a.zip", {name: text}),
        zipped(tmp_path / "WhatsApp Chat with Bo.zip", {"_chat.txt": text}),
    ]

    found = [read_one(place, zone=ZONE) for place in places]

    assert all(conversation == found[0] for conversation in found)
    assert len({m.key for m in found[0].messages}) == 3


def test_the_user_is_the_named_participant(tmp_path: Path) -> None:
    """Whatever the case; everyone else stays without a user id."""
    found = read_one(
        chat(tmp_path, "13/01/24, 10:00 - Bo: a", "13/01/24, 10:01 - Ana Lima: b"),
        zone=ZONE,
        me="ana lima",
        user="u1",
    )

    assert [(p.name, p.user) for p in found.participants] == [("Bo", None), ("Ana Lima", "u1")]
    assert [m.user for m in found.messages] == [None, "u1"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be"])
def test_other_encodings_are_read(tmp_path: Path, encoding: str) -> None:
    """With and without byte order mark."""
    path = written(tmp_path / "chat.txt", "13/01/24, 10:00 - Zoë: 好的 😀".encode(encoding))

    assert [(m.speaker, m.text) for m in read_one(path, zone=ZONE).messages] == [("Zoë", "好的 😀")]


def test_broken_lines_are_named(tmp_path: Path) -> None:
    """Impossible dates, bytes that are no text, lines before the first message; the rest is
    read.
    """
    path = written(
        tmp_path / "chat.txt",
        b"stray\n13/01/24, 10:00 - Bo: a\n32/13/24, 10:00 - Bo: b\n14/01/24, 25:00 - Bo:"
        b" c\n15/01/24, 10:00 - Bo: \xff\xfe d\n",
    )

    conversations, problems = read(path, zone=ZONE)

    assert [texts(c.messages) for c in conversations] == [["a", "ÿþ d"]]
    assert [p.place for p in problems] == [
        "chat.txt: line 3",
        "chat.txt: line 4",
        "chat.txt",
        "chat.txt",
    ]


def test_an_unknown_word_beside_the_time_is_reported(tmp_path: Path) -> None:
    """Hours may then be off by twelve, so it is said."""
    _, problems = read(chat(tmp_path, "13/01/24, 10:00 xyz - Bo: a"), zone=ZONE)

    assert [p.what for p in problems] == [
        "'xyz' beside the time is not known; hours are taken as written"
    ]


def test_texts_sent_in_a_chat_are_no_chats(tmp_path: Path) -> None:
    """Of several text files only those that begin like a chat are read."""
    path = zipped(
        tmp_path / "x.zip", {"_chat.txt": "13/01/24, 10:00 - Bo: a", "poem.txt": "roses\nare red"}
    )

    assert detect_format(path) == "whatsapp"
    assert texts(read_one(path, zone=ZONE).messages) == ["a"]


@given(
    st.datetimes(min_value=datetime(2010, 1, 1), max_value=datetime(2039, 1, 1)),
    st.sampled_from(["%d/%m/%Y, %H:%M", "%m/%d/%y, %I:%M %p", "%Y-%m-%d %H:%M"]),
)
def test_any_time_survives_writing_and_reading(moment: datetime, form: str) -> None:
    """To the minute, in three common layouts."""
    header = find_header(f"{moment.strftime(form)} - Bo: x")

    assert header is not None
    order = {"%d": "dmy", "%m": "mdy", "%Y": "ymd"}[form[:2]]
    assert Layout(order, header.style).when(header) == moment.replace(second=0, microsecond=0)


def test_the_fixtures_read_whole() -> None:
    """Chats in five languages: counts and first speakers."""
    paths = sorted((FIXTURES / "whatsapp").glob("*.txt"))
    assert len(paths) == 5
    for path in paths:
        found = read_one(path, zone="Europe/Lisbon", day_first=None)
        assert [m.role.value for m in found.messages] == ["system", "user", "user"], path.name
        assert found.metadata["left_out"] == {"attachment": 1}, path.name


def test_the_samples_give_their_expected_answers() -> None:
    """Five public layouts, each against the same list of messages that came with them."""
    folder = sample("whatsapp-telegram_chat-miner/whatsapp")
    expected = sorted(
        (m["timestamp"], m["author"], m["message"])
        for m in json.loads((folder / "target.json").read_text("utf-8"))
    )
    files = sorted(folder.glob("*.txt"))
    assert len(files) == 5
    for path in files:
        found = read_one(path, zone=ZONE)
        said = [m for m in found.messages if m.role is Role.USER and m.at]
        got = sorted(
            (m.at.replace(tzinfo=None).isoformat(), m.speaker, m.text.replace("\n", " "))
            for m in said
            if m.at
        )
        assert got == expected, path.name


def test_a_byte_order_mark_alone_is_an_empty_file(tmp_path: Path) -> None:
    """Nothing to import, and said so."""
    conversations, problems = read(
        written(tmp_path / "chat.txt", codecs.BOM_UTF8), zone=ZONE, format="whatsapp"
    )

    assert not conversations
    assert len(problems) == 1
