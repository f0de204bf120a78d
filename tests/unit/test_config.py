"""Settings: where they come from, and what is refused."""

from __future__ import annotations

import dataclasses
from datetime import timedelta
from pathlib import Path

import pytest

from omoide.nouns.errors import InvalidInput, UnknownName
from omoide.nouns.scope import Scope
from omoide.settings.config import SECRETS, Config, home_folder, load_config, write_setting
from omoide.settings.retention import Retention


def home(tmp_path: Path, text: str) -> Path:
    """A home folder with a settings file."""
    (tmp_path / "config.toml").write_text(text, "utf-8")
    return tmp_path


def test_arguments_beat_the_environment_and_that_the_file(tmp_path: Path) -> None:
    """Strongest first; what nobody sets has its default."""
    folder = home(tmp_path, 'user = "file"\nagent = "file"\ncontext = "file"\n')

    config = load_config({"OMOIDE_USER": "env", "OMOIDE_AGENT": "env"}, home=folder, user="given")

    assert (config.user, config.agent, config.context, config.tenant) == (
        "given",
        "env",
        "file",
        "default",
    )


@pytest.mark.covers("LS-69")
def test_an_unknown_setting_is_refused(tmp_path: Path) -> None:
    """In the file or as an argument, with what it may have been meant as; none quietly does
    nothing.
    """
    with pytest.raises(UnknownName, match="embedder"):
        load_config({}, home=home(tmp_path, 'embeder = "static"\n'))
    with pytest.raises(UnknownName, match="user"):
        load_config({}, home=tmp_path / "none", usr="ana")


@pytest.mark.covers("AD-12")
@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_in_the_file_is_refused(name: str, tmp_path: Path) -> None:
    """It belongs in the environment, and the error names the variable, not the secret."""
    with pytest.raises(InvalidInput, match=f"OMOIDE_{name.upper()}") as caught:
        load_config({}, home=home(tmp_path, f'{name} = "hunter2"\n'))
    assert "hunter2" not in str(caught.value)
    assert (
        load_config({f"OMOIDE_{name.upper()}": "hunter2"}, home=tmp_path / "x").passphrase
        == "hunter2"
    )


@pytest.mark.covers("AD-12")
def test_showing_a_config_shows_no_secret() -> None:
    """Nor the store's address, which may hold a password."""
    shown = repr(Config(passphrase="hunter2", store="postgresql://u:hunter2@h/db"))

    assert "hunter2" not in shown
    assert "embedder" in shown


@pytest.mark.covers("LS-69")
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("durability", "none"),
        ("background", "perhaps"),
        ("user", 3),
        ("embedder", True),
        ("spend_limit", "much"),
        ("spend_limit", -1),
        ("spend_limit", True),
        ("llm_timeout_s", "nan"),
        ("llm_timeout_s", "inf"),
        ("token_limit", -1),
        ("token_limit", "1.5"),
        ("token_limit", True),
        ("prices", "m=1"),
        ("llm_timeout_s", 0),
        ("upkeep", "61 * * * *"),
        ("upkeep", "0 0 31 2 *"),
        ("upkeep", "nightly"),
        ("zone", "Mars"),
        ("upkeep", ""),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused(name: str, value: object) -> None:
    """The error names the setting."""
    with pytest.raises(InvalidInput, match=name):
        load_config({}, **{name: value})


@pytest.mark.parametrize(
    ("name", "value", "instead"),
    [
        ("archive_for", "0d", "give at least 1s; what is to be gone at once is for forget"),
        ("archive_for", "0s", "give at least 1s"),
        ("archive_for", "-1d", "must be a time such as 90s, 30m, 2h or 1d"),
        ("archive_for", "999999d", "over a hundred years"),
        ("prune_after", "0d", "leave it empty, so that nothing is pruned"),
        ("prune_after", "-90d", "must be a time such as"),
        ("capture", "idle=999999d", "over a hundred years"),
        ("catch_up", "-2d", "must be a time such as"),
    ],
)
def test_a_time_that_keeps_nothing_or_ends_never_is_refused(
    name: str, value: str, instead: str, tmp_path: Path
) -> None:
    """With what to give instead; neither loading nor writing takes it."""
    with pytest.raises(InvalidInput, match=f"{name}: .*{instead}"):
        load_config({}, home=tmp_path, **{name: value})
    with pytest.raises(InvalidInput, match=name):
        write_setting(tmp_path / "config.toml", name, value)


def test_code_that_gives_such_a_time_is_refused_as_well() -> None:
    """Where a memory is opened with how long things are kept."""
    with pytest.raises(InvalidInput, match=r"prune_after: must be longer than no time"):
        Retention(prune_after=timedelta())
    with pytest.raises(InvalidInput, match=r"archive_for: must be longer than no time"):
        Retention(archive_for=timedelta(seconds=-1))


def test_an_amount_can_be_written_in_any_way(tmp_path: Path) -> None:
    """Whole or not, as text or as a number."""
    path = home(tmp_path, "spend_limit = 2\nllm_timeout_s = 30.5\n")

    assert [load_config({}, home=path).spend_limit, load_config({}, home=path).llm_timeout_s] == [
        2.0,
        30.5,
    ]
    assert load_config({"OMOIDE_SPEND_LIMIT": "0.75"}, home=path).spend_limit == 0.75


@pytest.mark.parametrize("text", ["user = ", "[user", "\udcff"])
def test_an_unreadable_file_is_refused(text: str, tmp_path: Path) -> None:
    """With its path."""
    (tmp_path / "config.toml").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(InvalidInput, match=r"config\.toml"):
        load_config({}, home=tmp_path)


def test_every_setting_can_come_from_the_environment(tmp_path: Path) -> None:
    """By its name in capitals."""
    given = {
        "OMOIDE_BACKGROUND": "no",
        "OMOIDE_DURABILITY": "relaxed",
        "OMOIDE_HOME": str(tmp_path),
    }

    config = load_config(given)

    assert (config.background, config.durability, config.home) == (False, "relaxed", tmp_path)


@pytest.mark.covers("CX-3", "GM-186", "AD-31", "LS-84")
def test_the_store_has_its_own_folder_and_file(tmp_path: Path) -> None:
    """memory.db in the home folder, wherever that is set to be; nothing else is shared with it."""
    assert home_folder({"OMOIDE_HOME": str(tmp_path)}) == tmp_path
    assert load_config({}, home=tmp_path).store_url == str(tmp_path / "memory.db")
    assert load_config({}, home=tmp_path, store="other.db").store_url == "other.db"
    assert home_folder({}).name == "omoide"


@pytest.mark.covers("CX-19")
def test_a_single_user_is_one_configuration() -> None:
    """Calls that name no scope act in the configured one."""
    assert Config(user="ana", tenant="t", agent="a", context="work").scope == Scope(
        tenant="t", user="ana", agent="a", context="work"
    )
    assert Config().scope == Scope()


def test_settings_are_frozen() -> None:
    """A running memory's settings do not change under it."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        Config().user = "ben"  # type: ignore[misc]


def test_writing_a_setting_leaves_the_rest_of_the_file(tmp_path: Path) -> None:
    """Comments, order and other settings stay; a setting that is there is replaced, or taken
    out.
    """
    path = home(tmp_path, '# mine\nuser = "ana"  # me\nbackground = false') / "config.toml"

    write_setting(path, "agent", 'say "hi"\\')
    write_setting(path, "user", "zoë")
    assert (
        path.read_text("utf-8")
        == '# mine\nbackground = false\nagent = "say \\"hi\\"\\\\"\nuser = "zoë"\n'
    )
    assert load_config({}, home=tmp_path).agent == 'say "hi"\\'

    write_setting(path, "user", None)
    write_setting(path, "background", "yes")
    config = load_config({}, home=tmp_path)
    assert (config.user, config.background) == ("", True)


@pytest.mark.parametrize(
    ("text", "name", "value", "said"),
    [
        ("", "usr", "ana", "user"),
        ("", "passphrase", "x", "OMOIDE_PASSPHRASE"),
        ("", "home", "/x", "OMOIDE_HOME"),
        ("", "durability", "none", "full or relaxed"),
        ("", "context", "", "context: must not be empty"),
        ('user = """\nana\n"""', "user", "ben", "by hand"),
        ("user = ", "agent", "ben", "not TOML"),
    ],
)
def test_what_cannot_be_written_leaves_the_file_as_it_is(
    text: str, name: str, value: str, said: str, tmp_path: Path
) -> None:
    """And the error says why."""
    path = home(tmp_path, text) / "config.toml"

    with pytest.raises(InvalidInput, match=said):
        write_setting(path, name, value)

    assert path.read_text("utf-8") == text


def test_the_home_folder_does_not_stand_in_its_own_file(tmp_path: Path) -> None:
    """It would have no effect there, so it is refused."""
    with pytest.raises(InvalidInput, match="OMOIDE_HOME"):
        load_config({}, home=home(tmp_path, 'home = "/elsewhere"\n'))


PASTED = "sk-proj-" + "aB3dE5fG7hJ9kL1mN2pQ4rS6tU8v"


@pytest.mark.parametrize(
    "name",
    [
        "llm",
        "llm_slow",
        "llm_for",
        "embedder",
        "reranker",
        "steering",
        "strategy",
        "prices",
        "upkeep",
        "spend_limit",
    ],
)
@pytest.mark.parametrize("value", [PASTED, f"openai:{PASTED}", f"condense=openai:{PASTED}"])
def test_a_key_in_a_setting_is_refused_and_not_repeated(
    name: str, value: str, tmp_path: Path
) -> None:
    """Settings are shown, logged and noted with calls; who pasted a key is told where keys are
    kept. Written it is not.
    """
    with pytest.raises(InvalidInput, match=f"{name}: .*omoide secret") as loaded:
        load_config({f"OMOIDE_{name.upper()}": value}, home=tmp_path)
    with pytest.raises(InvalidInput, match="omoide secret") as written:
        write_setting(tmp_path / "config.toml", name, value)

    assert PASTED not in f"{loaded.value}{written.value}"
    assert not (tmp_path / "config.toml").exists()


@pytest.mark.parametrize(
    "model",
    [
        "openai:ft:gpt-4o-mini-2024-07-18:org:name:AbCd1234",
        "vllm:M?api_key_env=MY_API_KEY",
        "ollama:qwen3:30b-a3b-instruct-2507-q4_K_M",
    ],
)
def test_a_long_name_of_a_model_is_no_key(model: str, tmp_path: Path) -> None:
    """Nor is the name of a variable that holds one."""
    assert load_config({"OMOIDE_LLM": model}, home=tmp_path).llm == model


def test_an_address_of_a_store_may_hold_a_password(tmp_path: Path) -> None:
    """It is shown without."""
    assert (
        load_config({}, home=tmp_path, store="postgresql://ana:hunter2x9@h/db").store_url
        == "postgresql://ana:hunter2x9@h/db"
    )
