"""A real browser for the tests of pages and of applications: Debian's Chromium, driven by Playwright.

One Chromium serves a whole program; a person is a context of it, with cookies of their own.
"""

import base64
import contextlib
import datetime
import hashlib
import hmac
import json
import os
import random
import re
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from playwright.sync_api import sync_playwright

PASSWORD = "four separate long words"
PHONE = "8E2D0F6C-0B8E-4F7B-9B5E-0D4B1F1C7B11"
OWNER = {"Authorization": "Bearer owner"}
# Seconds in which anything happens that is waited for, on a machine that does much else.
PATIENCE = 300

# A program that a thread of the tests starts has that thread's signals, which may all be blocked: what is started here would not end.
signal.pthread_sigmask(signal.SIG_SETMASK, ())


def stop(process):
    """Ends a program, whatever it makes of being asked."""
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def quiet_port():
    """A port for a program that takes one by number. The system gives those from 32,768 on to whoever asks for any, and to connections;
    from 18,000 on other tests have theirs."""
    while True:
        port = random.SystemRandom().randrange(16_000, 18_000)
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port


class Server:
    """A Countersign under --dev: what a test needs beside its pages."""

    def __init__(self, base, executable=None, data=None):
        self.base, self.executable, self.data = base, executable, data
        self._applications = set()

    def ask(self, path, body=None, form=None, headers=None, method=None):
        """A status and what was answered, read as JSON where it is JSON."""
        headers = dict(headers or {})
        data = None
        if body is not None:
            data, headers["Content-Type"] = json.dumps(body).encode(), "application/json"
        if form is not None:
            data = urllib.parse.urlencode(form).encode()
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        request = urllib.request.Request(urllib.parse.urljoin(self.base, path), data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as response:
                status, text = response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            status, text = error.code, error.read().decode()
        try:
            return status, json.loads(text)
        except ValueError:
            return status, text

    def run(self, *arguments):
        """Runs the program's own command on the server's data, and gives what it says."""
        ran = subprocess.run(
            [self.executable, *arguments, "--dev", "--data", self.data], capture_output=True, text=True,
            timeout=2 * PATIENCE)
        if ran.returncode != 0:
            raise AssertionError(f"countersign {' '.join(arguments)}: {ran.stdout}{ran.stderr}")
        return ran.stdout

    def account(self, email, password=PASSWORD, name=None, verified=True):
        """A user with a password and, unless said otherwise, a verified address; gives its ID token and id."""
        status, made = self.ask(
            "/v1/accounts:signUp?key=dev-app",
            {"email": email, "password": password, "displayName": name, "returnSecureToken": True})
        assert status == 200, (status, made)
        if not verified:
            return made
        status, answer = self.ask(
            "/identitytoolkit.googleapis.com/v1/projects/countersign/accounts:update",
            {"localId": made["localId"], "emailVerified": True}, headers=OWNER)
        assert status == 200, (status, answer)
        return made

    def authenticator(self, made):
        """Enrols a TOTP by Identity Toolkit's API, and gives its secret."""
        status, signed_in = self.ask(
            "/v1/accounts:signInWithPassword?key=dev-app",
            {"email": made["email"], "password": PASSWORD, "returnSecureToken": True})
        assert status == 200, signed_in
        status, begun = self.ask(
            "/v2/accounts/mfaEnrollment:start?key=dev-app",
            {"idToken": signed_in["idToken"], "totpEnrollmentInfo": {}})
        assert status == 200, begun
        info = begun["totpSessionInfo"]
        status, done = self.ask(
            "/v2/accounts/mfaEnrollment:finalize?key=dev-app",
            {"idToken": signed_in["idToken"], "displayName": "phone", "totpVerificationInfo": {
                "sessionInfo": info["sessionInfo"],
                "verificationCode": totp(info["sharedSecretKey"], self.now())}})
        assert status == 200, done
        return info["sharedSecretKey"]

    def now(self):
        """The server's time in seconds: tests move its clock."""
        return datetime.datetime.fromisoformat(self.advance(0).replace("Z", "+00:00")).timestamp()

    def advance(self, seconds):
        status, answer = self.ask("/dev/clock", {"advanceSeconds": seconds})
        assert status == 200, answer
        return answer["now"]

    def code_mailed_to(self, address):
        """The newest code to an address."""
        return self._mailed_to(address, "code")

    def link_mailed_to(self, address):
        """The newest link to an address, as a path."""
        return self._mailed_to(address, "link").removeprefix(self.base)

    def _mailed_to(self, address, what):
        for _ in range(PATIENCE * 20):
            status, inbox = self.ask("/dev/inbox.json")
            assert status == 200, inbox
            found = [m["payload"][what] for m in inbox["messages"] if m["to"] == address and what in m["payload"]]
            if found:
                return found[-1]
            time.sleep(0.05)
        raise AssertionError(f"no {what} was mailed to {address}")

    def account_without_password(self, email):
        status, made = self.ask("/v1/projects/countersign/accounts", {"email": email}, headers=OWNER)
        assert status == 200, made

    def disable(self, user):
        status, answer = self.ask(
            "/identitytoolkit.googleapis.com/v1/projects/countersign/accounts:update",
            {"localId": user, "disableUser": True}, headers=OWNER)
        assert status == 200, answer

    def link(self, kind, made):
        """The address that a mail leads to, as a path."""
        status, answer = self.ask(
            "/identitytoolkit.googleapis.com/v1/projects/countersign/accounts:sendOobCode",
            {"requestType": kind, "email": made["email"], "returnOobLink": True}, headers=OWNER)
        assert status == 200, answer
        return answer["oobLink"].removeprefix(self.base)

    @contextlib.contextmanager
    def busy(self):
        """Holds the database as another program would: nothing is written meanwhile."""
        held = sqlite3.connect(os.path.join(self.data, "countersign.sqlite"), timeout=PATIENCE, isolation_level=None)
        try:
            held.execute("BEGIN EXCLUSIVE")
            yield
        finally:
            held.rollback()
            held.close()

    def lock_authenticator(self, made):
        """Counts as many wrong codes in a row as an authenticator app may have, which to type would take days."""
        rows = sqlite3.connect(os.path.join(self.data, "countersign.sqlite"), timeout=PATIENCE)
        with contextlib.closing(rows), rows:
            factor, = rows.execute("SELECT id FROM factors WHERE user_id = ? AND kind = 'totp'", [made["localId"]]).fetchone()
            rows.execute(
                "INSERT OR REPLACE INTO attempt_counters (name, attempts, began_at) VALUES (?, 100, ?)",
                [f"factor/{factor}", int(self.now() * 1_000_000)])

    def application(self, name, *arguments):
        """Registers an application, once."""
        if name not in self._applications:
            self.run("app", "add", "--id", name, *arguments)
            self._applications.add(name)

    # Auth0's management of second factors.

    def _management(self, path, body):
        with open(os.path.join(self.data, "admin-token")) as file:
            token = file.read().strip()
        status, answer = self.ask(f"/api/v2/{path}", body, headers={"Authorization": f"Bearer {token}"})
        assert status in (200, 201), (status, answer)
        return answer

    def recovery_code(self, user):
        """A new recovery code of a user."""
        return self._management(f"users/auth0%7C{user}/recovery-code-regeneration", {})["recovery_code"]

    def ticket(self, user):
        """The path of an invitation's page."""
        made = self._management("guardian/enrollments/ticket", {"user_id": f"auth0|{user}"})
        return made["ticket_url"].removeprefix(self.base)

    def phone(self, user):
        """Enrols a phone, as the vendor's app does."""
        key = ec.generate_private_key(ec.SECP256R1())
        numbers = key.public_key().public_numbers()
        x, y = (base64.urlsafe_b64encode(n.to_bytes(32, "big")).rstrip(b"=").decode() for n in (numbers.x, numbers.y))
        made = self._management("guardian/enrollments/ticket", {"user_id": f"auth0|{user}"})
        status, answer = self.ask(
            "/appliance-mfa/api/enroll", {
                "identifier": PHONE, "name": "Ada's phone",
                "public_key": {"kty": "EC", "crv": "P-256", "x": x, "y": y},
                "push_credentials": {"service": "APNS", "token": "A0B1C2"}},
            headers={"Authorization": f'Ticket id="{made["ticket_id"]}"'})
        assert status == 201, (status, answer)
        return Phone(self, key, answer)


class Phone:
    """An enrolled phone: sees what it is asked, and allows it."""

    def __init__(self, server, key, answer):
        self._server, self._key = server, key
        self._account, self._token = answer["id"], answer["token"]

    def allow(self, number=None):
        """Allows the newest request, as the vendor's app does, with the number that the other screen shows."""
        end = time.monotonic() + PATIENCE
        status = 204
        # A machine that does much else may ask the phone later than it waits.
        while status == 204 and time.monotonic() < end:
            status, waiting = self._server.ask(
                f"/appliance-mfa/api/device-accounts/{self._account}/notifications?wait=20",
                headers={"Authorization": f"Bearer {self._token}"})
        assert status == 200, (status, waiting)
        push, now = waiting["notifications"][-1], self._server.now()
        claims = {
            "sub": push["mfa"]["c"], "iss": PHONE, "iat": now, "exp": now + 30, "auth0_guardian_method": "push",
            "aud": f"{self._server.base}/appliance-mfa/api/resolve-transaction", "auth0_guardian_accepted": True}
        if number:
            claims["countersign_number"] = number
        statement = jwt.encode(claims, self._key, algorithm="ES256")
        status, answer = self._server.ask(
            "/appliance-mfa/api/resolve-transaction", {"challenge_response": statement},
            headers={"Authorization": f'Bearer {push["mfa"]["txtkn"]}'})
        assert status == 204, (status, answer)


def totp(secret, now):
    """RFC 6238 with six digits and half a minute."""
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    digest = hmac.new(key, struct.pack(">Q", int(now) // 30), hashlib.sha1).digest()
    offset = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[offset:offset + 4])[0] & 0x7FFFFFFF) % 10**6:06d}"


def chromium():
    """Where the system's Chromium is: one without windows, which takes half the time, or one that leaves them out when it is told to."""
    for name in ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"):
        found = shutil.which(name)
        if found:
            return found
    raise AssertionError("Chromium is not installed; run `make deps`.")


class Browser:
    """One Chromium, without a screen."""

    def __enter__(self):
        self._playwright = sync_playwright().start()
        self._chromium = self._playwright.chromium.launch(
            executable_path=chromium(), chromium_sandbox=False, args=["--disable-gpu", "--disable-software-rasterizer", "--disable-dev-shm-usage"])
        return self

    def __exit__(self, *_):
        self._chromium.close()
        self._playwright.stop()

    def person(self, base, **options):
        return Person(self._chromium, base, **options)


class Person:
    """Someone at a browser of their own: opens pages, types, presses. Keeps what pages did that no page may do."""

    def __init__(self, chromium, base, language="en", dark=False, width=1280, scripts=True):
        self.base, self.language, self.width, self.scripts = base, language, width, scripts
        self.look = f"{language}-{'dark' if dark else 'light'}" + ("" if scripts else "-noscript")
        self.context = chromium.new_context(
            base_url=base, locale=language, color_scheme="dark" if dark else "light",
            viewport={"width": width, "height": 800}, java_script_enabled=scripts, reduced_motion="reduce")
        self.context.set_default_timeout(PATIENCE * 1000)
        # What the content security policy stopped, scripts' errors, dialogs: none of it belongs to a page of ours.
        self.complaints = []
        # The answer to the last request for a page.
        self.document = None
        self.tab = self._watched(self.context.new_page())

    def _watched(self, tab):
        def heard(message):
            if message.type == "error" and "Failed to load resource" not in message.text:
                self.complaints.append(f"{tab.url}: {message.text}")

        def asked(dialog):
            self.complaints.append(f"{tab.url}: dialog {dialog.message}")
            dialog.dismiss()

        def answered(response):
            if response.request.is_navigation_request() and response.frame == tab.main_frame:
                self.document = response

        tab.on("console", heard)
        tab.on("response", answered)
        tab.on("pageerror", lambda error: self.complaints.append(f"{tab.url}: {error}"))
        tab.on("dialog", asked)
        return tab

    def another_tab(self):
        self.tab = self._watched(self.context.new_page())
        return self.tab

    def open(self, path):
        self.tab.goto(path)
        return self.kind

    @property
    def kind(self):
        """The name of the page that is shown; None where it is none of ours."""
        main = self.tab.query_selector("main[data-page]")
        return main.get_attribute("data-page") if main else None

    @property
    def text(self):
        return self.tab.inner_text("body")

    @property
    def alert(self):
        found = self.tab.query_selector("[role=alert]")
        return found.inner_text() if found else None

    def type(self, **fields):
        """Fills in fields and presses the first button that sends their form."""
        selector = None
        for name, value in fields.items():
            selector = f"[name={name}]"
            self.tab.fill(selector, value)
        self.press(self.tab.locator("form", has=self.tab.locator(selector)).locator("button[type=submit]").first)
        return self.kind

    def press(self, target):
        """Presses a button or follows a link, and waits for the page that comes."""
        if isinstance(target, str):
            target = self.tab.locator(target).first
        with self.tab.expect_navigation(wait_until="load"):
            target.click()
        return self.kind

    def sign_in(self, email, password=PASSWORD):
        """From the page that asks for an address."""
        assert self.kind == "sign-in", (self.kind, self.text)
        kind = self.type(username=email)
        assert kind == "password", (kind, self.text)
        return self.type(password=password)

    def beside(self, **options):
        """Another person's browser, or another device of this one's, that looks alike."""
        dark = "dark" in self.look
        return Person(
            self.context.browser, self.base, **{"language": self.language, "dark": dark, "scripts": self.scripts, **options})

    def close(self):
        self.context.close()
        assert not self.complaints, self.complaints


class Passkeys:
    """A virtual authenticator of a person's browser (DevTools protocol, domain WebAuthn): it answers without asking anyone."""

    def __init__(self, person, verifies=True, resident=True, backup_eligible=False, transport="internal", beside=None):
        """`beside` is another authenticator of the same person."""
        self._session = beside._session if beside else person.context.new_cdp_session(person.tab)
        if not beside:
            self._session.send("WebAuthn.enable")
        made = self._session.send("WebAuthn.addVirtualAuthenticator", {"options": {
            "protocol": "ctap2", "transport": transport, "hasResidentKey": resident, "hasUserVerification": verifies,
            "isUserVerified": verifies, "automaticPresenceSimulation": True,
            "defaultBackupEligibility": backup_eligible, "defaultBackupState": backup_eligible}})
        self._id = made["authenticatorId"]

    def _set(self, method, **values):
        self._session.send(f"WebAuthn.{method}", {"authenticatorId": self._id, **values})

    def remove(self):
        self._session.send("WebAuthn.removeVirtualAuthenticator", {"authenticatorId": self._id})

    def answers(self, does):
        """Whether someone is there to touch it."""
        self._set("setAutomaticPresenceSimulation", enabled=does)

    def verifies(self, does):
        """Whether it recognises its user."""
        self._set("setUserVerified", isUserVerified=does)

    @property
    def credentials(self):
        return self._session.send("WebAuthn.getCredentials", {"authenticatorId": self._id})["credentials"]


class Callback:
    """An application's addresses on a port of its own: keeps the queries that came to its redirect address, and the forms that
    were posted."""

    def __init__(self):
        arrived, posted = self._arrived, self._posted = [], []
        self._more = threading.Condition()
        more = self._more

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                if self.path.startswith("/callback"):
                    with more:
                        arrived.append(self.path)
                        more.notify_all()
                body = b"<!doctype html><title>Application</title><main>Signed in.</main>"
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                with more:
                    posted.append((self.path, dict(urllib.parse.parse_qsl(body)), self.headers["Content-Type"]))
                    more.notify_all()
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_port
        self.uri = f"http://127.0.0.1:{self.port}/callback"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def next(self):
        """The whole address of the next answer."""
        with self._more:
            if not self._more.wait_for(lambda: self._arrived, timeout=PATIENCE):
                raise AssertionError("nothing came to the application")
            return f"http://127.0.0.1:{self.port}{self._arrived.pop(0)}"

    def next_form(self):
        """The path, the fields and the type of the next form that was posted."""
        with self._more:
            if not self._more.wait_for(lambda: self._posted, timeout=PATIENCE):
                raise AssertionError("nothing was posted to the application")
            return self._posted.pop(0)
