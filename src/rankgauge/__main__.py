"""`python -m rankgauge`, and the console script."""

import signal
import sys


def console() -> int:
    """Run the command line.

    While modules are imported and when the command is done, Ctrl-C ends the process without a traceback.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from rankgauge.cli.main import console

    return console()


if __name__ == "__main__":
    sys.exit(console())
