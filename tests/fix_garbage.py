"""Python's garbage collector leaves alone what all tests share.

Modules, tests and their parameters are millions of objects that stay to the end. Looking through
them again and again took as long as some hundred tests.
"""

from __future__ import annotations

import gc
from collections.abc import Generator

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect tests without looking for garbage, and never look through them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
