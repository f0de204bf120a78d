"""Keys of models' providers: kept in a keyring or in a file of the user's own, and found where the
environment has none.
"""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from omoide import Memory
from omoide.nouns.errors import InvalidInput, ModelError, NotFound
from omoide.settings.keys import FILE, KeptIn, Keys, find_key

NAME, KEY = "OPENAI_API_KEY", "sk-kept-4711"


class FakeRing:
    """A keyring in memory, which may be locked."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}
        self.locked = False

    def set_password(self, service: str, username: str, password: str) -> None:
        self._check(password)
        self.kept[service, username] = password

    def get_password(self, service: str, username: str) -> str | None:
        self._check(username)
        return self.kept.get((service, username))

    def delete_password(self, service: str, username: str) -> None:
        self._check(username)
        del self.kept[service, username]

    def _check(self, what: str) -> None:
        if self.locked:
            raise RuntimeError(f"locked, asked about {what}")


@pytest.mark.covers("AD-9")
def test_without_a_keyring_a_key_is_in_a_file_of_its_owner_alone(tmp_path: Path) -> None:
    """Made so from its first byte on, in a folder that may not be there yet."""
    keys = Keys(tmp_path / "home")

    assert keys.set(NAME, f" {KEY}\n") is KeptIn.FILE

    assert stat.S_IMODE((tmp_path / "home" / FILE).stat().st_mode) == 0o600
    assert [file.name for file in (tmp_path / "home").iterdir()] == [FILE]
    assert (keys.get(NAME), keys.names()) == (KEY, {NAME: KeptIn.FILE})
    keys.remove(NAME)
    assert (keys.get(NAME), keys.names()) == ("", {})
    assert KEY not in (tmp_path / "home" / FILE).read_text()
    with pytest.raises(NotFound, match=NAME):
        keys.remove(NAME)


@pytest.mark.covers("AD-9")
def test_a_keyring_goes_before_the_file(tmp_path: Path) -> None:
    """The file then says only that there is a key; the next one, given without a keyring, takes its
    place.
    """
    ring = FakeRing()
    keys = Keys(tmp_path, ring)

    assert keys.set(NAME, KEY) is KeptIn.KEYRING
    assert KEY not in (tmp_path / FILE).read_text()
    assert (keys.get(NAME), keys.names(), list(ring.kept.values())) == (
        KEY,
        {NAME: KeptIn.KEYRING},
        [KEY],
    )
    keys.remove(NAME)
    assert (ring.kept, keys.names()) == ({}, {})


def test_a_keyring_that_is_locked_gives_nothing_away(tmp_path: Path) -> None:
    """What it says of its trouble is not repeated; a key that it does not take is in the file, and
    that is told.
    """
    ring = FakeRing()
    keys = Keys(tmp_path, ring)
    keys.set(NAME, KEY)
    ring.locked = True

    for act in (keys.get, keys.remove):
        with pytest.raises(InvalidInput, match="unlock it") as caught:
            act(NAME)
        assert caught.value.__cause__ is caught.value.__context__ is None
    assert keys.names() == {NAME: KeptIn.KEYRING}
    assert keys.set("OTHER_KEY", KEY) is KeptIn.FILE


@pytest.mark.parametrize(
    ("name", "key"),
    [
        (NAME, ""),
        (NAME, "a\nb"),
        (NAME, "schlüssel"),
        (NAME, "x" * 9000),
        ("a b", KEY),
        ("OMOIDE_LLM", KEY),
    ],
)
def test_what_can_be_no_key_is_refused_and_not_repeated(
    name: str, key: str, tmp_path: Path
) -> None:
    """Nor what can be no name of one; a setting is none."""
    with pytest.raises(InvalidInput) as caught:
        Keys(tmp_path).set(name, key)

    assert not key or key not in str(caught.value)
    assert not (tmp_path / FILE).exists()


@pytest.mark.covers("AD-9")
def test_the_environment_goes_before_what_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By any of a provider's names; where neither has one, there is none."""
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    place = {"OMOIDE_HOME": str(tmp_path)}
    assert find_key((NAME,), place) == ""
    Keys(tmp_path).set("GEMINI_API_KEY", KEY)

    assert find_key(("GOOGLE_API_KEY", "GEMINI_API_KEY"), place) == KEY
    assert (
        find_key(
            ("GOOGLE_API_KEY", "GEMINI_API_KEY"), {**place, "GOOGLE_API_KEY": "from-environment"}
        )
        == "from-environment"
    )
    assert find_key((NAME,), place) == ""


@pytest.mark.covers("AD-9")
def test_a_memory_of_another_home_finds_the_keys_that_are_kept_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it is open, and no other; where two are that keep different ones, neither is taken."""
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.null.Keyring")
    monkeypatch.setenv("OMOIDE_HOME", str(tmp_path / "usual"))
    monkeypatch.delenv(NAME, raising=False)
    for home in ("usual", "anas", "bens"):
        Keys(tmp_path / home).set(NAME, f"{KEY}-{home}")

    with Memory.open(home=tmp_path / "anas", embedder=None, background=False):
        assert find_key((NAME,)) == f"{KEY}-anas"
        with (
            Memory.open(home=tmp_path / "bens", embedder=None, background=False),
            pytest.raises(ModelError, match="several home") as caught,
        ):
            find_key((NAME,))
        assert KEY not in str(caught.value)
        assert find_key((NAME,)) == f"{KEY}-anas"
    assert find_key((NAME,)) == f"{KEY}-usual"


def test_a_file_that_cannot_be_read_is_named_and_not_written_over(tmp_path: Path) -> None:
    """A model that needs it fails as a model does."""
    (tmp_path / FILE).write_text("{broken")

    with pytest.raises(InvalidInput, match=FILE):
        Keys(tmp_path).set(NAME, KEY)
    with pytest.raises(ModelError, match=FILE):
        find_key((NAME,), {"OMOIDE_HOME": str(tmp_path)})
    assert (tmp_path / FILE).read_text() == "{broken"
