"""``python -m omoide.demo`` runs the demo; with ``capture`` the one of learning from talk, with
``--all`` after it in full.
"""

from __future__ import annotations

import sys

from omoide.demo import capture, run
from omoide.demo.show import Stage, console_for
from omoide.nouns.errors import OmoideError


def main() -> int:
    """Run the demo; the exit code."""
    try:
        stage = Stage(console_for(sys.stdout))
        capture.run(stage, whole="--all" in sys.argv) if sys.argv[1:2] == ["capture"] else run(
            stage
        )
    except OmoideError as error:
        print(f"omoide: {error}", file=sys.stderr)  # noqa: T201 - a person reads this
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    return 0


sys.exit(main())
