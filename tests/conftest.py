"""What holds for all tests.

Ctrl-C and a hang-up end programs, even where the tests run in the background: a shell without job control, and nohup,
start what runs in the background with these signals ignored, and every process that a test starts would inherit that.
No example of Hypothesis has a deadline, as no test depends on how fast the machine is.
"""

import signal

from hypothesis import HealthCheck, settings

settings.register_profile("any machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
