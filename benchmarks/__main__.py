"""``python -m benchmarks`` takes all of our own figures."""

import sys

from benchmarks.figures import main

main(sys.argv[1:])
