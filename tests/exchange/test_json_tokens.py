"""Our own reader of JSON tokens, beside the standard library."""

from __future__ import annotations

import io
import json
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from omoide.exchange.jsonstream import JsonReader
from omoide.exchange.jsontokens import events
from omoide.exchange.problems import BrokenFile

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


class Dripping(io.BytesIO):
    """A file of which three bytes are read at a time, so that tokens are cut everywhere."""

    def read(self, size: int | None = -1, /) -> bytes:
        """The next three bytes."""
        return super().read(3)


@pytest.fixture(autouse=True)
def without_ijson(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if the extra were not installed."""
    monkeypatch.setitem(sys.modules, "ijson", None)


@settings(max_examples=150)
@given(VALUES, st.sampled_from([None, 2]), st.booleans())
def test_any_value_is_read_as_the_standard_library_reads_it(
    value: object, indent: int | None, ascii: bool
) -> None:
    """However it is laid out, and wherever pieces end."""
    data = json.dumps(value, indent=indent, ensure_ascii=ascii).encode(errors="surrogatepass")
    assert JsonReader(Dripping(data)).value() == json.loads(data)


BROKEN = [
    *("", " ", "{", "[", "[1", "[1,", "[1,]", "{,}", '{"a"}', '{"a":}', '{"a":1,}', "{1:2}"),
    *("]", "[1}", "[1]2", "1 2", "tru", "[nulll]", '"abc', "[01e]", "[-]", "{'a':1}", "[1 2]", ","),
]


@pytest.mark.parametrize("text", BROKEN)
def test_what_is_no_json_is_broken(text: str) -> None:
    """With a typed error."""
    with pytest.raises(BrokenFile):
        list(events(Dripping(text.encode())))
