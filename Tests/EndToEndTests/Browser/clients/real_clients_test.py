"""Applications of others, unmodified, against a Countersign under --dev, through Debian's Chromium.

Usage: real_clients_test.py BASE EXECUTABLE DATA STEPS...   (`authlib` for `authlib_steps`; all without a name)

Prints a line for each step and ends with status 1 at the first that does not hold.
"""

import importlib
import os
import sys
import traceback

sys.dont_write_bytecode = True

from context import browser, run_steps  # noqa: E402

# Those that move the server's clock come last.
for name in sys.argv[4:] or ["authlib", "oauth2client", "django", "apache", "tokens", "registration", "waiting"]:
    importlib.import_module(f"{name}_steps")

try:
    with browser:
        run_steps()
except BaseException:
    # Threads of a client that waits for its user would keep a process that failed.
    traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(1)
