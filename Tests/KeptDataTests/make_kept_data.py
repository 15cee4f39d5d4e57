"""Makes a database of the present version with something of everything in it, and what can still be done with it.

Usage: make_kept_data.py PROGRAM DIRECTORY [POSTGRES-URL]

PROGRAM is a built `countersign`. DIRECTORY is made: the data directory's keys, `countersign.sqlite` (or `postgres.sql`,
by pg_dump), and `steps.json`: the instant at which everything was pending, and the requests that finish it. Later versions
migrate a copy, stop their clock at that instant, and send the requests (KeptDataTests.swift).
"""

import atexit
import base64
import functools
import hashlib
import hmac
import json
import os
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "EndToEndTests"))
from pages import Person, redemption  # noqa: E402

PROGRAM, OUT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
DATABASE = sys.argv[3] if len(sys.argv) > 3 else None
BASE = "http://127.0.0.1:8080"
PASSWORD, NEW_PASSWORD = "analytical engine", "difference engine no 2"
TENANT = "/contoso.onmicrosoft.com"
EVERYTHING, CAPABILITIES = "oob password redirect", "mfa_required registration_required"

# What is kept has to hold until the instant at which clocks stop: a rotated refresh token, for one, is taken again for a minute,
# and the first lockout of a factor is short.
SHORTEST = 30

began = time.monotonic()
data = tempfile.mkdtemp(prefix="kept-")
options = ["--data", data] + (["--database", DATABASE] if DATABASE else [])
server = subprocess.Popen(
    [PROGRAM, "serve", "--dev", *options], stdout=subprocess.PIPE, stderr=open("/tmp/kept-server.log", "w"), text=True)
atexit.register(server.kill)
while "listening on" not in (line := server.stdout.readline()):
    if not line:
        sys.exit("The server did not start; see /tmp/kept-server.log.")
KEY = open(f"{data}/api-key").read().strip()
ADMIN = {"Authorization": f"Bearer {open(f'{data}/admin-token').read().strip()}"}


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments):
        return None


opener = urllib.request.build_opener(NoRedirect)


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def request(method, path, body=None, headers=None, form=None):
    headers = dict(headers or {})
    content = None
    if form is not None:
        content = urllib.parse.urlencode(form)
        headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
    elif body is not None:
        content = json.dumps(body)
        headers.setdefault("Content-Type", "application/json")
    return {"method": method, "path": path, "headers": headers, "body": content}


def send(what, expecting=200):
    message = urllib.request.Request(
        BASE + what["path"], method=what["method"], headers=what["headers"],
        data=what["body"].encode() if what["body"] is not None else None)
    try:
        answer = opener.open(message)
    except urllib.error.HTTPError as error:
        answer = error
    text = answer.read().decode()
    if expecting is not None and answer.status != expecting:
        raise AssertionError(f"{what['method']} {what['path']}: {answer.status} {text}")
    try:
        return json.loads(text) if text else {}, answer
    except ValueError:
        return {"text": text}, answer


def post(path, body, headers=None, expecting=200):
    return send(request("POST", path, body, headers), expecting)[0]


def form(path, fields, expecting=200, headers=None):
    return send(request("POST", path, form=fields, headers=headers), expecting)[0]


def cli(*arguments):
    found = subprocess.run([PROGRAM, *arguments, *options, "--json"], capture_output=True, text=True)
    if found.returncode != 0:
        raise AssertionError(found.stderr + found.stdout)
    return found.stdout


@functools.cache
def usage(*words):
    """What the program says of a command; nothing where it has none of the name."""
    found = subprocess.run([PROGRAM, *words, "--help"], capture_output=True, text=True)
    return found.stdout if found.returncode == 0 else ""


def has_command(*words):
    return usage(*words) != ""


def has_option(*words):
    return words[-1] in usage(*words[:-1])


def code(secret, at):
    """RFC 6238: HMAC-SHA-1, six digits, thirty seconds."""
    key = base64.b32decode(secret + "=" * (-len(secret) % 8))
    digest = hmac.new(key, struct.pack(">Q", int(at) // 30), hashlib.sha1).digest()
    return f"{(struct.unpack('>I', digest[digest[-1] & 15:][:4])[0] & 0x7FFFFFFF) % 1_000_000:06}"


def later(secret):
    """A code that is good at the kept instant although an earlier one was used in the same half minute."""
    return lambda: code(secret, NOW + 30)


def mailed(email):
    messages = [m for m in send(request("GET", "/dev/inbox.json"))[0]["messages"] if m["to"] == email]
    return re.search(r"\b(\d{8})\b", messages[-1]["text"]).group(1)


STEPS = []
NOW = None


def keep(name, make, status=200, has=(), value=None):
    """Something to be done with what is kept. `make` is called at the kept instant."""
    STEPS.append((name, make, status, list(has), value or {}))


# A seal that this version made: later ones check the log from it on. The server seals each minute what is half a minute old.
if has_command("audit", "verify"):
    # What is asked of the program further down takes no time then.
    for words in re.findall(r'has_(?:command|option)\(("[^)]+")\)', open(__file__).read()):
        names = re.findall(r'"([^"]+)"', words)
        usage(*[name for name in names if not name.startswith("--")])
    while "checkedThrough" not in post("/admin/v1/audit:seals", {}, ADMIN):
        time.sleep(5)
    keep("the seals of the log", lambda: request("POST", "/admin/v1/audit:seals", {}, ADMIN), has=["digest", "checkedThrough"])
    keep("a log that holds", lambda: request("POST", "/admin/v1/audit:verify", {}, ADMIN), has=["through"], value={"seals": 1})
    began = time.monotonic()

# People and applications


def person(name, password=PASSWORD):
    email = f"{name}@example.org"
    body = {"email": email, "email_verified": True, "connection": "Username-Password-Authentication"}
    if password:
        body["password"] = password
    user = post("/api/v2/users", body, ADMIN, 201)["user_id"] if password else None
    if user is None:
        user = "auth0|" + json.loads(cli("user", "add", email, "--verified"))["id"]
    return email, user


def toolkit(path, body):
    return post(f"{path}?key={KEY}", body)


def password_sign_in(email):
    return toolkit("/v1/accounts:signInWithPassword", {"email": email, "password": PASSWORD, "returnSecureToken": True})


def with_totp(name):
    email, user = person(name)
    return email, user, *totp(email)


def totp(email):
    token = password_sign_in(email)["idToken"]
    info = toolkit("/v2/accounts/mfaEnrollment:start", {"idToken": token, "totpEnrollmentInfo": {}})["totpSessionInfo"]
    secret = info["sharedSecretKey"]
    signed_in = toolkit(
        "/v2/accounts/mfaEnrollment:finalize",
        {"idToken": token, "displayName": "TOTP", "totpVerificationInfo": {
            "sessionInfo": info["sessionInfo"], "verificationCode": code(secret, time.time())}})
    return secret, signed_in


def oauth(fields, expecting=200, path="/oauth/token", client="dev-app", secret=None):
    fields = {**fields, "client_id": client}
    if secret:
        fields["client_secret"] = secret
    return post(path, fields, None, expecting)


def mfa_token(email, **more):
    return oauth({"grant_type": "password", "username": email, "password": PASSWORD, **more}, 403)["mfa_token"]


MFA = "http://auth0.com/oauth/grant-type/mfa-"


def oauth_request(fields, path="/oauth/token", client="dev-app", secret=None):
    fields = {**fields, "client_id": client}
    if secret:
        fields["client_secret"] = secret
    return request("POST", path, fields)


def public_jwk(key):
    numbers = key.public_key().public_numbers()
    return {
        "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256",
        "x": encoded(numbers.x.to_bytes(32, "big")), "y": encoded(numbers.y.to_bytes(32, "big"))}


def signed_es256(key, header, claims):
    text = ".".join(encoded(json.dumps(part).encode()) for part in (header, claims))
    r, s = utils.decode_dss_signature(key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
    return f"{text}.{encoded(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


class Device:
    """An app of Guardian's SDK."""

    def __init__(self):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.identifier = str(uuid.uuid4())
        self.registration = {
            "identifier": self.identifier, "name": "Ada's iPhone",
            "push_credentials": {"service": "APNS", "token": "A0B1C2"},
            "public_key": public_jwk(self.key)}

    def enrolling(self, ticket):
        return request(
            "POST", "/appliance-mfa/api/enroll", self.registration, {"Authorization": f'Ticket id="{ticket}"'})

    def enrol(self, ticket):
        self.account = send(self.enrolling(ticket), 201)[0]
        return self

    def push(self):
        found = send(request(
            "GET", f"/appliance-mfa/api/device-accounts/{self.account['id']}/notifications?wait=10", None,
            {"Authorization": f"Bearer {self.account['token']}"}))[0]
        return found["notifications"][-1]["mfa"]

    def resolving(self, push, accepted=True):
        def make():
            statement = signed_es256(self.key, {"alg": "ES256", "typ": "JWT"}, {
                "sub": push["c"], "iss": self.identifier, "aud": f"{BASE}/appliance-mfa/api/resolve-transaction",
                "iat": NOW, "exp": NOW + 30, "auth0_guardian_method": "push", "auth0_guardian_accepted": accepted})
            return request(
                "POST", "/appliance-mfa/api/resolve-transaction", {"challenge_response": statement},
                {"Authorization": f"Bearer {push['txtkn']}"})
        return make


def ticket(user):
    return post(
        "/api/v2/guardian/enrollments/ticket", {"user_id": user, "factor": "push-notification"}, ADMIN, 201)["ticket_id"]


def native(path, fields, expecting=200, client="dev-app"):
    return form(TENANT + path, {"client_id": client, **fields}, expecting)


def native_request(path, fields, client="dev-app"):
    return request("POST", TENANT + path, form={"client_id": client, **fields})


def begun(email, client="dev-app"):
    return native(
        "/oauth2/v2.0/initiate",
        {"username": email, "challenge_type": EVERYTHING, "capabilities": CAPABILITIES}, client=client)["continuation_token"]


cli("app", "add", "--id", "strict", "--challenge-types", "oob password redirect", "--scopes", "api", "--require-mfa")
SECRET = "0123456789abcdefghijklmnopqrstuv"
with open(f"{data}/secret", "w") as file:
    file.write(SECRET)
os.chmod(f"{data}/secret", 0o600)
cli("app", "add", "--id", "site", "--secret-file", f"{data}/secret", "--scopes", "openid")

# Identity Toolkit

email, user = person("plain")
plain = password_sign_in(email)
keep("an ID token", lambda: request("POST", f"/v1/accounts:lookup?key={KEY}", {"idToken": plain["idToken"]}),
     has=["users"])
keep("a refresh token of Identity Toolkit",
     lambda: request("POST", f"/v1/token?key={KEY}",
                     form={"grant_type": "refresh_token", "refresh_token": plain["refreshToken"]}),
     has=["access_token", "refresh_token"])

email, user, totp_a, second = with_totp("toolkit-second")
keep("a refresh token of a session with a second factor",
     lambda: request("POST", f"/v1/token?key={KEY}",
                     form={"grant_type": "refresh_token", "refresh_token": second["refreshToken"]}),
     has=["access_token"])
traded = form(f"/v1/token?key={KEY}", {"grant_type": "refresh_token", "refresh_token": second["refreshToken"]})
keep("the refresh token before it, once more within the minute of grace",
     lambda: request("POST", f"/v1/token?key={KEY}",
                     form={"grant_type": "refresh_token", "refresh_token": second["refreshToken"]}),
     has=["access_token"])

email, user, totp_b, _ = with_totp("toolkit-pending")
pending = password_sign_in(email)
keep("a pending credential",
     lambda: request("POST", f"/v2/accounts/mfaSignIn:finalize?key={KEY}", {
         "mfaPendingCredential": pending["mfaPendingCredential"],
         "mfaEnrollmentId": pending["mfaInfo"][0]["mfaEnrollmentId"],
         "totpVerificationInfo": {"verificationCode": later(totp_b)()}}),
     has=["idToken", "refreshToken"])

email, user = person("toolkit-enrolling")
enrolling = password_sign_in(email)["idToken"]
info = toolkit("/v2/accounts/mfaEnrollment:start", {"idToken": enrolling, "totpEnrollmentInfo": {}})["totpSessionInfo"]
keep("an enrolment of an authenticator",
     lambda: request("POST", f"/v2/accounts/mfaEnrollment:finalize?key={KEY}", {
         "idToken": enrolling, "displayName": "TOTP", "totpVerificationInfo": {
             "sessionInfo": info["sessionInfo"], "verificationCode": code(info["sharedSecretKey"], NOW)}}),
     has=["idToken"])


def oob(kind, name, **more):
    email, _ = person(name)
    return email, post(
        f"/v1/accounts:sendOobCode?key={KEY}",
        {"requestType": kind, "email": email, "returnOobLink": True, **more}, ADMIN)["oobCode"]


_, reset_link = oob("PASSWORD_RESET", "link-reset")
keep("a link that resets a password",
     lambda: request("POST", f"/v1/accounts:resetPassword?key={KEY}", {"oobCode": reset_link, "newPassword": NEW_PASSWORD}),
     has=["email"])
_, verify_link = oob("VERIFY_EMAIL", "link-verify")
keep("a link that verifies an address",
     lambda: request("POST", f"/v1/accounts:update?key={KEY}", {"oobCode": verify_link}), has=["email"])
_, change_link = oob("VERIFY_AND_CHANGE_EMAIL", "link-change", newEmail="link-changed@example.org")
keep("a link that changes an address",
     lambda: request("POST", f"/v1/accounts:update?key={KEY}", {"oobCode": change_link}),
     value={"email": "link-changed@example.org"})
link_email, sign_in_link = oob("EMAIL_SIGNIN", "link-sign-in")
keep("a link that signs in",
     lambda: request("POST", f"/v1/accounts:signInWithEmailLink?key={KEY}", {"oobCode": sign_in_link, "email": link_email}),
     has=["idToken"])

anonymous = toolkit("/v1/accounts:signUp", {"returnSecureToken": True})
keep("a refresh token of an anonymous account",
     lambda: request("POST", f"/v1/token?key={KEY}",
                     form={"grant_type": "refresh_token", "refresh_token": anonymous["refreshToken"]}),
     has=["access_token"])

# Guardian

email, user, totp_c, _ = with_totp("guardian-otp")
guardian_otp = mfa_token(email, scope="openid offline_access")
keep("an mfa_token, by a code",
     lambda: oauth_request({"grant_type": MFA + "otp", "mfa_token": guardian_otp, "otp": later(totp_c)()}),
     has=["access_token", "refresh_token", "id_token"])

email, user = person("guardian-recovery")
recovery_device = Device().enrol(ticket(user))
recovery = mfa_token(email)
keep("an mfa_token, by a recovery code",
     lambda: oauth_request({
         "grant_type": MFA + "recovery-code", "mfa_token": recovery,
         "recovery_code": recovery_device.account["recovery_code"]}),
     has=["access_token", "recovery_code"])
keep("the token of a device",
     lambda: request("PATCH", f"/appliance-mfa/api/device-accounts/{recovery_device.account['id']}", {"name": "Mine"},
                     {"Authorization": f"Bearer {recovery_device.account['token']}"}),
     has=["name"])

email, user, totp_d, _ = with_totp("guardian-browser")
browser = post("/api/start-flow", {}, {"Authorization": f"Bearer {mfa_token(email)}"}, 201)["transaction_token"]
keep("a browser's transaction",
     lambda: request("POST", "/api/verify-otp", {"type": "manual_input", "code": later(totp_d)()},
                     {"Authorization": f"Bearer {browser}"}), status=204)

email, user = person("guardian-push")
device = Device().enrol(ticket(user))
push_token = mfa_token(email)
asked = oauth({"mfa_token": push_token, "challenge_type": "oob"}, path="/mfa/challenge")
push = device.push()
keep("a request that waits for a device: its answer", device.resolving(push), status=204)
keep("a request that waits for a device: the session",
     lambda: oauth_request({"grant_type": MFA + "oob", "mfa_token": push_token, "oob_code": asked["oob_code"]}),
     has=["access_token"])

email, user = person("guardian-allowed")
allowing = Device().enrol(ticket(user))
allowed_token = mfa_token(email)
allowed = oauth({"mfa_token": allowed_token, "challenge_type": "oob"}, path="/mfa/challenge")
allowed_push = allowing.push()
NOW = time.time()
send(allowing.resolving(allowed_push)(), 204)
NOW = None
keep("a sign-in that a device has allowed",
     lambda: oauth_request({"grant_type": MFA + "oob", "mfa_token": allowed_token, "oob_code": allowed["oob_code"]}),
     has=["access_token"])

email, user = person("guardian-ciba")
ciba_device = Device().enrol(ticket(user))
ciba = oauth(
    {"scope": "openid", "binding_message": "ABC", "login_hint": json.dumps(
        {"format": "iss_sub", "iss": f"{BASE}/", "sub": user})}, path="/bc-authorize", client="site", secret=SECRET)
ciba_push = ciba_device.push()
keep("a backchannel request: its answer", ciba_device.resolving(ciba_push), status=204)
keep("a backchannel request: the session",
     lambda: oauth_request({
         "grant_type": "urn:openid:params:grant-type:ciba", "auth_req_id": ciba["auth_req_id"]}, client="site",
         secret=SECRET),
     has=["access_token"])

_, user = person("guardian-invited")
invited = ticket(user)
keep("an invitation", lambda: Device().enrolling(invited), status=201, has=["id", "token"])
_, user = person("guardian-ticket")
led = post("/api/start-flow", {}, {"Authorization": f'Ticket id="{ticket(user)}"'}, 201)["enrollment_tx_id"]
keep("a ticket that an invitation led to", lambda: Device().enrolling(led), status=201, has=["id"])

email, user = person("guardian-refresh")
guardian_tokens = oauth(
    {"grant_type": "password", "username": email, "password": PASSWORD, "scope": "openid offline_access"})
keep("a refresh token of Guardian",
     lambda: oauth_request({"grant_type": "refresh_token", "refresh_token": guardian_tokens["refresh_token"]}),
     has=["access_token"])
keep("an access token of Guardian",
     lambda: request("GET", "/userinfo", None, {"Authorization": f"Bearer {guardian_tokens['access_token']}"}), has=["sub"])

email, user = person("guardian-associating")
own = oauth({
    "grant_type": "password", "username": email, "password": PASSWORD, "audience": f"{BASE}/mfa/",
    "scope": "enroll read:authenticators remove:authenticators"})["access_token"]
keep("an access token for one's authenticators",
     lambda: request("GET", "/mfa/authenticators", None, {"Authorization": f"Bearer {own}"}))
association = post("/mfa/associate", {"authenticator_types": ["otp"]}, {"Authorization": f"Bearer {own}"})
keep("an authenticator that is being associated",
     lambda: oauth_request({
         "grant_type": MFA + "otp", "mfa_token": association["mfa_token"],
         "otp": code(association["secret"], NOW)}),
     has=["access_token"])

# Native authentication

email, _ = person("native-password")
waiting = begun(email)
keep("a native sign-in that waits for the password",
     lambda: native_request("/oauth2/v2.0/token", {
         "grant_type": "password", "continuation_token": waiting, "password": PASSWORD, "scope": "openid offline_access"}),
     has=["access_token", "refresh_token"])
email, _ = person("native-refresh")
native_tokens = native("/oauth2/v2.0/token", {
    "grant_type": "password", "continuation_token": begun(email), "password": PASSWORD, "scope": "openid offline_access"})
keep("a refresh token of native authentication",
     lambda: native_request("/oauth2/v2.0/token", {
         "grant_type": "refresh_token", "refresh_token": native_tokens["refresh_token"], "scope": "openid offline_access"}),
     has=["access_token", "refresh_token"])

email, _, totp_e, _ = with_totp("native-second")
first = native(
    "/oauth2/v2.0/token", {"grant_type": "password", "continuation_token": begun(email), "password": PASSWORD}, 400)
methods = native("/oauth2/v2.0/introspect", {"continuation_token": first["continuation_token"]})
asked_second = native(
    "/oauth2/v2.0/challenge", {"continuation_token": methods["continuation_token"], "id": methods["methods"][0]["id"]})
keep("a native sign-in that waits for the second factor",
     lambda: native_request("/oauth2/v2.0/token", {
         "grant_type": "mfa_oob", "continuation_token": asked_second["continuation_token"], "oob": later(totp_e)()}),
     has=["access_token"])


def reset_begun(name):
    email, _ = person(name)
    started = native("/resetpassword/v1.0/start", {"username": email, "challenge_type": EVERYTHING})
    asked = native(
        "/resetpassword/v1.0/challenge",
        {"continuation_token": started["continuation_token"], "challenge_type": EVERYTHING})
    return asked["continuation_token"], mailed(email)


reset_token, reset_code = reset_begun("native-reset")
keep("a reset that waits for the code",
     lambda: native_request("/resetpassword/v1.0/continue", {
         "continuation_token": reset_token, "grant_type": "oob", "oob": reset_code}), has=["continuation_token"])
token, reset_oob = reset_begun("native-reset-password")
submitting = native("/resetpassword/v1.0/continue", {"continuation_token": token, "grant_type": "oob", "oob": reset_oob})
keep("a reset that waits for the password",
     lambda: native_request("/resetpassword/v1.0/submit", {
         "continuation_token": submitting["continuation_token"], "new_password": NEW_PASSWORD}),
     has=["continuation_token"])


def sign_up_begun(email):
    started = native("/signup/v1.0/start", {"username": email, "challenge_type": EVERYTHING})
    asked = native("/signup/v1.0/challenge", {
        "continuation_token": started["continuation_token"], "challenge_type": EVERYTHING})
    return asked["continuation_token"], mailed(email)


sign_up_token, sign_up_code = sign_up_begun("native-new@example.org")
keep("a sign-up that waits for the code: credential_required",
     lambda: native_request("/signup/v1.0/continue", {
         "continuation_token": sign_up_token, "grant_type": "oob", "oob": sign_up_code}), status=400,
     value={"error": "credential_required"})
token, new_code = sign_up_begun("native-newer@example.org")
newer = native("/signup/v1.0/continue", {"continuation_token": token, "grant_type": "oob", "oob": new_code}, 400)
keep("a sign-up that waits for the password",
     lambda: native_request("/signup/v1.0/continue", {
         "continuation_token": newer["continuation_token"], "grant_type": "password", "password": NEW_PASSWORD}),
     has=["continuation_token"])

email, _ = person("native-strict")
strict = native(
    "/oauth2/v2.0/token",
    {"grant_type": "password", "continuation_token": begun(email, "strict"), "password": PASSWORD}, 400, "strict")
keep("a sign-in that waits for a mailbox to be registered",
     lambda: native_request("/register/v1.0/introspect", {"continuation_token": strict["continuation_token"]}, "strict"),
     has=["continuation_token", "methods"])

# A lockout

email, user, totp_f, _ = with_totp("locked")
locked = mfa_token(email)
for number in range(5):
    oauth({"grant_type": MFA + "otp", "mfa_token": locked, "otp": "000000"}, None)
locked_again = mfa_token(email)
keep("a factor that waits out a lockout, also with the right code",
     lambda: oauth_request({"grant_type": MFA + "otp", "mfa_token": locked_again, "otp": later(totp_f)()}), status=429)


# Security checks


class App:
    """An installation of an app of MobileFirst's SDK."""

    def __init__(self):
        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        numbers = self.key.public_key().public_numbers()
        self.jwk = {
            "kty": "RSA", "n": encoded(numbers.n.to_bytes(256, "big")), "e": encoded(numbers.e.to_bytes(3, "big"))}
        self.id = None
        data = {
            "device": {"id": str(uuid.uuid4()).upper(), "platform": "ios 17.1", "hardware": "iPhone15,2"},
            "application": {"id": "com.countersign.dev", "clientPlatform": "ios", "version": "1.0.0"},
            "attributes": {"sdk_protocol_version": 1}}
        parts = self.signed(data)
        _, answer = send(request(
            "POST", "/mfp/api/registration/v1/self", {"signedRegistrationData": dict(zip(
                ["header", "payload", "signature"], parts))}), 201)
        self.id = answer.headers["Location"].split("/")[-1]

    def signed(self, payload):
        jwk = {**self.jwk, **({"kid": self.id} if self.id else {})}
        parts = [encoded(json.dumps(part).encode()) for part in ({"alg": "RS256", "jwk": jwk}, payload)]
        signature = self.key.sign(".".join(parts).encode(), padding.PKCS1v15(), hashes.SHA256())
        return [*parts, encoded(signature)]

    def assertion(self, name, at):
        return ".".join(self.signed({
            "iss": "com.countersign.dev$ios$1.0.0", "sub": self.id, "aud": "(null)az/v1/token", "jti": name,
            "iat": int(at * 1000), "exp": int(at * 1000) + 60_000}))

    def preauthorizing(self, scope, answers=None):
        body = {"client_id": self.id, "scope": scope}
        if answers:
            body["challengeResponse"] = answers
        return request("POST", "/mfp/api/preauth/v1/preauthorize", body)

    def code(self, scope):
        query = urllib.parse.urlencode({
            "response_type": "code", "client_id": self.id, "scope": scope, "redirect_uri": "http://mfpredirecturi"})
        _, answer = send(request("GET", f"/mfp/api/az/v1/authorization?{query}"), 302)
        return answer.headers["Location"].split("code=")[1]

    def trading(self, fields, name, at):
        return request("POST", "/mfp/api/az/v1/token", form={
            **fields, "client_id": self.id, "client_assertion": self.assertion(name, at),
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"})


SCOPE = "accessRestricted RegisteredClient"
PIN = {"PinCodeAttempts": {"pin": "1234"}}
WRONG_PIN = {"PinCodeAttempts": {"pin": "9999"}}
# Refresh tokens are an application's own choice.
shown = json.loads(cli("app", "show", "com.countersign.dev"))
versions = (shown.get("application") or shown)["versions"]
for version in versions:
    version["refreshTokens"] = True
post("/admin/v1/applications:set", {"id": "com.countersign.dev", "registration": {"versions": versions}}, ADMIN)
app = App()
send(app.preauthorizing(SCOPE, PIN))
access = send(app.trading(
    {"grant_type": "authorization_code", "code": (used := app.code(SCOPE)),
     "redirect_uri": "http://mfpredirecturi", "get_refresh_token": "TRUE"}, used, time.time()))[0]
keep("an access token of security checks",
     lambda: request("GET", "/mfp/api/adapters/ResourceAdapter/balance", None,
                     {"Authorization": f"Bearer {access['access_token']}"}))
fresh = app.code(SCOPE)
keep("an authorization code",
     lambda: app.trading({"grant_type": "authorization_code", "code": fresh, "redirect_uri": "http://mfpredirecturi"},
                         fresh, NOW),
     has=["access_token"])
keep("a check in success", lambda: app.preauthorizing(SCOPE), has=["successes"])
keep("a refresh token of security checks",
     lambda: app.trading({
         "grant_type": "refresh_token", "refresh_token": access["refresh_token"],
         "redirect_uri": "http://mfpredirecturi"}, "get_refresh_token", NOW),
     has=["access_token", "refresh_token"])
trying = App()
send(trying.preauthorizing(SCOPE), 401)
send(trying.preauthorizing(SCOPE, WRONG_PIN), 401)
keep("a check with one wrong answer",
     lambda: trying.preauthorizing(SCOPE), status=401,
     value={"challenges.PinCodeAttempts.remainingAttempts": 2})
blocked = App()
for _ in range(3):
    send(blocked.preauthorizing(SCOPE, WRONG_PIN), None)
keep("a check that is blocked", lambda: blocked.preauthorizing(SCOPE, PIN), status=403, has=["failures"])
login = App()
send(login.preauthorizing("UserLogin", {"UserLogin": {"username": "ada", "password": "ada", "rememberMe": True}}))
keep("a user whom a check recognised", lambda: login.preauthorizing("UserLogin"), has=["successes"])

# OAuth and the pages (schema 13 and later), and who administers (schema 14 and later)


def header(person):
    """The cookies of a browser, as a server calls them in development, and elsewhere."""
    pairs = [(cookie.name.removeprefix("__Host-"), cookie.value) for cookie in person.cookies]
    return "; ".join(f"{prefix}{name}={value}" for name, value in pairs for prefix in ("", "__Host-"))


def authorized(person, email=None):
    return person.code("openid email offline_access", email, PASSWORD)


def redeeming(code):
    return request("POST", "/oauth/token", form=redemption(code))


def as_administrator(operation, body, token):
    return request("POST", f"/admin/v1/{operation}", body, {"Authorization": f"Bearer {token}"})


if has_command("login"):
    email, user = person("oauth")
    browser_of_oauth = Person(BASE)
    tokens = send(redeeming(authorized(browser_of_oauth, email)))[0]
    keep("an access token of OAuth",
         lambda: request("GET", "/userinfo", None, {"Authorization": f"Bearer {tokens['access_token']}"}),
         value={"email": email})
    keep("a refresh token of OAuth",
         lambda: request("POST", "/oauth/token", form={
             "grant_type": "refresh_token", "client_id": "dev-native", "refresh_token": tokens["refresh_token"]}),
         has=["access_token", "refresh_token", "id_token"])
    keep("a code of the pages", lambda: redeeming(authorized(browser_of_oauth)),
         has=["access_token", "refresh_token", "id_token"])
    keep("a browser that is signed in",
         lambda: request("GET", "/account", None, {"Cookie": header(browser_of_oauth), "Host": "127.0.0.1:8080"}))
    device_codes = form("/oauth/device/code", {"client_id": "dev-native", "scope": "openid"})
    keep("a device that waits for its code",
         lambda: request("POST", "/oauth/token", form={
             "grant_type": "urn:ietf:params:oauth:grant-type:device_code", "client_id": "dev-native",
             "device_code": device_codes["device_code"]}), status=400, value={"error": "authorization_pending"})

    # What users do about their own accounts (schema 16 and later).
    email, _ = person("removing")
    removing = Person(BASE)
    authorized(removing, email)
    page = removing.go("/account/delete")
    if any("typed" in fields for _, fields in page[1]):
        removing.answer(page, typed=email)
        keep("an account whose user has it removed",
             lambda: request("POST", "/admin/v1/users:show", {"user": "removing@example.org"}, ADMIN),
             has=["user.deletionDueAt"])
        keep("a sign-in to an account whose user has it removed",
             lambda: request("POST", f"/v1/accounts:signInWithPassword?key={KEY}",
                             {"email": "removing@example.org", "password": PASSWORD}),
             status=400, value={"error.message": "USER_DISABLED"})

        email, _ = person("reporting")
        reporting = Person(BASE)
        authorized(reporting, email)
        totp_g, _ = totp(email)
        factors = post("/admin/v1/users:show", {"user": email}, ADMIN)["factors"]
        [number] = [n for n, factor in enumerate(factors) if factor["kind"] == "totp"]
        page = reporting.go(f"/account/factor?id={factors[number]['id']}")
        path, fields = next(form for form in page[1] if form[1].get("id") == factors[number]["id"])
        reporting.go(path, {**fields, "decision": "lost"})
        lost = mfa_token(email)
        keep("a factor that its user reported lost",
             lambda: request("POST", "/admin/v1/users:show", {"user": "reporting@example.org"}, ADMIN),
             has=[f"factors.{number}.frozenAt"])
        keep("the right code of a factor that was reported lost",
             lambda: oauth_request({"grant_type": MFA + "otp", "mfa_token": lost, "otp": later(totp_g)()}), status=429)

if has_option("app", "add", "--jwks"):
    asserting = ec.generate_private_key(ec.SECP256R1())
    with open(f"{data}/jwks", "w") as file:
        json.dump({"keys": [{**public_jwk(asserting), "kid": "kept"}]}, file)
    cli("app", "add", "--id", "asserting", "--kind", "service", "--auth-method", "private_key_jwt", "--jwks", f"{data}/jwks")

    def asserted(name, at):
        statement = signed_es256(
            asserting, {"alg": "ES256", "kid": "kept"},
            {"iss": "asserting", "sub": "asserting", "aud": BASE, "jti": name, "iat": int(at), "exp": int(at) + 240})
        return request("POST", "/oauth/token", form={
            "grant_type": "client_credentials", "client_assertion": statement,
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"})

    shown_once = asserted("shown", time.time())
    send(shown_once)
    keep("an assertion that was shown before", lambda: shown_once, status=401, value={"error": "invalid_client"})
    keep("another assertion of the same application", lambda: asserted("not shown", NOW), has=["access_token"])

if has_command("admin", "token", "add"):
    email, user = person("supporter")
    cli("admin", "grant", email, "support")
    cli("group", "add", "engineering")
    cli("group", "add-member", "engineering", email)
    machine = json.loads(cli("admin", "token", "add", "--scope", "*", "--expires", "90d"))["secret"]
    keep("a token of a program", lambda: as_administrator("users:show", {"user": email}, machine), has=["user.id"])
    keep("an administrator", lambda: as_administrator("administrators:list", {}, machine), has=["administrators"])
    keep("a member of a group", lambda: as_administrator("groups:show", {"group": "engineering"}, machine),
         has=["members"])
    email, _ = person("signing-in")
    keep("a sign-in by address and password",
         lambda: request("POST", f"/v1/accounts:signInWithPassword?key={KEY}",
                         {"email": "signing-in@example.org", "password": PASSWORD, "returnSecureToken": True}),
         has=["idToken", "refreshToken"])

if has_command("hook", "add"):
    cli("hook", "add", "https://hooks.example.org/events", "--events", "users,sign-ins", "--label", "Kept")
    keep("a hook", lambda: as_administrator("hooks:list", {}, machine), has=["hooks"])

if has_command("user", "search"):
    cli("user", "add", "named@example.org", "--name", "Ångström Named", "--verified")
    keep("a user who is found by name",
         lambda: as_administrator("users:search", {"text": "ÅNGSTRÖM"}, machine), has=["users"])

if has_option("user", "delete", "--grace"):
    leaving, _ = person("leaving")
    cli("user", "delete", leaving, "--grace", "14", "--yes")
    keep("an account that is to be removed", lambda: as_administrator("users:show", {"user": leaving}, machine),
         has=["user.deletionDueAt"])
    keep("a sign-in to an account that is to be removed",
         lambda: request("POST", f"/v1/accounts:signInWithPassword?key={KEY}", {"email": leaving, "password": PASSWORD}),
         status=400, value={"error.message": "USER_DISABLED"})

if has_option("app", "set", "--disabled"):
    cli("app", "add", "--id", "closed", "--challenge-types", "oob password redirect", "--scopes", "api")
    closed = begun(email, "closed")
    cli("app", "set", "closed", "--disabled")
    keep("a sign-in that waits at an application that is disabled",
         lambda: native_request("/oauth2/v2.0/token", {
             "grant_type": "password", "continuation_token": closed, "password": PASSWORD}, "closed"), status=400,
         value={"error": "unauthorized_client"})

if has_command("app", "sessions"):
    keep("who is signed in to an application",
         lambda: as_administrator("applications:sessions", {"id": "dev-native"}, machine),
         value={"sessions.0.user.email": "oauth@example.org"})

if has_command("app", "registration-token", "add"):
    cli("config", "set", "oauth.registration", "token")
    admitting = json.loads(cli("app", "registration-token", "add", "--expires", "7d", "--count", "2"))["secret"]
    bearer = {"Authorization": f"Bearer {admitting}"}
    metadata = {"client_name": "Kept", "redirect_uris": ["https://kept.example/callback"]}
    registered = post("/oidc/register", metadata, bearer, 201)
    managing = {"Authorization": f"Bearer {registered['registration_access_token']}"}
    keep("a registration of an application's own",
         lambda: request("GET", urllib.parse.urlsplit(registered["registration_client_uri"]).path, None, managing),
         value={"client_id": registered["client_id"]})
    keep("a token that admits one more application",
         lambda: request("POST", "/oidc/register", metadata, bearer), status=201, has=["client_id"])
    keep("an application that registered itself", lambda: as_administrator("registrations:list", {}, machine),
         value={"registrations.0.application.displayName": "Kept"})
    # A later version says it, of grants of this one and of those of the steps.
    keep("when an application was last used", lambda: as_administrator("applications:show", {"id": "dev-native"}, machine),
         has=["application.lastUsedAt"])

    # Two secrets for a while: a later version finds by an index when the first one ends.
    cli("app", "add", "--id", "rotated", "--kind", "service", "--auth-method", "client_secret_basic", "--secret", "--name", "Rotated")
    former = json.loads(cli("app", "set", "rotated", "--secret"))["secret"]
    cli("app", "set", "rotated", "--secret", "--secret-overlap", "240")
    basic = base64.b64encode(f"rotated:{former}".encode()).decode()
    keep("a former secret that counts for a while",
         lambda: request("POST", "/oauth/token", None, {"Authorization": f"Basic {basic}"},
                         form={"grant_type": "client_credentials"}), has=["access_token"])
    keep("when a former secret ends", lambda: as_administrator("applications:show", {"id": "rotated"}, machine),
         has=["application.formerSecretUntil"])
    if has_option("app", "list", "--ending-secrets"):
        keep("which former secrets end", lambda: as_administrator("applications:ending-secrets", {}, machine),
             value={"applications.0.id": "rotated"})

# What administrators see

users = json.loads(cli("user", "list"))
keep("every user", lambda: request("GET", f"/api/v2/users?per_page=100&include_totals=true", None, ADMIN),
     value={"total": len(users["users"] if isinstance(users, dict) else users)})
# The first: later steps make more of them.
STEPS.insert(0, STEPS.pop())

NOW = time.time()
took = time.monotonic() - began
if took > SHORTEST:
    sys.exit(f"This took {took:.0f} s, and some of it holds for {SHORTEST} s only: make it anew on a quiet machine, with a release.")
steps = []
for name, make, status, has, value in STEPS:
    steps.append({"name": name, "request": make(), "status": status, "has": has, "value": value})

version = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True).stdout.strip()
server.terminate()
server.wait()
shutil.rmtree(OUT, ignore_errors=True)
os.makedirs(OUT)
for name in ("master-key", "admin-token", "api-key"):
    if os.path.exists(f"{data}/{name}"):
        shutil.copy(f"{data}/{name}", f"{OUT}/{name}")
if DATABASE:
    dump = subprocess.run(
        ["pg_dump", "--no-owner", "--no-privileges", "--inserts", "--rows-per-insert=50", DATABASE], capture_output=True,
        text=True, check=True)
    # Session settings of one version of PostgreSQL are no part of the data.
    with open(f"{OUT}/postgres.sql", "w") as file:
        for line in dump.stdout.splitlines():
            if not re.match(r"(SET |SELECT pg_catalog\.set_config|\\(un)?restrict|--)", line) and line:
                # The schema of a test has another name.
                file.write(re.sub(r"\b(TABLE|ONLY|INTO|ON|REFERENCES) public\.", r"\1 ", line) + "\n")
else:
    [name] = [n for n in os.listdir(data) if n.endswith((".sqlite", ".db"))]
    with sqlite3.connect(f"{data}/{name}") as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.execute("VACUUM")
        connection.execute("PRAGMA journal_mode=DELETE")
    connection.close()
    shutil.copy(f"{data}/{name}", f"{OUT}/{name}")
with open(f"{OUT}/steps.json", "w") as file:
    json.dump({"version": version, "now": NOW, "steps": steps}, file, indent=1)
shutil.rmtree(data)
print(f"{len(steps)} steps in {OUT}")
