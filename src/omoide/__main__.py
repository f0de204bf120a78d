"""``python -m omoide`` and ``omoide`` are the command line."""

from __future__ import annotations

import atexit
import gc
import sys

STOPPED = 130
# objects made before garbage is looked for, more than a recall makes; and how often in older ones
SELDOM = (300_000, 20, 20)


def main() -> None:
    """Run a command. Ctrl-C ends it with one line from the first import on."""
    _spare_collections()
    try:
        from omoide.cli import main as command_line

        command_line()
    except KeyboardInterrupt:
        sys.stderr.write("omoide: stopped\n")
        sys.exit(STOPPED)


def _spare_collections() -> None:
    """Look for garbage seldom, and not at the end: nearly all that a command makes is what it
    imports, which stays. Looking through that took a quarter of the processor time of a recall.
    """
    gc.set_threshold(*SELDOM)
    atexit.register(gc.freeze)


if __name__ == "__main__":
    main()
