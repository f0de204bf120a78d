"""What the demo asks, and what must be among the hits it shows."""

from __future__ import annotations

from datetime import datetime

from omoide.nouns.record.frozen import frozen_record

# a Saturday; when the questions are asked
NOW = datetime.fromisoformat("2025-06-07T10:00:00+01:00")


@frozen_record
class DemoQuestion:
    """A question, who asks it, and the turns (``session#key``) and notes (``job``, or ``job 1`` for
    its first version) that answer it; none: it is not held."""

    asks: str  # callum, ines, or family: both, in the chat they share
    text: str
    about: str  # what it shows
    answers: tuple[str, ...] = ()
    as_of: datetime | None = None
    limit: int = 2


TEN = (
    DemoQuestion(
        asks="callum",
        text="Where does Callum work?",
        about="a fact that changed, as it is now",
        answers=("job",),
        limit=1,
    ),
    DemoQuestion(
        asks="callum",
        text="Where does Callum work?",
        about="the same as of 15 February",
        answers=("job 1",),
        as_of=datetime.fromisoformat("2025-02-15T12:00:00+00:00"),
        limit=1,
    ),
    DemoQuestion(
        asks="family",
        text="What did we decide in March?",
        about="a time in the question",
        answers=("family#kitchen_en", "family#bike", "family#school_en"),
        limit=7,
    ),
    DemoQuestion(
        asks="ines",
        text="A que é que a Lia é alérgica?",
        about="a belief that was corrected",
        answers=("allergy",),
    ),
    DemoQuestion(
        asks="ines",
        text="Quando é o ensaio da orquestra?",
        about="a habit that moved",
        answers=("rehearsal",),
    ),
    DemoQuestion(
        asks="callum",
        text="What was the fix for E_TILE_409?",
        about="an identifier",
        answers=("callum/0204#tilefix",),
        limit=1,
    ),
    DemoQuestion(
        asks="ines",
        text="E a Pimenta?",
        about="somebody named: the cat",
        answers=("food", "carrier"),
        limit=3,
    ),
    DemoQuestion(
        asks="callum",
        text="What have I lent to Rui?",
        about="one answer in two sessions, two months apart",
        answers=("callum/0211#drill", "callum/0415#roofbox"),
    ),
    DemoQuestion(
        asks="family",
        text="How much is the rent on Rua dos Moinhos?",
        about="a number",
        answers=("family#rent",),
        limit=1,
    ),
    DemoQuestion(
        asks="callum", text="What is Inês's blood type?", about="something nobody ever said"
    ),
)
HELD = 0.5  # from here on Omoide says that it holds an answer

SURPRISE = (
    "What is Callum giving Inês for the anniversary?"  # told in a private session of Callum's
)
REGRETTED = "What did they offer?"  # answered in a session that is then forgotten
