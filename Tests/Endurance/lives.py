"""What users do, noted as it is acknowledged, and what has to be true of it afterwards.

A life runs until the server dies. `judge` then asks the next server: what was acknowledged is there and no more than once, everything else is
whole or absent. It returns sentences about what is wrong."""

import base64
import hashlib
import hmac
import itertools
import re
import secrets
import struct
import sys
import time
import urllib.parse
from pathlib import Path

from wire import Gone

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "EndToEndTests"))
from pages import Forms  # noqa: E402

KEY = "?key=any"
PASSWORD, OTHER = "a quiet afternoon", "another quiet evening"
VERIFIER = "endurance-verifier-" * 3
CALLBACK = "http://127.0.0.1/callback"
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
_numbers = itertools.count()


def address():
    return f"u{next(_numbers)}-{secrets.token_hex(4)}@example.com"


def code(secret, when=None, step=0):
    """RFC 6238 with the defaults of authenticator apps."""
    counter = int(time.time() if when is None else when) // 30 + step
    digest = hmac.new(base64.b32decode(secret + "=" * (-len(secret) % 8)), struct.pack(">Q", counter), hashlib.sha1).digest()
    return f"{struct.unpack('>I', digest[digest[-1] & 15:][:4])[0] % 0x80000000 % 1_000_000:06}"


class Refused(Exception):
    """An answer that a life did not expect."""


class Broken(Exception):
    """An answer that no life may get."""


def good(answer, *what):
    """The JSON of an answer that is 2xx.

    Raises: Gone where the server says that its database is away: what was asked may have been done or not. Refused."""
    if answer.is_away:
        raise Gone(f"503 {answer.body[:120]!r}")
    if not 200 <= answer.status < 300:
        raise Refused(f"{' '.join(map(str, what))} {answer}")
    return answer.json


class Life:
    """One user, or one thing of a user."""

    def __init__(self, offset=0):
        self.email, self.acknowledged = address(), []
        # Seconds that the server's clock is ahead.
        self.offset = offset

    def note(self, what):
        self.acknowledged.append(what)

    @property
    def done(self):
        return set(self.acknowledged)

    def now(self):
        return time.time() + self.offset

    async def sign_up(self, wire):
        answer = good(await wire.post(f"/v1/accounts:signUp{KEY}", {"email": self.email, "password": PASSWORD}), "sign-up")
        self.id_token, self.refresh, self.id = answer["idToken"], answer["refreshToken"], answer["localId"]
        return answer

    async def sign_in(self, wire, password=PASSWORD):
        return await wire.post(f"/v1/accounts:signInWithPassword{KEY}", {"email": self.email, "password": password})

    async def link(self, wire, kind):
        return good(await wire.post(
            f"/v1/accounts:sendOobCode{KEY}", {"requestType": kind, "email": self.email, "returnOobLink": True}, "owner"))

    async def lookup(self, wire):
        found = good(await wire.post("/v1/projects/countersign/accounts:lookup", {"email": [self.email]}, "owner"), "lookup")
        return (found.get("users") or [None])[0]

    async def run(self, wire):
        raise NotImplementedError

    async def judge(self, wire):
        raise NotImplementedError

    async def one_of(self, wire, *passwords):
        """Which of these passwords signs in."""
        answers = [await self.sign_in(wire, password) for password in passwords]
        for answer in answers:
            if answer.status >= 500:
                raise Broken(f"{self.email}: {answer}")
        return [password for password, answer in zip(passwords, answers) if answer.status == 200]


class SignsUp(Life):
    async def run(self, wire):
        await self.sign_up(wire)
        self.note("signed up")

    async def judge(self, wire):
        user = await self.lookup(wire)
        if user is None:
            return [f"{self.email} was acknowledged and is gone"] if self.done else []
        faults = []
        answer = await self.sign_in(wire)
        if answer.status != 200:
            faults.append(f"{self.email} is torn: {answer}")
        if self.done:
            if (await wire.post(f"/v1/accounts:lookup{KEY}", {"idToken": self.id_token})).status != 200:
                faults.append(f"{self.email}: an acknowledged ID token")
            renewed = await wire.post(f"/v1/token{KEY}", {"grantType": "refresh_token", "refreshToken": self.refresh})
            if renewed.status != 200:
                faults.append(f"{self.email}: an acknowledged refresh token: {renewed}")
            # It was good once; a later judgement goes on with its successor.
            self.refresh = renewed.json.get("refresh_token")
        return faults


class Enrols(Life):
    """Enrols an authenticator app, signs in with one code, and has the next one left."""

    async def run(self, wire):
        await self.sign_up(wire)
        self.note("signed up")
        link = await self.link(wire, "VERIFY_EMAIL")
        good(await wire.post(f"/v1/accounts:update{KEY}", {"oobCode": link["oobCode"]}))
        begun = good(await wire.post(
            f"/v2/accounts/mfaEnrollment:start{KEY}", {"idToken": self.id_token, "totpEnrollmentInfo": {}}))
        info = begun["totpSessionInfo"]
        self.secret = info["sharedSecretKey"]
        # Before this one's time, so that two are left within what clocks may differ. Where an interval ends between the look at the clock
        # and the judgement, that code is of two intervals ago and refused, and right so.
        while True:
            self.at = self.now()
            answer = await wire.post(f"/v2/accounts/mfaEnrollment:finalize{KEY}", {
                "idToken": self.id_token, "displayName": "App", "totpVerificationInfo": {
                    "sessionInfo": info["sessionInfo"], "verificationCode": code(self.secret, self.at, -1)}})
            if answer.status != 400 or self.now() // 30 == self.at // 30:
                break
        good(answer)
        self.note("enrolled")
        good(await self.finish(wire, await self.pending(wire), 0))
        self.note("code used")

    async def pending(self, wire):
        answer = good(await self.sign_in(wire), "first factor")
        self.factor = answer["mfaInfo"][0]["mfaEnrollmentId"]
        return answer["mfaPendingCredential"]

    async def finish(self, wire, pending, step):
        return await wire.post(f"/v2/accounts/mfaSignIn:finalize{KEY}", {
            "mfaPendingCredential": pending, "mfaEnrollmentId": self.factor,
            "totpVerificationInfo": {"verificationCode": code(self.secret, self.at, step)}})

    async def judge(self, wire):
        user = await self.lookup(wire)
        if user is None:
            return [f"{self.email} was acknowledged and is gone"] if self.done else []
        answer = await self.sign_in(wire)
        if answer.status != 200:
            return [f"{self.email} is torn: {answer}"]
        factors = user.get("mfaInfo") or []
        if ("mfaPendingCredential" in answer.json) != (len(factors) == 1) or len(factors) > 1:
            return [f"{self.email} is torn: {factors} {answer}"]
        if not factors:
            return [f"{self.email}'s factor was acknowledged and is gone"] if "enrolled" in self.done else []
        if self.is_late:
            return []
        faults = []
        if "code used" in self.done:
            again = await self.finish(wire, await self.pending(wire), 0)
            if again.status == 200:
                faults.append(f"{self.email}: a used code counted again")
        later = await self.finish(wire, await self.pending(wire), 1)
        if later.status != 200 and not self.is_late:
            faults.append(f"{self.email}: an enrolled factor does not sign in: {later}")
        return faults

    @property
    def is_late(self):
        """Whether the next code is no longer among the three that the clock allows: a busy machine may take longer than a minute."""
        return int(self.now()) // 30 > int(self.at) // 30 + 2


class ChangesPassword(Life):
    async def run(self, wire):
        await self.sign_up(wire)
        self.note("signed up")
        good(await wire.post(f"/v1/accounts:update{KEY}", {"idToken": self.id_token, "password": OTHER}))
        self.note("changed")

    async def judge(self, wire):
        working = await self.one_of(wire, PASSWORD, OTHER)
        if not self.done:
            return [] if len(working) <= 1 and OTHER not in working else [f"{self.email}: {working} work"]
        expected = [[OTHER]] if "changed" in self.done else [[PASSWORD], [OTHER]]
        return [] if working in expected else [f"{self.email}, {self.acknowledged}: {working} work"]


class ResetsPassword(Life):
    async def run(self, wire):
        await self.sign_up(wire)
        self.note("signed up")
        self.code = (await self.link(wire, "PASSWORD_RESET"))["oobCode"]
        self.note("mailed")
        good(await wire.post(f"/v1/accounts:resetPassword{KEY}", {"oobCode": self.code, "newPassword": OTHER}))
        self.note("reset")

    async def judge(self, wire):
        if not self.done:
            return []
        working = await self.one_of(wire, PASSWORD, OTHER)
        if working not in ([[OTHER]] if "reset" in self.done else [[PASSWORD], [OTHER]]):
            return [f"{self.email}, {self.acknowledged}: {working} work"]
        if "mailed" not in self.done:
            return []
        again = await wire.post(f"/v1/accounts:resetPassword{KEY}", {"oobCode": self.code, "newPassword": PASSWORD + "!"})
        if working == [OTHER] and again.status == 200:
            return [f"{self.email}: a used link counted again"]
        if working == [PASSWORD] and again.status != 200:
            return [f"{self.email}: a link that was not used is refused: {again}"]
        return []


class IsDeleted(Life):
    async def run(self, wire):
        await self.sign_up(wire)
        self.note("signed up")
        good(await wire.post(f"/v1/accounts:delete{KEY}", {"idToken": self.id_token}))
        self.note("deleted")

    async def judge(self, wire):
        user = await self.lookup(wire)
        working = await self.one_of(wire, PASSWORD)
        if (user is None) != (not working):
            return [f"{self.email} is torn: {user} {working}"]
        if "deleted" in self.done and user:
            return [f"{self.email} was deleted and is there"]
        if self.done == {"signed up"} and user is None:
            # The deletion may have been done without an answer.
            return []
        return []


class HasDevice(Life):
    """Enrols a phone by a ticket, as Guardian's do."""

    async def run(self, wire):
        from cryptography.hazmat.primitives.asymmetric import ec
        made = good(await wire.post("/api/v2/users", {
            "email": self.email, "password": PASSWORD, "email_verified": True}, self.administrator), "user")
        self.note("made")
        ticket = good(await wire.post(
            "/api/v2/guardian/enrollments/ticket", {"user_id": made["user_id"]}, self.administrator), "ticket")
        self.key, self.identifier = ec.generate_private_key(ec.SECP256R1()), secrets.token_hex(8)
        numbers = self.key.public_key().public_numbers()
        encode = lambda number: base64.urlsafe_b64encode(number.to_bytes(32, "big")).rstrip(b"=").decode()  # noqa: E731
        begun = good(await wire.post(
            "/appliance-mfa/api/start-flow", {"state_transport": "polling"}, f'Ticket id="{ticket["ticket_id"]}"'), "flow")
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(begun["enrollment_uri"]).query))
        self.device = good(await wire.post("/appliance-mfa/api/enroll", {
            "identifier": self.identifier, "name": "Phone",
            "public_key": {"kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "x": encode(numbers.x),
                           "y": encode(numbers.y)}}, f'Ticket id="{query["enrollment_tx_id"]}"'), "enrolment")
        self.note("enrolled")

    def __init__(self, administrator, offset=0):
        super().__init__(offset)
        self.administrator = administrator

    def poll(self, wait=0):
        return f"/appliance-mfa/api/device-accounts/{self.device['id']}/notifications?wait={wait}"

    async def judge(self, wire):
        if "enrolled" not in self.done:
            return []
        answer = await wire.ask("GET", self.poll(), bearer=self.device["token"])
        faults = [] if answer.status in (200, 204) else [f"{self.email}: an enrolled device is refused: {answer}"]
        asked = await self.password_grant(wire)
        if asked.json.get("error") != "mfa_required":
            faults.append(f"{self.email}: an enrolled factor is not asked for: {asked}")
        return faults

    async def password_grant(self, wire):
        return await wire.post("/oauth/token", {
            "grant_type": "password", "client_id": "dev-app", "username": self.email, "password": PASSWORD})


# MARK: Pages and grants

class Browser:
    """Cookies, redirects and forms, without a script."""

    def __init__(self, email):
        self.email, self.cookies = email, {}

    async def go(self, wire, target, fields=None):
        """One request; redirects are answers."""
        headers = [("Sec-Fetch-Site", "same-origin"), ("Sec-Fetch-Dest", "document"), ("Accept", "text/html")]
        if self.cookies:
            headers.append(("Cookie", "; ".join(f"{name}={value}" for name, value in self.cookies.items())))
        answer = await (wire.ask("GET", target, headers=headers) if fields is None else wire.form(target, fields, headers))
        for cookie in answer.values("set-cookie"):
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        if answer.is_away:
            raise Gone("503")
        return answer

    @staticmethod
    def authorize(more=()):
        return "/authorize?" + urllib.parse.urlencode({
            "client_id": "dev-native", "redirect_uri": CALLBACK, "response_type": "code", "scope": "openid offline_access",
            "state": "s", "code_challenge": CHALLENGE, "code_challenge_method": "S256", **dict(more)})

    async def visit(self, wire, target=None, more=()):
        """Through the pages with a password. The address that the application is left with."""
        target = target or self.authorize(more)
        answer = await self.go(wire, target)
        for _ in range(12):
            if answer.status in (302, 303):
                target = answer.header("location")
                if target.startswith(CALLBACK):
                    return target
                parts = urllib.parse.urlsplit(target)
                answer = await self.go(wire, parts.path + (f"?{parts.query}" if parts.query else ""))
                continue
            for action, fields in Forms(answer.body.decode()).all:
                if "username" in fields or "password" in fields:
                    fields |= {name: value for name, value in (("username", self.email), ("password", PASSWORD)) if name in fields}
                    answer = await self.go(wire, action, fields)
                    break
            else:
                raise Refused(f"no form to go on with: {answer}")
        raise Refused("the pages lead nowhere")

    async def code(self, wire, more=()):
        address = await self.visit(wire, more=more)
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(address).query))
        if query.get("error") == "temporarily_unavailable":
            raise Gone("503")
        if "code" not in query:
            raise Refused(address)
        return query["code"]


def redemption(code):
    return {"grant_type": "authorization_code", "client_id": "dev-native", "code": code, "redirect_uri": CALLBACK,
            "code_verifier": VERIFIER}


def renewal(refresh):
    return {"grant_type": "refresh_token", "client_id": "dev-native", "refresh_token": refresh}


class Redeems(Life):
    """A code for tokens, these for their successors, and an end by the application."""

    def __init__(self, browser, revokes, offset=0):
        super().__init__(offset)
        self.browser, self.revokes = browser, revokes

    async def run(self, wire):
        self.code = await self.browser.code(wire)
        self.note("code")
        tokens = good(await wire.form("/oauth/token", redemption(self.code)), "redemption")
        self.access, self.refresh = tokens["access_token"], tokens["refresh_token"]
        self.note("tokens")
        tokens = good(await wire.form("/oauth/token", renewal(self.refresh)), "renewal")
        self.access, self.refresh = tokens["access_token"], tokens["refresh_token"]
        self.note("renewed")
        if self.revokes:
            self.note("revoking")
            good(await wire.form("/oauth/revoke", {"token": self.refresh, "client_id": "dev-native"}), "revocation")
            self.note("revoked")

    async def judge(self, wire):
        if "code" not in self.done:
            return []
        faults = []
        if "tokens" in self.done and "revoking" not in self.done:
            answer = await wire.ask("GET", "/userinfo", bearer=self.access)
            if answer.status != 200:
                faults.append(f"an acknowledged access token: {answer}")
            answer = await wire.form("/oauth/token", renewal(self.refresh))
            if answer.status != 200:
                faults.append(f"an acknowledged refresh token ({self.acknowledged}): {answer}")
        if "revoked" in self.done:
            answer = await wire.form("/oauth/token", renewal(self.refresh))
            if answer.status != 400:
                faults.append(f"a revoked refresh token: {answer}")
        answer = await wire.form("/oauth/token", redemption(self.code))
        if answer.status != 400 and ("tokens" in self.done or answer.status != 200):
            faults.append(f"a code ({self.acknowledged}) a second time: {answer}")
        return faults


def lives(wire_server, browser, count, random, offset=0):
    """So many lives of every kind, in any order."""
    kinds = [SignsUp, Enrols, ChangesPassword, ResetsPassword, IsDeleted,
             lambda offset: HasDevice(wire_server.administrator, offset),
             lambda offset: Redeems(browser, False, offset), lambda offset: Redeems(browser, True, offset)]
    made = [kinds[number % len(kinds)](offset) for number in range(count)]
    random.shuffle(made)
    return made


def number_of(text):
    """The digits of a mailed code."""
    return re.search(r"\b\d{8}\b", text)[0]
