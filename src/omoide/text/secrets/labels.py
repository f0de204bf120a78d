"""What the name of a field says of its value: that it is a password or key, whatever it looks
like.
"""

from __future__ import annotations

import re

from omoide.text.secrets import words

LOOSE = frozenset({"secret"})  # names that much else goes by: only what looks like a secret is one
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_GAP = re.compile(r"[\W_]+")
_KEY = re.compile(
    r"(?:api|access|secret|private|auth|client|signing|encryption|master|service|account|storage|shared|deploy|license|"
    r"ssh|gpg|pgp|webhook|hmac) key"
    r"|(?:access|auth|refresh|api|bearer|id|session|csrf|xsrf|personal|bot|user|oauth|security|device|service|deploy|verification|"
    r"github|gitlab|slack|npm) token"
    r"|(?:client|app|shared|api|consumer|webhook|signing|jwt|oauth|totp|otp|mfa|session|cookie)"
    r" secret"
    r"|secret|apikey|apisecret|authtoken|accesstoken|privatekey|secretkey|accesskey|authorization|connection"
    r" string|credentials?"
)
_PASSWORDS = re.compile(
    "|".join(
        re.escape(stem) + rest
        for stem, rest in words.PASSWORD_NAMES
        if stem not in ("pass", "clave", "pw", "sandi")
    )
    + r"|pass ?w(?:or[dt]e?[nrst]?|d)|pass ?phrases?|pass ?code|pwd|pw"
)


def secret_of(name: str) -> str | None:
    """What kind of secret a field of that name holds, whatever it looks like; None: it may hold
    anything.
    """
    parts = _GAP.sub(" ", _HUMP.sub(" ", name)).lower().strip().split(" ")
    if parts == ["pwd"]:
        return None  # a folder as well
    for size in range(min(4, len(parts)), 0, -1):
        tail = " ".join(parts[-size:])
        if _PASSWORDS.fullmatch(tail):
            return "password"
        if _KEY.fullmatch(tail):
            return "secret" if tail in ("secret", "credential", "credentials") else "api-key"
    return None
