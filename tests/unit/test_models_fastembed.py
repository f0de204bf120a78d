"""What FastEmbed's absence or a wrong path gives. With the library installed, a model it cannot
find offline.
"""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from omoide.models.embedders.fastembed import FastEmbed
from omoide.nouns.errors import InvalidInput, MissingExtra, ModelError


@pytest.mark.covers("LS-37")
def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message is the command that brings it."""
    monkeypatch.setitem(sys.modules, "fastembed", None)

    with pytest.raises(MissingExtra, match=r"pip install .*\[fastembed\]'"):
        FastEmbed("BAAI/bge-small-en-v1.5")


@pytest.mark.skipif(find_spec("fastembed") is None, reason="the fastembed extra is not installed")
def test_nothing_is_downloaded(tmp_path: Path) -> None:
    """A model whose files are not on this machine is an error, not a download; so is a name nobody
    knows.
    """
    with pytest.raises(ModelError, match="fastembed:BAAI"):
        FastEmbed("BAAI/bge-small-en-v1.5", path=str(tmp_path))
    with pytest.raises(ModelError, match="not supported"):
        FastEmbed("no/such-model")
    with pytest.raises(InvalidInput, match="folder"):
        FastEmbed("BAAI/bge-small-en-v1.5", path=str(tmp_path / "absent"))
