"""What holds for all tests: Ctrl-C and a hang-up end programs, even where the tests run in the background.

A shell without job control, and nohup, start what runs in the background with these signals ignored, and every process
that a test starts would inherit that.
"""

import signal

signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
