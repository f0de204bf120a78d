"""``python -m omoide`` is the command line."""

from omoide.cli import main

main()
