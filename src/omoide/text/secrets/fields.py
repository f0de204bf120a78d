"""Secrets in fields: lines such as titles and tags, and nested JSON, where the name of a field
announces its value.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import lru_cache

from omoide.nouns.errors import InvalidInput
from omoide.nouns.metadata import Json
from omoide.text.secrets import find_secrets, mask_secrets
from omoide.text.secrets.labels import LOOSE, secret_of
from omoide.text.secrets.patterns import ID_KINDS
from omoide.text.secrets.values import Strength, is_random, is_stand_in, strength

_SHORTEST = 99  # no PIN is shorter than three digits
_NAMED_REACH = 512  # characters of a value that its field's name may say something about


def mask_line(text: str) -> str:
    """A short text with its secrets masked, for fields that keep no positions of marks."""
    return mask_secrets(text).text if text else text


@lru_cache(maxsize=4096)
def has_key(id: str) -> bool:
    """Whether an id is, or holds, what nothing but a key, token or password looks like.

    Ids are drawn at random too, so what may be one by chance does not count.
    """
    return bool(find_secrets(id, kinds=ID_KINDS))


def check_no_key(value: object, field: str) -> None:
    """That a setting holds no key: it is shown, logged and noted with calls as it is. The message
    does not repeat it.

    Raises:
        InvalidInput: it is, or holds, a key, token or password.
    """
    if has_key(str(value)):
        raise InvalidInput(
            field,
            "holds what looks like a key, token or password; take it out, and keep it with: omoide"
            " secret set NAME",
        )


def mask_name(name: str) -> str:
    """A name that nobody knows, as a message repeats it: masked where it may be a key, of whatever
    form.
    """
    return "[secret: api-key]" if is_random(name) else mask_line(name)


def mask_key(key: str) -> str:
    """An idempotency key; one with a secret in it becomes its fingerprint, which tells repetitions
    as well.
    """
    if not has_key(key):
        return key
    return f"fingerprint:{hashlib.blake2b(key.encode(), digest_size=16).hexdigest()}"


def mask_json(value: Json) -> Json:
    """JSON with its secrets masked, in values on every level and in keys; key order and all else
    stays.

    What a field named like a password or key holds is masked whole, such as ``{"db_password":
    "swordfish"}``; so is the value of ``{"name": "DB_PASSWORD", "value": "swordfish"}``. Keys that
    are equal once they are masked get numbers.
    """
    if isinstance(value, Mapping):
        named = value.get("name", value.get("key"))
        told = {"value": named} if isinstance(named, str) else {}
        masked: dict[str, Json] = {}
        for key, inner in value.items():
            masked[_free(mask_line(key), masked)] = _under(told.get(key, key), inner)
        return masked
    if isinstance(value, list | tuple):
        return [mask_json(inner) for inner in value]
    return mask_line(value) if isinstance(value, str) else value


def _free(key: str, taken: Mapping[str, Json]) -> str:
    number, free = 1, key
    while free in taken:
        number += 1
        free = f"{key} {number}"
    return free


def _under(name: str, value: Json) -> Json:
    """The value of a field of that name."""
    if isinstance(value, list | tuple):
        return [_under(name, inner) for inner in value]
    if isinstance(value, str):
        return _named(name, mask_line(value))
    if isinstance(value, int) and value > _SHORTEST:
        masked = _named(name, str(value))
        return value if masked == str(value) else masked
    return mask_json(value)


def _named(name: str, text: str) -> str:
    """The text of a field, of which its name may say that it is a secret."""
    if not text.strip() or len(text) > _NAMED_REACH or "[secret: " in name + text:
        return text
    kind = secret_of(name)
    if kind and not is_stand_in(text) and (kind not in LOOSE or strength(text) > Strength.PLAIN):
        return f"[secret: {kind}]"
    lead = f"{name}: "
    found = [one for one in find_secrets(lead + text) if one.start >= len(lead)]
    for one in reversed(found):
        text = f"{text[: one.start - len(lead)]}[secret: {one.kind}]{text[one.end - len(lead) :]}"
    return text
