"""What the steps with applications of others share: the server, one browser, and a user."""

import json
import os
import sys
import uuid

sys.dont_write_bytecode = True
_BROWSER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [_BROWSER, os.path.dirname(_BROWSER)]

from browser import PASSWORD, PATIENCE, Browser, Callback, Person, Server, quiet_port, stop, totp  # noqa: E402,F401
from peer_steps import expect, expect_raises, run_steps, step  # noqa: E402,F401

server = Server(*sys.argv[1:4])
browser = Browser()
callback = Callback()


def discovered():
    status, metadata = server.ask("/.well-known/openid-configuration")
    expect(status == 200, status, metadata)
    return metadata


def fresh_user():
    """An account of its own for a step."""
    email = f"u{uuid.uuid4().hex[:12]}@example.com"
    return email, server.account(email, name="Ada Lovelace")


def register(name, *arguments):
    """Registers an application by the command line, and gives its client id and what was printed."""
    return json.loads(server.run("app", "add", "--id", name, *arguments, "--json"))


def allow(person, address, email, consents=True):
    """Opens an application's request, signs in where that is asked, allows it, and gives where the browser was led."""
    person.tab.goto(address)
    if person.kind == "sign-in":
        person.sign_in(email)
    if person.kind == "consent":
        expect(consents, "an application of our own asked for consent")
        person.press("button[value=allow]")
    return person.tab.url
