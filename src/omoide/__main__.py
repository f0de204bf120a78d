"""``python -m omoide`` and ``omoide`` are the command line."""

from __future__ import annotations

import sys

STOPPED = 130


def main() -> None:
    """Run a command. Ctrl-C ends it with one line from the first import on."""
    try:
        from omoide.cli import main as command_line

        command_line()
    except KeyboardInterrupt:
        sys.stderr.write("omoide: stopped\n")
        sys.exit(STOPPED)


if __name__ == "__main__":
    main()
