"""The strategy ``profile``: bounded in every unit, the most important first, and told."""

from __future__ import annotations

from omoide.context.budget import Budget, Unit
from omoide.context.material import Material
from omoide.context.profile import user_profile
from omoide.context.result import Context
from omoide.nouns.reflection import Profile
from omoide.text.tokens import count_tokens
from tests.fix_memory import NINE

LONG = " ".join(f"Ana likes tea number {n} and tells a long story about it." for n in range(40))


def profiled(lines: tuple[str, ...], budget: Budget) -> Context:
    """The context of a profile of these lines."""
    profile = Profile(lines=lines, items=(), made_at=NINE, degraded=("profile: no model",))
    return user_profile(Material(now=NINE, profile=profile), budget)


def test_bullets_have_a_size_too() -> None:
    """However long the lines are, twenty bullets take what twenty do in ordinary writing; the most
    important stay, each cut, and it is said how many do not fit.
    """
    lines = tuple(f"Line {n}. {LONG}" for n in range(20))

    made = profiled(lines, Budget(20, Unit.BULLETS))

    shown = [line for line in made.text.splitlines() if line.startswith("- ")]
    assert 4 <= len(shown) < 20
    assert sum(count_tokens(line) for line in shown) <= 800
    assert made.degraded == (
        "profile: no model",
        f"profile: {20 - len(shown)} lines left out to fit the budget",
    )


def test_one_bullet_shows_something_of_a_long_line() -> None:
    """A line that is larger than the whole budget is cut, not left out."""
    made = profiled((LONG,), Budget(1, Unit.BULLETS))

    assert made.text.count("\n- Ana likes tea") == 1
    assert count_tokens(made.blocks[0].text) <= 40
    assert made.degraded == ("profile: no model",)


def test_short_lines_are_all_told() -> None:
    """A profile of ordinary lines stands there whole, in its order, and nothing is said."""
    lines = tuple(f"Ana likes tea number {n}" for n in range(20))

    made = profiled(lines, Budget(20, Unit.BULLETS))

    assert [line[2:] for line in made.blocks[0].text.splitlines()] == list(lines)
    assert made.degraded == ("profile: no model",)
