"""What no test may do: touch the real home, leave this machine, or hang.

The environment is redirected before the first test, so that code which asks for the user's folders
gets temporary ones. An audit hook stands behind that: it refuses a forbidden call and remembers it,
so that the test fails even where the code under test swallowed the refusal.
"""

from __future__ import annotations

import ipaddress
import json
import os
import shutil
import socket
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path

import hypothesis
import platformdirs
import pytest
from hypothesis.configuration import set_hypothesis_home_dir

APP = "omoide"
FOLDER_VARIABLES = (
    "HOME",
    "XDG_DATA_HOME",
    "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME",
    "XDG_STATE_HOME",
    "OMOIDE_HOME",
)
PATH_EVENTS = frozenset(
    {
        "open",
        "os.mkdir",
        "os.rename",
        "os.remove",
        "os.rmdir",
        "os.link",
        "os.symlink",
        "os.truncate",
        "os.chmod",
    }
)
LIMIT_S = 300
KEY_ENDINGS = ("_API_KEY", "_AUTH_TOKEN", "_ACCESS_TOKEN")


def real_folders() -> tuple[str, ...]:
    """Where Omoide keeps a user's files on this machine, before anything is redirected."""
    dirs = platformdirs.PlatformDirs(APP, False)
    found = {
        dirs.user_data_dir,
        dirs.user_config_dir,
        dirs.user_cache_dir,
        dirs.user_state_dir,
        dirs.user_log_dir,
    }
    found |= {str(Path.home() / f".{APP}"), os.environ.get("OMOIDE_HOME", "")}
    return tuple(sorted(os.path.abspath(folder) for folder in found if folder))


# A worker process of the test runner starts in the redirected environment, so it is told by its
# parent.
REAL_FOLDERS = tuple(
    json.loads(os.environ.setdefault("OMOIDE_TESTS_REAL_FOLDERS", json.dumps(real_folders())))
)
offences: list[str] = []  # what the hook refused since the last test ended
ENDED = threading.Event()  # the tests are over: no hook can be taken away


class Refused(OSError):
    """A test tried to leave its sandbox."""


def is_loopback(host: object) -> bool:
    """This machine and nothing else; no host at all means this machine too."""
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
    if name in (
        None,
        "",
        "localhost",
        "0.0.0.0",
        "::",
    ):  # the last two only ever as an address to listen on
        return True
    try:
        return ipaddress.ip_address(str(name).partition("%")[0]).is_loopback
    except ValueError:
        return False


def leaves_the_machine(event: str, args: tuple[object, ...]) -> str | None:
    """The host a socket call would reach, if it is not this machine."""
    if event in ("socket.getaddrinfo", "socket.gethostbyname"):
        host = args[0]
    elif event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        sock, address = args[0], args[1]
        if not isinstance(sock, socket.socket) or sock.family not in (
            socket.AF_INET,
            socket.AF_INET6,
        ):
            return None
        host = address[0] if isinstance(address, tuple) else None
    else:
        return None
    return None if is_loopback(host) else str(host)


def touches_the_home(event: str, args: tuple[object, ...]) -> str | None:
    """The path a file call would touch, if it lies in a real folder of Omoide's."""
    if event not in PATH_EVENTS:
        return None
    for path in args[:2]:
        if isinstance(path, (str, bytes)):
            full = os.path.abspath(os.fsdecode(path))
            if any(full == folder or full.startswith(folder + os.sep) for folder in REAL_FOLDERS):
                return full
    return None


def starts_outside(event: str, args: tuple[object, ...]) -> str | None:
    """The program that would start in an environment whose home is the real one: no hook watches it
    there.
    """
    if event != "subprocess.Popen":
        return None
    environment = args[3]
    if not isinstance(environment, Mapping):  # none given: it inherits the redirected one
        return None
    home = environment.get("HOME")
    above = os.path.join(os.path.abspath(str(home)), "")
    return (
        None
        if home and not any(folder.startswith(above) for folder in REAL_FOLDERS)
        else str(args[0])
    )


def guard(event: str, args: tuple[object, ...], ended: threading.Event = ENDED) -> None:
    """The audit hook. When Python ends, nothing of this module is left but its arguments."""
    if ended.is_set():
        return
    host = leaves_the_machine(event, args) if event.startswith("socket.") else None
    path = touches_the_home(event, args)
    program = starts_outside(event, args)
    if host:
        offence = f"{event} to {host}: tests reach no other machine"
    elif path:
        offence = f"{event} on {path}: tests leave the real home alone"
    elif program:
        offence = f"{program} started without the test's HOME: give it env={{**os.environ, ...}}"
    else:
        return
    offences.append(offence)
    raise Refused(offence)


def pytest_configure(config: pytest.Config) -> None:
    """Redirect the environment for fixtures that outlive a test, and make property tests
    repeatable: the same examples every time, or those of ``--hypothesis-seed=N``.
    """
    base = tempfile.mkdtemp(prefix="omoide-tests-")
    config.add_cleanup(lambda: shutil.rmtree(base, ignore_errors=True))
    for name in FOLDER_VARIABLES:
        os.environ[name] = os.path.join(base, name.lower())
        os.mkdir(os.environ[name])
    for name in [name for name in os.environ if name.endswith(KEY_ENDINGS)]:
        del os.environ[name]
    set_hypothesis_home_dir(os.path.join(base, "hypothesis"))
    hypothesis.settings.register_profile(
        "ci",
        derandomize=config.getoption("--hypothesis-seed") is None,
        database=None,
        deadline=None,
        print_blob=True,
    )
    hypothesis.settings.load_profile("ci")
    sys.addaudithook(guard)


def pytest_unconfigure() -> None:
    """Let Python end as it will."""
    ENDED.set()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Longer time limits are for torture at full length: elsewhere a test that hangs is stopped
    soon.
    """
    if os.environ.get("OMOIDE_TORTURE") == "full":
        return
    for item in items:
        limit = item.get_closest_marker("timeout")
        if limit and limit.args[0] > LIMIT_S:
            item.add_marker(pytest.mark.timeout(LIMIT_S), append=False)


@pytest.fixture(autouse=True)
def sandbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A home of its own for each test, and its failure if it left it."""
    home = tmp_path / "home"
    home.mkdir()
    for name in FOLDER_VARIABLES:
        monkeypatch.setenv(name, str(home if name == "HOME" else home / name.lower()))
    offences.clear()
    yield home
    told = list(offences)
    offences.clear()
    assert not told, told
