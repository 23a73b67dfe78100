"""The command ``probfs``, and ``python -m probfs``."""

import os
import signal


def _leave_at_once(number: int, frame: object) -> None:
    os._exit(128 + number)


def main() -> None:
    """Run the command line."""
    # As long as modules are being imported there is nothing to tidy up, and a traceback would help nobody.
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _leave_at_once)
    from probfs.cli import main

    main()


if __name__ == "__main__":
    main()
