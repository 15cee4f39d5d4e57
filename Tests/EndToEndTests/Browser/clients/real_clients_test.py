"""Applications of others, unmodified, against a Countersign under --dev, through Debian's Chromium.

Usage: real_clients_test.py BASE EXECUTABLE DATA

Prints a line for each step and ends with status 1 at the first that does not hold.
"""

import sys

sys.dont_write_bytecode = True

from context import browser, run_steps  # noqa: E402
import authlib_steps  # noqa: E402,F401
import oauth2client_steps  # noqa: E402,F401
import django_steps  # noqa: E402,F401
import apache_steps  # noqa: E402,F401
import tokens_steps  # noqa: E402,F401
import waiting_steps  # noqa: E402,F401

with browser:
    run_steps()
