"""Auth0's auth0-python, unmodified, against a Countersign that ends TLS itself.

Usage: auth0_python_test.py HOST:PORT ROOT.pem CLIENT_ID CLIENT_SECRET
The administrator's token comes on standard input.

Prints a line for each step and ends with status 1 at the first that does not hold.
"""

import base64
import hashlib
import hmac
import json
import os
import struct
import sys
import time
import uuid

DOMAIN, ROOT, CLIENT_ID, CLIENT_SECRET = sys.argv[1:5]
ADMIN_TOKEN = sys.stdin.read().strip()
# Both HTTP libraries that auth0-python uses take their authorities from here.
os.environ["SSL_CERT_FILE"] = os.environ["REQUESTS_CA_BUNDLE"] = ROOT

import requests  # noqa: E402
from auth0.authentication import GetToken, Users  # noqa: E402
from auth0.authentication.back_channel_login import BackChannelLogin  # noqa: E402
from auth0.authentication.exceptions import Auth0Error, TokenValidationError  # noqa: E402
from auth0.authentication.token_verifier import AsymmetricSignatureVerifier, TokenVerifier  # noqa: E402
from auth0.management import ManagementClient  # noqa: E402
from auth0.management.core.api_error import ApiError  # noqa: E402
from auth0.management.errors import (  # noqa: E402
    BadRequestError, ConflictError, NotFoundError, UnauthorizedError)
from cryptography.hazmat.primitives import hashes  # noqa: E402
from cryptography.hazmat.primitives.asymmetric import ec, utils  # noqa: E402

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from peer_steps import expect, expect_raises, run_steps, step  # noqa: E402

PASSWORD = "correct horse battery"
BASE = f"https://{DOMAIN}"
API = "https://api.example.com"
CONNECTION = "Username-Password-Authentication"
MFA_GRANT = "http://auth0.com/oauth/grant-type/mfa-"

management = ManagementClient(domain=DOMAIN, token=ADMIN_TOKEN, timeout=300)
tokens = GetToken(DOMAIN, CLIENT_ID, CLIENT_SECRET, timeout=300)


def login(email="ada@example.com", password=PASSWORD, scope="openid profile email", audience=None):
    return tokens.login(email, password, scope=scope, realm=CONNECTION, audience=audience)


def mfa_required():
    error = expect_raises(Auth0Error, login)
    expect(error.status_code == 403 and error.error_code == "mfa_required", error)
    return error.content


def mfa_grant(kind, mfa_token, **members):
    """auth0-python has no method for these grants: its own client posts them."""
    return tokens.authenticated_post(
        f"{BASE}/oauth/token",
        data={"client_id": CLIENT_ID, "grant_type": MFA_GRANT + kind, "mfa_token": mfa_token, **members})


def code(secret):
    """RFC 6238 with the defaults of authenticator apps."""
    digest = hmac.new(base64.b32decode(secret), struct.pack(">Q", int(time.time()) // 30), hashlib.sha1).digest()
    number = struct.unpack(">I", digest[digest[-1] & 15:][:4])[0] & 0x7FFFFFFF
    return f"{number % 1_000_000:06}"


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Device:
    """A phone, as Guardian's SDKs make one."""

    def __init__(self, ticket):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.identifier = str(uuid.uuid4())
        numbers = self.key.public_key().public_numbers()
        answer = requests.post(
            f"{BASE}/appliance-mfa/api/enroll", headers={"Authorization": f'Ticket id="{ticket}"'}, timeout=300,
            json={
                "identifier": self.identifier, "name": "Ada's phone",
                "public_key": {
                    "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256",
                    "x": encoded(numbers.x.to_bytes(32, "big")), "y": encoded(numbers.y.to_bytes(32, "big")),
                },
            })
        expect(answer.status_code == 201, answer.text)
        self.account = answer.json()

    def resolve(self, accepted):
        """Answers what waits for it."""
        waiting = requests.get(
            f"{BASE}/appliance-mfa/api/device-accounts/{self.account['id']}/notifications?wait=10", timeout=300,
            headers={"Authorization": f"Bearer {self.account['token']}"})
        expect(waiting.status_code == 200, waiting.status_code, waiting.text)
        push = waiting.json()["notifications"][-1]["mfa"]
        now = time.time()
        parts = [{"alg": "ES256", "typ": "JWT"}, {
            "sub": push["c"], "iss": self.identifier, "aud": f"{BASE}/appliance-mfa/api/resolve-transaction", "iat": now,
            "exp": now + 30, "auth0_guardian_method": "push", "auth0_guardian_accepted": accepted,
        }]
        text = ".".join(encoded(json.dumps(part).encode()) for part in parts)
        r, s = utils.decode_dss_signature(self.key.sign(text.encode(), ec.ECDSA(hashes.SHA256())))
        statement = f"{text}.{encoded(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"
        answer = requests.post(
            f"{BASE}/appliance-mfa/api/resolve-transaction", json={"challenge_response": statement}, timeout=300,
            headers={"Authorization": f"Bearer {push['txtkn']}"})
        expect(answer.status_code == 204, answer.text)


state = {}


# Users


@step("create a user, and refuse the same again, a weak password and a member that is not kept")
def create():
    user = management.users.create(
        connection=CONNECTION, email="Ada@Example.com", password=PASSWORD, email_verified=True, name="Ada Lovelace",
        verify_email=False)
    expect(user.user_id.startswith("auth0|") and user.email == "ada@example.com" and user.email_verified, user)
    expect(user.identities[0].connection == CONNECTION and user.blocked is False, user)
    state["ada"] = user.user_id
    expect_raises(ConflictError, management.users.create, connection=CONNECTION, email="ada@example.com")
    expect_raises(
        BadRequestError, management.users.create, connection=CONNECTION, email="b@example.com", password="short")
    error = expect_raises(
        BadRequestError, management.users.create, connection=CONNECTION, email="b@example.com", user_metadata={"a": 1})
    expect("user_metadata" in error.body["message"], error)


@step("get a user by id and by e-mail address")
def get():
    expect(management.users.get(state["ada"]).name == "Ada Lovelace")
    expect([user.user_id for user in management.users.list_users_by_email(email="ADA@example.com")] == [state["ada"]])
    expect(management.users.list_users_by_email(email="nobody@example.com") == [])
    expect_raises(NotFoundError, management.users.get, "auth0|nobody")


@step("page through users, with totals, and search them")
def list_users():
    for number in range(5):
        management.users.create(connection=CONNECTION, email=f"{number}@example.com", name=f"Number {number}")
    pager = management.users.list(per_page=2, sort="email:1")
    expect(pager.response.total == 6 and pager.response.length == 2 and pager.response.limit == 2, pager.response)
    expect([user.email for user in pager] == [f"{number}@example.com" for number in range(5)] + ["ada@example.com"])
    for query, count in [
        ('email:"ada@example.com"', 1), (f'user_id:"{state["ada"]}"', 1), ("name:numb*", 5), ('name:"Number 3"', 1),
        ("name:zoe*", 0),
    ]:
        expect(management.users.list(q=query).response.total == count, query)
    fields = list(management.users.list(q='email:"ada@example.com"', fields="email", include_fields=True))
    expect(fields[0].email == "ada@example.com" and fields[0].user_id is None, fields)
    error = expect_raises(BadRequestError, management.users.list, q="logins_count:[1 TO *]")
    expect("email:" in error.body["message"], error)


@step("change a user, block them and let them in again, and delete one")
def update():
    changed = management.users.update(state["ada"], name="Countess of Lovelace", picture="https://example.com/a.png")
    expect(changed.name == "Countess of Lovelace" and changed.email == "ada@example.com", changed)
    management.users.update(state["ada"], blocked=True)
    expect(expect_raises(Auth0Error, login).error_code == "unauthorized_client")
    management.users.update(state["ada"], blocked=False)
    other = management.users.list_users_by_email(email="0@example.com")[0].user_id
    management.users.delete(other)
    expect_raises(NotFoundError, management.users.get, other)


@step("refuse a client that is no administrator")
def stranger():
    somebody = ManagementClient(domain=DOMAIN, token="x", timeout=300)
    expect_raises(UnauthorizedError, somebody.users.get, state["ada"])


# Tokens


@step("sign in with a password, verify the ID token by the JWKS, and read userinfo")
def sign_in():
    expect(expect_raises(Auth0Error, login, password="wrong").error_code == "invalid_grant")
    answer = login(scope="openid profile email offline_access")
    keys = AsymmetricSignatureVerifier(f"{BASE}/.well-known/jwks.json")
    claims = TokenVerifier(keys, f"{BASE}/", CLIENT_ID).verify(answer["id_token"])
    expect(claims["sub"] == state["ada"] and claims["email"] == "ada@example.com", claims)
    expect_raises(
        TokenValidationError, TokenVerifier(keys, f"{BASE}/", "another").verify, answer["id_token"])
    told = Users(DOMAIN, timeout=300).userinfo(answer["access_token"])
    expect(told["sub"] == state["ada"] and told["name"] == "Countess of Lovelace", told)
    expect(expect_raises(Auth0Error, Users(DOMAIN, timeout=300).userinfo, "x").status_code == 401)
    state["refresh"] = answer["refresh_token"]


@step("refresh, and refuse another application's refresh token")
def refresh():
    answer = tokens.refresh_token(state["refresh"])
    expect(answer["refresh_token"] != state["refresh"] and "id_token" in answer, answer)
    error = expect_raises(Auth0Error, tokens.refresh_token, "x.y")
    expect(error.error_code == "invalid_grant", error)


@step("get tokens for an audience that the application has, and for no other")
def audience():
    claims = AsymmetricSignatureVerifier(f"{BASE}/.well-known/jwks.json").verify_signature(
        login(audience=API)["access_token"])
    expect(claims["aud"] == API, claims)
    error = expect_raises(Auth0Error, login, audience="https://elsewhere.example.com")
    expect(error.status_code == 403 and error.error_code == "access_denied", error)
    expect(error.message == "Service not found: https://elsewhere.example.com", error)


@step("find what discovery says")
def discovery():
    document = requests.get(f"{BASE}/.well-known/openid-configuration", timeout=300).json()
    expect(document["token_endpoint"] == f"{BASE}/oauth/token", document)
    expect("urn:openid:params:grant-type:ciba" in document["grant_types_supported"], document)
    expect("RS256" in document["id_token_signing_alg_values_supported"], document)


# Second factors


@step("switch factors and policies")
def factors():
    listed = {factor.name: factor.enabled for factor in management.guardian.factors.list()}
    expect(listed["push-notification"] and listed["otp"] and not listed["sms"], listed)
    expect(management.guardian.factors.set("otp", enabled=False).enabled is False)
    expect(management.guardian.factors.set("otp", enabled=True).enabled is True)
    expect(management.guardian.policies.set(request=["all-applications"]) == ["all-applications"])
    expect(management.guardian.policies.list() == ["all-applications"])
    required = mfa_required()
    expect(required["mfa_requirements"] == {"enroll": [{"type": "push-notification"}, {"type": "otp"}]}, required)
    expect(required["mfa_token"].count(".") == 2, required)
    expect(management.guardian.policies.set(request=[]) == [])


@step("make a ticket, find its enrolment pending, and enrol a device with it")
def enroll():
    ticket = management.guardian.enrollments.create_ticket(user_id=state["ada"], factor="push-notification")
    expect(ticket.ticket_id.startswith("gten_") and ticket.ticket_url.endswith(ticket.ticket_id), ticket)
    event = next(iter(management.logs.list(search="type:gd_start_enroll")))
    pending = event.details["device_id"]
    expect(management.guardian.enrollments.get(pending).status == "pending")
    state["device"] = Device(ticket.ticket_id)
    enrollment = management.guardian.enrollments.get(state["device"].account["id"])
    expect(enrollment.status == "confirmed" and enrollment.name == "Ada's phone", enrollment)
    listed = management.users.enrollments.get(state["ada"])
    expect([item.id for item in listed] == [state["device"].account["id"]], listed)
    expect_raises(
        NotFoundError, management.guardian.enrollments.create_ticket, user_id="auth0|nobody")


@step("list authentication methods, in pages and with totals, and add one")
def methods():
    pager = management.users.authentication_methods.list(state["ada"], per_page=1)
    expect(pager.response.total == 2, pager.response)
    expect({method.type for method in pager} == {"guardian", "recovery-code"})
    added = management.users.authentication_methods.create(
        state["ada"], type="totp", name="desk", totp_secret="GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")
    expect(added.id.startswith("totp|"), added)
    expect(management.users.authentication_methods.get(state["ada"], added.id).name == "desk")
    management.users.authentication_methods.delete(state["ada"], added.id)


@step("complete a sign-in with a code, and list what could have")
def one_time_code():
    required = mfa_required()
    token = required["mfa_token"]
    expect(
        [item["type"] for item in required["mfa_requirements"]["challenge"]]
        == ["push-notification", "otp", "recovery-code"], required)
    listed = tokens.get(f"{BASE}/mfa/authenticators", headers={"Authorization": f"Bearer {token}"})
    expect([item["type"] for item in listed] == ["push-notification", "otp", "recovery-code"], listed)
    expect(expect_raises(Auth0Error, mfa_grant, "otp", token, otp="000000").error_code == "invalid_grant")
    answer = mfa_grant("otp", token, otp=code(state["device"].account["totp"]["secret"]))
    expect("id_token" in answer, answer)


def challenge(token):
    return tokens.authenticated_post(
        f"{BASE}/mfa/challenge",
        data={
            "client_id": CLIENT_ID, "mfa_token": token, "challenge_type": "oob",
            "authenticator_id": f"push|{state['device'].account['id']}",
        })["oob_code"]


@step("complete a sign-in by the device, and refuse what it rejects")
def out_of_band():
    token = mfa_required()["mfa_token"]
    oob_code = challenge(token)
    error = expect_raises(Auth0Error, mfa_grant, "oob", token, oob_code=oob_code)
    expect(error.error_code == "authorization_pending", error)
    state["device"].resolve(True)
    expect("access_token" in mfa_grant("oob", token, oob_code=oob_code))

    token = mfa_required()["mfa_token"]
    oob_code = challenge(token)
    state["device"].resolve(False)
    error = expect_raises(Auth0Error, mfa_grant, "oob", token, oob_code=oob_code)
    expect(error.error_code == "invalid_grant" and error.message == "MFA Authorization rejected.", error)


@step("ask a user by the backchannel, and get what they allowed")
def backchannel():
    details = [{"type": "money_transfer", "amount": 2500}]
    hint = json.dumps({"format": "iss_sub", "iss": f"{BASE}/", "sub": state["ada"]})
    asked = BackChannelLogin(DOMAIN, CLIENT_ID, CLIENT_SECRET, timeout=300).back_channel_login(
        "Transfer 2500", hint, "openid", authorization_details=details, audience=API)
    expect(asked["interval"] == 5, asked)
    error = expect_raises(Auth0Error, tokens.backchannel_login, asked["auth_req_id"])
    expect(error.error_code == "authorization_pending", error)
    state["device"].resolve(True)
    answer = tokens.backchannel_login(asked["auth_req_id"])
    expect(answer["authorization_details"] == details, answer)


@step("use the recovery code, and make another")
def recovery():
    answer = mfa_grant(
        "recovery-code", mfa_required()["mfa_token"], recovery_code=state["device"].account["recovery_code"])
    expect(len(answer["recovery_code"]) == 24, answer)
    made = management.users.regenerate_recovery_code(state["ada"])
    expect(len(made.recovery_code) == 24, made)


@step("read the log, of everybody and of one user, in pages and with totals")
def logs():
    pager = management.logs.list(per_page=3, search="type:gd_auth_rejected")
    expect(pager.response.total == 1 and [event.type for event in pager] == ["gd_auth_rejected"], pager.response)
    whole = management.logs.list(per_page=5)
    expect(whole.response.total == len(list(whole)) > 5, whole.response)
    own = management.users.logs.list(state["ada"], per_page=50)
    expect(all(event.user_id == state["ada"] for event in own) and own.response.total > 5, own.response)
    first = own.items[0]
    expect(management.logs.get(first.log_id).type == first.type, first)


@step("remove the device and everything else that is a second factor")
def remove():
    management.guardian.enrollments.delete(state["device"].account["id"])
    error = expect_raises(ApiError, management.guardian.enrollments.get, state["device"].account["id"])
    expect(error.status_code == 404, error)
    management.users.authenticators.delete_all(state["ada"])
    expect("access_token" in login())


run_steps()
