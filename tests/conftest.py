"""Lists the fixture plugins: one file by subject, ``tests/fix_<subject>.py``. Holds no fixture
itself.
"""

from __future__ import annotations

from pathlib import Path

pytest_plugins = [f"tests.{path.stem}" for path in sorted(Path(__file__).parent.glob("fix_*.py"))]
