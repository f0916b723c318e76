"""`python -m rankgauge` is `rankgauge`."""

import sys

from rankgauge.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
