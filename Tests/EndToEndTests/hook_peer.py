"""PyPI standardwebhooks as a hook's receiver, while the server that tells it is killed in the middle, twice.

Arguments: the program, a data directory, and a database where it is PostgreSQL. What happened comes at least once, each user's events in the
order of the log, and each message is one that the library takes."""

import http.server
import json
import os
import signal
import subprocess
import sys
import threading
import time

from pages import exchange
from peer_steps import expect, expect_raises, run_steps, step
from standardwebhooks import Webhook, WebhookVerificationError

PROGRAM, DATA = sys.argv[1:3]
DATABASE = sys.argv[3:4]
USERS, CHANGES = 12, 6
# Taken before the first and the second kill, of 84 in all.
KILLS = [15, 45]


class Server:
    """`serve --dev`, again and again on the same data."""

    def start(self):
        words = [PROGRAM, "serve", "--dev", "--listen", "127.0.0.1:0", "--data", DATA, "--log-level", "error"]
        words += ["--database", *DATABASE] if DATABASE else []
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = self.process.stdout.readline()
        expect(line.startswith("listening on "), line)
        self.base = line.split()[2]
        self.token = open(os.path.join(DATA, "admin-token")).read().strip()

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def administer(self, operation, **body):
        status, _, content = exchange(
            "POST", f"{self.base}/admin/v1/{operation}", json.dumps(body).encode(),
            {"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"})
        expect(status == 200, operation, status, content)
        return json.loads(content)

    def pass_time(self, seconds):
        status, _, content = exchange(
            "POST", self.base + "/dev/clock", json.dumps({"advanceSeconds": seconds}).encode(),
            {"Content-Type": "application/json"})
        expect(status == 200, content)


class Receiver(http.server.BaseHTTPRequestHandler):
    """Takes messages that the library takes, and answers after a moment. It takes no more than `most` events; messages of
    others wait for a kill, so that each kill has something under way, however slow the machine is."""

    protocol_version = "HTTP/1.1"
    secrets = []
    messages, faults = [], []
    guard = threading.Condition()
    most, kills = USERS * (CHANGES + 1), 0

    def do_POST(self):
        body = self.rfile.read(length := int(self.headers["Content-Length"]))
        if len(body) < length:
            # The server was killed while it sent this.
            self.close_connection = True
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        with self.guard:
            kills = Receiver.kills
            self.guard.wait_for(
                lambda: Receiver.kills > kills or len(self.ids() | {headers["webhook-id"]}) <= Receiver.most)
            if Receiver.kills > kills:
                self.close_connection = True
                return
            for secret in self.secrets:
                try:
                    expect(Webhook(secret).verify(body, headers) == json.loads(body))
                except Exception as error:  # noqa: BLE001 – told at the end of the step.
                    self.faults.append(f"{type(error).__name__}: {error}")
            self.messages.append((headers["webhook-id"], json.loads(body), body, headers))
            self.guard.notify_all()
        time.sleep(0.01)
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass

    @classmethod
    def wait(cls, ready, what, seconds=600):
        with cls.guard:
            expect(cls.guard.wait_for(ready, seconds), "in vain:", what, len(cls.messages), cls.faults[:2])

    @classmethod
    def admit(cls, most, kills=0):
        """From now on, up to `most` events; after a kill, what waited is forgotten."""
        with cls.guard:
            cls.most = most
            cls.kills += kills
            cls.guard.notify_all()

    @classmethod
    def ids(cls):
        return {message[0] for message in cls.messages}


class Listener(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """A server that is killed resets its connections."""


server = Server()
receiver = Listener(("127.0.0.1", 0), Receiver)
threading.Thread(target=receiver.serve_forever, daemon=True).start()
HOOK = {}


@step("standardwebhooks takes what a test sends, and nothing that was changed")
def one():
    server.start()
    added = server.administer(
        "hooks:add", url=f"http://127.0.0.1:{receiver.server_port}/events", events=["users"], label="Peer")
    HOOK.update(added["hook"])
    Receiver.secrets = [added["secret"]]
    server.administer("hooks:test", id=HOOK["id"])
    Receiver.wait(lambda: Receiver.messages, "a test")
    expect(not Receiver.faults, Receiver.faults)
    _, _, body, headers = Receiver.messages.pop()
    library = Webhook(added["secret"])
    for changed in [
        (body + b" ", headers), (body, headers | {"webhook-id": "evt_other"}),
        (body, headers | {"webhook-timestamp": str(int(headers["webhook-timestamp"]) + 1)}),
        (body, headers | {"webhook-timestamp": str(int(headers["webhook-timestamp"]) - 400)}),
        (body, headers | {"webhook-signature": headers["webhook-signature"].replace("v1,", "v2,")}),
    ]:
        expect_raises(WebhookVerificationError, library.verify, *changed)
    expect_raises(WebhookVerificationError, Webhook("whsec_" + "A" * 32).verify, body, headers)


@step("Both secrets sign for a day after a rotation")
def rotated():
    fresh = server.administer("hooks:rotate-secret", id=HOOK["id"])["secret"]
    expect(fresh not in Receiver.secrets)
    Receiver.secrets = [Receiver.secrets[0], fresh]
    server.administer("hooks:test", id=HOOK["id"])
    Receiver.wait(lambda: Receiver.messages, "a test")
    expect(not Receiver.faults, Receiver.faults)
    Receiver.messages.clear()


@step("Two kills in the middle lose nothing, and each user's events come in the order of the log")
def killed():
    Receiver.admit(KILLS[0])
    users = [server.administer("users:add", email=f"user{number}@example.org")["user"]["id"]
             for number in range(USERS)]
    for change in range(CHANGES):
        for user in users:
            server.administer("users:set-locale", user=user, locale=["de", "ja"][change % 2])
    for enough, following in zip(KILLS, [*KILLS[1:], USERS * (CHANGES + 1)]):
        Receiver.wait(lambda: len(Receiver.ids()) >= enough, f"{enough} events")
        server.kill()
        expect(len(Receiver.ids()) == enough, "taken before the kill", len(Receiver.ids()))
        Receiver.admit(following, kills=1)
        server.start()
        # The hook was left to the server that was killed for two minutes.
        server.pass_time(121)
    written, after = [], None
    while True:
        page = server.administer("audit:search", kinds=["user"], limit=200, **({"before": after} if after else {}))
        written += page["events"]
        after = page.get("next")
        if not after:
            break
    written = [event for event in written if event["kind"] in ("user.created", "user.changed")]
    expect(len(written) == USERS * (CHANGES + 1), len(written))
    wanted = {"evt_" + event["id"] for event in written}
    Receiver.wait(lambda: wanted <= Receiver.ids(), "every event")
    expect(not Receiver.faults, Receiver.faults[:3])
    for user in users:
        own = [name for name, message, _, _ in Receiver.messages if message["data"].get("user") == user]
        first = list(dict.fromkeys(own))
        expect(first == sorted(first), user, "out of order", first)
        # What comes again comes before anything that is newer than the newest so far.
        newest = ""
        for name in own:
            expect(name >= newest or name in own[:own.index(name) + 1], user, name)
            newest = max(newest, name)
        expect(len(first) == CHANGES + 1, user, first)
    again = len(Receiver.messages) - len(Receiver.ids())
    print(f"        {len(Receiver.ids())} events in {len(Receiver.messages)} messages, {again} came again")
    # At most what was under way at each kill.
    expect(again <= len(KILLS) * 8 * (CHANGES + 1), again)


try:
    run_steps()
finally:
    server.process.kill()
    receiver.shutdown()
