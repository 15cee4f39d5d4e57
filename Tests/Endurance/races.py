"""What counts once, sent four times at once to two servers on one PostgreSQL: exactly one answer may be a success."""

import asyncio
import base64
import hashlib
import hmac
import json
import os
import re
import sys
import time
import urllib.parse
import uuid
from pathlib import Path

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

import lives
from lives import KEY, OTHER, PASSWORD, Browser, HasDevice, Life, Refused, good, redemption, renewal
from servers import Cluster, Server, folder, postgres_programs
from wire import Gone, Several, Wire

for _folder in ("PasskeysTests", "EndToEndTests"):
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / _folder))
from pages import Forms  # noqa: E402

# The address of tokens and passkeys, which both servers say is theirs.
URL = "http://localhost:8080"
COPIES = 4
# So many seconds a spent token or code gives the same answer to who sends it again (decisions 83 and 110, `Sessions.RefreshLifetime`): a copy
# that a busy machine comes to later is refused, and what it was sent with may have ended.
REPEATS = 10
BROWSERS, LANES = 40, 3


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class SigningKey:
    """P-256, for statements of applications (RFC 7523) and of possession (RFC 9449)."""

    def __init__(self, key=None):
        self.key = key or ec.generate_private_key(ec.SECP256R1())
        numbers = self.key.public_key().public_numbers()
        self.jwk = {"kty": "EC", "crv": "P-256", "x": encode(numbers.x.to_bytes(32, "big")), "y": encode(numbers.y.to_bytes(32, "big"))}

    def sign(self, header, claims):
        text = ".".join(encode(json.dumps(part).encode()) for part in ({"alg": "ES256"} | header, claims))
        r, s = utils.decode_dss_signature(self.key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{text}.{encode(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


def good_token(answer):
    """What a second factor is asked for with."""
    if answer.is_away:
        raise Gone(f"503 {answer.body[:120]!r}")
    if "mfa_token" not in answer.json:
        raise Refused(f"password {answer}")
    return answer.json["mfa_token"]


class Race:
    """A kind of race.

    `prepare` makes so many at once, each a function of the copy's number that gives the arguments of `Wire.ask`."""

    name, crowd = "", 40

    def __init__(self, stage):
        self.stage = stage

    async def begin(self):
        """Once, before all."""

    async def prepare(self, count):
        return await asyncio.gather(*[self.one(number) for number in range(count)])

    async def one(self, number):
        raise NotImplementedError

    def has_won(self, answer):
        return answer.status == 200

    def judge(self, answers):
        """A sentence where not exactly one has won, or more than one where a server said that it is busy."""
        winners = sum(self.has_won(answer) for answer in answers)
        if any(answer.is_away for answer in answers) and winners < 2:
            return None
        if any(answer.status >= 500 for answer in answers):
            return f"a server's fault: {answers}"
        return None if winners == 1 else f"{winners} won: {answers}"

    def learn(self, number, answers):
        """What the next race in this place begins with."""


class AuthorizationCode(Race):
    name = "authorization code"

    async def one(self, number):
        code = await self.stage.browser(number).code(self.stage.both)
        return lambda copy: (("POST", "/oauth/token"), {"form": redemption(code)})


class PushedRequest(Race):
    name = "pushed request (RFC 9126)"

    async def one(self, number):
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(Browser.authorize()).query))
        pushed = good(await self.stage.both.form("/oauth/par", query), "par")
        target = "/authorize?" + urllib.parse.urlencode({"client_id": "dev-native", "request_uri": pushed["request_uri"]})
        cookies = "; ".join(f"{name}={value}" for name, value in self.stage.browser(number).cookies.items())
        return lambda copy: (("GET", target), {"headers": [("Cookie", cookies), ("Sec-Fetch-Dest", "document"), ("Accept", "text/html")]})

    def has_won(self, answer):
        return answer.status in (302, 303) and "code=" in (answer.header("location") or "")


class RefreshToken(Race):
    """May be repeated for a minute (decision 110): all that are answered get the same successor."""

    name = "refresh token"

    async def begin(self):
        self.tokens = [None] * self.crowd

    async def one(self, number):
        if self.tokens[number] is None:
            code = await self.stage.browser(number).code(self.stage.both)
            self.tokens[number] = good(await self.stage.both.form("/oauth/token", redemption(code)))["refresh_token"]
        token = self.tokens[number]
        return lambda copy: (("POST", "/oauth/token"), {"form": renewal(token)})

    def judge(self, answers):
        given = {answer.json.get("refresh_token") for answer in answers if answer.status == 200}
        if any(answer.is_away for answer in answers) and len(given) < 2:
            return None
        if len(given) > 1 or any(answer.status >= 500 for answer in answers):
            return f"{len(given)} successors: {answers}"
        if any(answer.status != 200 for answer in answers) and not any(answer.after >= REPEATS for answer in answers):
            return f"refused to who repeats it at once: {answers}"
        return None

    def learn(self, number, answers):
        """Where one was refused, the grant has ended."""
        self.tokens[number] = answers[0].json["refresh_token"] if all(answer.status == 200 for answer in answers) else None


class ResetLink(Race):
    name = "link that resets a password"
    kind, path = "PASSWORD_RESET", "/v1/accounts:resetPassword"

    async def prepare(self, count):
        # Of new users each time: a mailbox gets so many mails in an hour.
        people = await self.stage.people(count, is_proven=self.kind != "VERIFY_EMAIL")
        return await asyncio.gather(*[self.sent(person) for person in people])

    async def sent(self, person):
        body = self.body(person, (await person.link(self.stage.both, self.kind))["oobCode"])
        return lambda copy: (("POST", self.path + KEY), {"body": body})

    def body(self, person, code):
        return {"oobCode": code, "newPassword": OTHER}


class ProvingLink(ResetLink):
    name = "link that proves an address"
    kind, path = "VERIFY_EMAIL", "/v1/accounts:update"

    def body(self, person, code):
        return {"oobCode": code}


class SignInLink(ResetLink):
    name = "link that signs in"
    kind, path = "EMAIL_SIGNIN", "/v1/accounts:signInWithEmailLink"

    def body(self, person, code):
        return {"email": person.email, "oobCode": code}


class OneTimeCode(Race):
    """A code of an authenticator app, over two sign-ins that are pending."""

    name = "code of an authenticator app"
    secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

    async def prepare(self, count):
        return await asyncio.gather(*[self.pending(person) for person in await self.stage.people(count, secret=self.secret)])

    async def pending(self, person):
        pending = [good(await person.sign_in(self.stage.both), "first")["mfaPendingCredential"] for _ in range(2)]
        now = time.time()
        return lambda copy: (("POST", f"/v2/accounts/mfaSignIn:finalize{KEY}"), {"body": {
            "mfaPendingCredential": pending[copy // 2 % 2], "mfaEnrollmentId": person.factor,
            "totpVerificationInfo": {"verificationCode": lives.code(self.secret, now)}}})


class WithDevices(Race):
    """Of users with a device, each of whom takes part a few times: so many requests a minute reach one user's devices."""

    crowd, turns = 20, 4

    async def begin(self):
        self.people = {}

    async def person(self, number):
        person, left = self.people.get(number, (None, 0))
        if not left:
            person, left = HasDevice(self.stage.administrator), self.turns
            await person.run(self.stage.both)
        self.people[number] = person, left - 1
        return person


class RecoveryCode(WithDevices):
    # Those who lose gave a wrong code, of which a user may give few.
    name, turns = "recovery code", 1

    async def one(self, number):
        person = await self.person(number)
        tokens = [good_token(await person.password_grant(self.stage.both)) for _ in range(2)]
        return lambda copy: (("POST", "/oauth/token"), {"body": {
            "grant_type": "http://auth0.com/oauth/grant-type/mfa-recovery-code", "client_id": "dev-app",
            "mfa_token": tokens[copy // 2 % 2], "recovery_code": person.device["recovery_code"]}})


class EnrolmentTicket(Race):
    name = "ticket for a device"

    async def prepare(self, count):
        return await asyncio.gather(*[self.ticket(number, person) for number, person in enumerate(await self.stage.people(count))])

    async def ticket(self, number, person):
        ticket = good(await self.stage.both.post(
            "/api/v2/guardian/enrollments/ticket", {"user_id": f"auth0|{person.id}"}, self.stage.administrator), "ticket")
        begun = good(await self.stage.both.post(
            "/appliance-mfa/api/start-flow", {"state_transport": "polling"}, f'Ticket id="{ticket["ticket_id"]}"'), "flow")
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(begun["enrollment_uri"]).query))
        return lambda copy: (("POST", "/appliance-mfa/api/enroll"), {
            "bearer": f'Ticket id="{query["enrollment_tx_id"]}"', "body": {
                "identifier": f"{number}-{copy}", "name": "Phone", "public_key": self.stage.keys[copy].jwk | {"use": "sig", "alg": "ES256"}}})

    def has_won(self, answer):
        return answer.status == 201


class Decision(WithDevices):
    """Two yes and two no of a device to one request, each signed."""

    name = "decision of a device"

    async def asked(self, number):
        person = await self.person(number)
        token = good_token(await person.password_grant(self.stage.both))
        begun = good(await self.stage.both.post("/mfa/challenge", {
            "client_id": "dev-app", "challenge_type": "oob", "mfa_token": token}), "challenge")
        found = good(await self.stage.both.ask("GET", person.poll(10), bearer=person.device["token"]), "poll")
        push, key = found["notifications"][-1]["mfa"], SigningKey(person.key)

        def resolving(accepts):
            now = int(time.time())
            return (("POST", "/appliance-mfa/api/resolve-transaction"), {"bearer": push["txtkn"], "body": {
                "challenge_response": key.sign({"typ": "JWT"}, {
                    "sub": push["c"], "iss": person.identifier, "aud": f"{URL}/appliance-mfa/api/resolve-transaction", "iat": now,
                    "exp": now + 30, "auth0_guardian_method": "push", "auth0_guardian_accepted": accepts})}})

        return token, begun["oob_code"], resolving

    async def one(self, number):
        _, _, resolving = await self.asked(number)
        return lambda copy: resolving(copy % 4 < 2)

    def has_won(self, answer):
        return answer.status == 204


class AllowedSignIn(Decision):
    name = "sign-in that a device allowed"

    async def one(self, number):
        token, code, resolving = await self.asked(number)
        position, named = resolving(True)
        good(await self.stage.both.ask(*position, **named), "yes")
        return lambda copy: (("POST", "/oauth/token"), {"body": {
            "grant_type": "http://auth0.com/oauth/grant-type/mfa-oob", "client_id": "dev-app", "mfa_token": token, "oob_code": code}})

    has_won = Race.has_won


class DeviceCode(Race):
    name = "code of a device (RFC 8628)"

    async def one(self, number):
        begun = good(await self.stage.both.form("/oauth/device/code", {"client_id": "dev-native", "scope": "openid"}), "device")
        browser = self.stage.browser(number)
        shown = await browser.go(self.stage.both, "/activate?" + urllib.parse.urlencode({"user_code": begun["user_code"]}))
        action, fields = next(form for form in Forms(shown.body.decode()).all if "user_code" in form[1])
        done = await browser.go(self.stage.both, action, fields | {"decision": "allow"})
        if done.header("location") != "/activate/done":
            raise Refused(f"the page does not take the code: {done} {done.header('location')}")
        return lambda copy: (("POST", "/oauth/token"), {"form": {
            "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "client_id": "dev-native", "device_code": begun["device_code"]}})


class Assertion(Race):
    name = "assertion of an application (RFC 7523)"

    async def one(self, number):
        now = int(time.time())
        text = self.stage.keys[0].sign({"kid": "racer"}, {
            "iss": "racer", "sub": "racer", "aud": URL, "jti": uuid.uuid4().hex, "iat": now, "exp": now + 120})
        return lambda copy: (("POST", "/oauth/token"), {"form": {
            "grant_type": "client_credentials", "client_id": "racer", "scope": "api", "resource": "http://127.0.0.1/api",
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer", "client_assertion": text}})


class Possession(Race):
    name = "proof of possession (RFC 9449)"

    async def one(self, number):
        text = self.stage.keys[0].sign({"typ": "dpop+jwt", "jwk": self.stage.keys[0].jwk}, {
            "htm": "POST", "htu": f"{URL}/oauth/token", "iat": int(time.time()), "jti": uuid.uuid4().hex})
        basic = "Basic " + base64.b64encode(b"dev-web:dev-web-secret").decode()
        return lambda copy: (("POST", "/oauth/token"), {"bearer": basic, "headers": [("DPoP", text)], "form": {
            "grant_type": "client_credentials", "scope": "api", "resource": "http://127.0.0.1/api"}})


class Passkey(Race):
    name, crowd = "answer of a passkey", 20

    async def begin(self):
        self.clients = {}

    async def enrol(self):
        from fido2.client import DefaultClientDataCollector, Fido2Client
        from fido2.webauthn import PublicKeyCredentialCreationOptions, PublicKeyCredentialRequestOptions
        from peer import Authenticator
        authenticator = Authenticator(-7)
        # One that counts nothing, as those of synced passkeys (WebAuthn Level 3, section 6.1.1).
        authenticator.data = lambda *parts, count=authenticator.data: (setattr(authenticator, "counter", -1), count(*parts))[1]
        client = Fido2Client(authenticator, DefaultClientDataCollector(URL))
        self.request = PublicKeyCredentialRequestOptions.from_dict
        begun = good(await self.stage.both.post("/passkey/register", {
            "client_id": "dev-native", "user_profile": {"email": lives.address(), "name": "A"}}), "register")
        made = dict(client.make_credential(PublicKeyCredentialCreationOptions.from_dict(begun["authn_params_public_key"])))
        good(await self.stage.both.post("/oauth/token", self.grant(begun, made)), "registration")
        return client

    @staticmethod
    def grant(begun, response):
        return {"grant_type": "urn:okta:params:oauth:grant-type:webauthn", "client_id": "dev-native",
                "auth_session": begun["auth_session"], "authn_response": response, "scope": "openid"}

    async def one(self, number):
        if number not in self.clients:
            self.clients[number] = await self.enrol()
        begun = good(await self.stage.both.post("/passkey/challenge", {"client_id": "dev-native"}), "challenge")
        response = dict(self.clients[number].get_assertion(self.request(begun["authn_params_public_key"])).get_response(0))
        return lambda copy: (("POST", "/oauth/token"), {"body": self.grant(begun, response)})


class MailedCode(Race):
    """A sign-up by a mailed code, in native authentication."""

    name = "mailed code"

    async def prepare(self, count):
        begun = await asyncio.gather(*[self.start() for _ in range(count)])
        messages = (await self.stage.both.ask("GET", "/dev/inbox.json")).json["messages"]
        mailed = {message["to"]: lives.number_of(message["text"]) for message in messages if re.search(r"\b\d{8}\b", message["text"])}
        return await asyncio.gather(*[self.proven(token, mailed[person]) for person, token in begun])

    async def proven(self, token, code):
        """The code counts once for an attempt: each that sends it again is led on to the same one (decision 83), which opens one session."""
        form = {"client_id": "dev-app", "continuation_token": token, "grant_type": "oob", "oob": code}
        answers = await asyncio.gather(*[self.stage.both.form("/contoso/signup/v1.0/continue", form) for _ in range(COPIES)])
        if any(answer.status == 400 for answer in answers) and any(answer.after >= REPEATS for answer in answers):
            raise Gone("503: a copy was late")
        tokens = [good(answer)["continuation_token"] for answer in answers]
        return lambda copy: (("POST", "/contoso/oauth2/v2.0/token"), {"form": {
            "client_id": "dev-app", "continuation_token": tokens[copy], "grant_type": "continuation_token", "scope": "openid"}})

    async def start(self):
        person = lives.address()
        form = {"client_id": "dev-app", "challenge_type": "oob password redirect"}
        begun = good(await self.stage.both.form("/contoso/signup/v1.0/start", form | {"username": person, "password": PASSWORD}))
        asked = good(await self.stage.both.form("/contoso/signup/v1.0/challenge", form | {"continuation_token": begun["continuation_token"]}))
        return person, asked["continuation_token"]


KINDS = [AuthorizationCode, PushedRequest, RefreshToken, ResetLink, ProvingLink, SignInLink, OneTimeCode, RecoveryCode, EnrolmentTicket,
         Decision, AllowedSignIn, DeviceCode, Assertion, Possession, Passkey, MailedCode]


class Stage:
    """Two servers on one database, and what races need of them."""

    async def build(self, trial, cluster):
        place, database = folder("races"), cluster.empty_database()
        first = Server(trial.program, os.path.join(place, "first"), "--public-url", URL, database=database)
        second = Server(trial.program, os.path.join(place, "second"), "--public-url", URL, "--master-key-file",
                        os.path.join(first.data, "master-key"), database=database)
        self.servers, self.administrator = [first, second], first.administrator
        self.wires = [Wire(server.port) for server in self.servers]
        self.both = Several(self.wires)
        # Of many users: what is of one user waits for its turn.
        self.browsers = [Browser(person.email) for person in await self.people(BROWSERS)]
        for browser in self.browsers:
            await browser.visit(self.both)
        self.keys = [SigningKey() for _ in range(COPIES)]
        good(await self.both.post("/admin/v1/applications:add", {"id": "racer", "registration": {
            "displayName": "Racer", "kind": "service", "authMethod": "private_key_jwt", "scopes": ["api"], "resources": ["http://127.0.0.1/api"],
            "jwks": {"keys": [self.keys[0].jwk | {"kid": "racer", "alg": "ES256", "use": "sig"}]}}}, self.administrator), "application")

    def browser(self, number):
        return self.browsers[number % len(self.browsers)]

    async def people(self, count, is_proven=True, secret=None):
        """So many new users with a password, and with an authenticator app where there is a secret for it: one import."""
        key, people = b"imported", [Life() for _ in range(count)]
        digest = base64.b64encode(hmac.new(key, PASSWORD.encode(), hashlib.sha256).digest()).decode()
        users = []
        for person in people:
            person.id = uuid.uuid4().hex
            person.factor = f"f{person.id}"
            users.append({"localId": person.id, "email": person.email, "emailVerified": is_proven, "passwordHash": digest} | ({} if secret is None else {
                "mfaInfo": [{"mfaEnrollmentId": person.factor, "displayName": "App", "totpInfo": {"sharedSecretKey": secret}}]}))
        done = good(await self.both.post("/v1/projects/countersign/accounts:batchCreate", {
            "hashAlgorithm": "HMAC_SHA256", "signerKey": base64.b64encode(key).decode(), "users": users}, "owner"), "import")
        if done.get("error"):
            raise Refused(f"import {done}")
        return people

    async def run(self, race, made):
        """The four answers to each."""
        async def copy(number, arguments):
            position, named = arguments(number)
            return await self.wires[number % 2].ask(*position, **named)

        shots = [copy(number, each) for each in made for number in range(COPIES)]
        answers = await asyncio.gather(*shots)
        return [answers[start:start + COPIES] for start in range(0, len(answers), COPIES)]


async def races(trial):
    if not postgres_programs():
        return trial.skip("PostgreSQL is not installed")
    total = trial.size("races", 520, 100_000)
    cluster = Cluster()
    stage = Stage()
    await stage.build(trial, cluster)
    before, used = [(server.descriptors(), server.memory()) for server in stage.servers], time.process_time()
    kinds, counts = [kind(stage) for kind in KINDS], {kind.name: 0 for kind in KINDS}
    for race in kinds:
        await race.begin()
    begun, done, busy, running = 0, 0, 0, set()

    async def turn(race, crowd):
        """Races of one kind. How many were run; 0 where that was not possible, and the kind is tried again while it is among the kinds."""
        nonlocal busy
        try:
            answers = await stage.run(race, await race.prepare(crowd))
        except Gone as error:
            # 503 with Retry-After, on a machine that is too busy: the next turn tries again. Always is a fault.
            busy += 1
            if not str(error).startswith("503") or busy > 20 + done // 100:
                trial.fault(f"{race.name}: {error}")
                kinds.remove(race)
            return 0
        except (Refused, KeyError) as error:
            trial.fault(f"{race.name}: {type(error).__name__}: {error}")
            kinds.remove(race)
            return 0
        for place, own in enumerate(answers):
            busy += any(answer.is_away for answer in own)
            if wrong := race.judge(own):
                trial.fault(f"{race.name}: {wrong}")
            race.learn(place, own)
        return crowd

    async def lane():
        """Runs what was run least, and nothing of a kind that another lane has."""
        nonlocal begun, done
        while begun < total and await trial.turn() and begun < total and (idle := [race for race in kinds if race not in running]):
            race = min(idle, key=lambda each: counts[each.name])
            crowd = max(1, min(race.crowd, total // len(kinds), total - begun))
            begun += crowd
            running.add(race)
            reached = await turn(race, crowd)
            running.discard(race)
            begun -= crowd - reached
            counts[race.name] += reached
            done += reached
            trial.progress(f"{done} of {total}, {race.name}, {len(trial.faults)} faults")

    # While one lane prepares, the servers have the races of the others.
    await asyncio.gather(*[lane() for _ in range(LANES)])
    # Which of them the machine was busy with.
    used = {"this program": time.process_time() - used, "servers": sum(server.processor() for server in stage.servers), "PostgreSQL": cluster.processor()}
    for wire in stage.wires:
        wire.close()
    for place, server in enumerate(stage.servers):
        after = await server.settled(before[place][0] + 8)
        if after > before[place][0] + 16:
            trial.fault(f"{after} descriptors, {before[place][0]} before")
        trial.figure(**{f"server {place + 1}": {"descriptors": [before[place][0], after], "memory MiB": [before[place][1], server.memory()]}})
        trial.judge_log(server)
        if server.terminate() != 0:
            trial.fault("a server does not end as it should")
    trial.figure(races=done, busy=busy, requests=sum(wire.answered for wire in stage.wires), kinds=counts,
                 **{"seconds of processors": {who: round(seconds, 1) for who, seconds in used.items()}})
    cluster.end()
