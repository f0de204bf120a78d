"""Numbers that are written without spaces: in Chinese characters, and in the words of Thai."""

from __future__ import annotations

import re

DIGITS = {figure: value for value, figure in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
    "兩": 2,
}
POWERS = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "亿": 10**8, "億": 10**8}
NUMERALS = "".join((*DIGITS, *POWERS))

_THAI_DIGITS = {
    word: value for value, word in enumerate("ศูนย์ หนึ่ง สอง สาม สี่ ห้า หก เจ็ด แปด เก้า".split())
} | {"เอ็ด": 1, "ยี่": 2}
_THAI_POWERS = {
    word: 10**power for power, word in enumerate("สิบ ร้อย พัน หมื่น แสน ล้าน".split(), start=1)
}
_THAI_PART = re.compile("|".join((*_THAI_DIGITS, *_THAI_POWERS)))
THAI = re.compile(rf"(?:{_THAI_PART.pattern})+")


def value_of(numeral: str) -> int:
    """The number that Chinese characters write: 二〇二五, 三百五十, 一亿三千万."""
    if POWERS.keys().isdisjoint(numeral):
        return int("".join(str(DIGITS[character]) for character in numeral))
    total = section = digit = 0
    for character in numeral:
        power = POWERS.get(character, 0)
        if not power:
            digit = DIGITS[character]
        elif power < 10_000:
            section, digit = section + (digit or 1) * power, 0
        elif power > total:
            total, section, digit = (total + section + digit or 1) * power, 0, 0
        else:
            total, section, digit = total + (section + digit or 1) * power, 0, 0
    return total + section + digit


def shortened(numeral: str) -> int:
    """The same for a numeral that leaves out its last power: 九万八 is 98,000."""
    value, power = value_of(numeral), POWERS.get(numeral[-2:-1], 0)
    if numeral[-1] not in DIGITS or power < 100:
        return value
    return value + (power // 10 - 1) * DIGITS[numeral[-1]]


def in_thai(words: str) -> tuple[int, int, int]:
    """What a number in Thai words says, what it says where its last power is left out (สองแสนห้า is
    250,000), and its count of words.
    """
    parts = _THAI_PART.findall(words)
    total, digit, power = 0, 0, 1
    for part in parts:
        if part in _THAI_DIGITS:
            digit = _THAI_DIGITS[part]
            continue
        power = _THAI_POWERS[part]
        total = (total + digit) * power if power == 10**6 else total + (digit or 1) * power
        digit = 0
    short = digit * power // 10 if power >= 100 else digit
    return total + digit, total + short, len(parts)
