"""``python -m omoide.demo`` runs the demo."""

from __future__ import annotations

import sys

from omoide.demo import run
from omoide.demo.show import Stage, console_for
from omoide.errors import OmoideError


def main() -> int:
    """Run the demo; the exit code."""
    try:
        run(Stage(console_for(sys.stdout)))
    except OmoideError as error:
        print(f"omoide: {error}", file=sys.stderr)  # noqa: T201 - a person reads this
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    return 0


sys.exit(main())
