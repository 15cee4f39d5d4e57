"""The client of PyPI fido2 against the endpoints that take passkeys as JSON: Identity Toolkit's and Auth0's.

Arguments: where the server is, and the origin that passkeys are of."""

import base64
import json
import sys
import urllib.error
import urllib.request
from pathlib import Path

from fido2.client import DefaultClientDataCollector, Fido2Client
from fido2.webauthn import PublicKeyCredentialCreationOptions, PublicKeyCredentialRequestOptions
from peer_steps import expect, run_steps, step

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "PasskeysTests"))
from peer import Authenticator  # noqa: E402

SERVER, ORIGIN = sys.argv[1:3]
SCOPE = "openid profile email create:me:authentication_methods read:me:authentication_methods"


def post(path, body, token=None):
    """The status, the headers and the JSON of an answer."""
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    request = urllib.request.Request(SERVER + path, json.dumps(body).encode(), headers, method="POST")
    try:
        with urllib.request.urlopen(request) as reply:
            return reply.status, reply.headers, json.load(reply)
    except urllib.error.HTTPError as error:
        return error.code, error.headers, json.loads(error.read() or b"{}")


def url_base64(text):
    """Without padding, as WebAuthn's JSON has it, of what Identity Toolkit writes in the other alphabet."""
    return base64.urlsafe_b64encode(base64.b64decode(text)).decode().rstrip("=")


class Person:
    """A browser with one authenticator."""

    def __init__(self, algorithm):
        self.authenticator = Authenticator(algorithm)
        self.client = Fido2Client(self.authenticator, DefaultClientDataCollector(ORIGIN))

    def create(self, options):
        return dict(self.client.make_credential(PublicKeyCredentialCreationOptions.from_dict(options)))

    def get(self, options):
        return dict(self.client.get_assertion(PublicKeyCredentialRequestOptions.from_dict(options)).get_response(0))


# MARK: Identity Toolkit

def toolkit_sign_in(person):
    status, _, begun = post("/v2/accounts/passkeySignIn:start?key=any", {})
    expect(status == 200, begun)
    options = begun["credentialRequestOptions"]
    response = person.get(options | {"challenge": url_base64(options["challenge"])})
    return post("/v2/accounts/passkeySignIn:finalize?key=any", {"authenticatorAuthenticationResponse": response})


@step("a passkey of each algorithm is enrolled and signs in by Identity Toolkit's calls")
def toolkit():
    for number, algorithm in enumerate((-7, -8, -257)):
        person = Person(algorithm)
        _, _, user = post(
            "/v1/accounts:signUp?key=any", {"email": f"toolkit{number}@example.org", "password": "a quiet afternoon"})
        _, _, begun = post("/v2/accounts/passkeyEnrollment:start?key=any", {"idToken": user["idToken"]})
        options = begun["credentialCreationOptions"]
        options["challenge"] = url_base64(options["challenge"])
        options["user"]["id"] = url_base64(options["user"]["id"])
        status, _, made = post(
            "/v2/accounts/passkeyEnrollment:finalize?key=any",
            {"idToken": user["idToken"], "name": "fido2",
             "authenticatorRegistrationResponse": person.create(options)})
        expect(status == 200 and made["localId"] == user["localId"], algorithm, made)
        for _ in range(2):
            status, _, signed_in = toolkit_sign_in(person)
            expect(status == 200 and signed_in["localId"] == user["localId"], algorithm, signed_in)


@step("a passkey of nobody, and one that answers for another page, sign nobody in")
def toolkit_refused():
    stranger = Person(-7)
    stranger.authenticator.user = {"id": b"nobody"}
    status, _, refused = toolkit_sign_in(stranger)
    expect(status == 400 and refused["error"]["message"].startswith("PASSKEY"), refused)


# MARK: Auth0

def auth0_tokens(session, response, scope=SCOPE):
    return post(
        "/oauth/token",
        {"grant_type": "urn:okta:params:oauth:grant-type:webauthn", "client_id": "dev-native",
         "auth_session": session, "authn_response": response, "scope": scope})


def auth0_sign_in(person):
    status, _, begun = post("/passkey/challenge", {"client_id": "dev-native"})
    expect(status == 200, begun)
    return auth0_tokens(begun["auth_session"], person.get(begun["authn_params_public_key"]))


@step("a passkey signs up, signs in, and adds another by Auth0's calls")
def auth0():
    person = Person(-7)
    status, _, begun = post(
        "/passkey/register", {"client_id": "dev-native", "user_profile": {"email": "auth0@example.org", "name": "A"}})
    expect(status == 200, begun)
    status, _, tokens = auth0_tokens(begun["auth_session"], person.create(begun["authn_params_public_key"]))
    expect(status == 200, tokens)
    status, _, tokens = auth0_sign_in(person)
    expect(status == 200, tokens)

    # Neither is asked for before the address is proven, and the account has no other second factor.
    other = Person(-8)
    token = tokens["access_token"]
    status, headers, begun = post("/me/v1/authentication-methods", {"type": "passkey"}, token)
    expect(status == 201, begun)
    status, _, method = post(
        headers["Location"].removeprefix(ORIGIN) + "/verify",
        {"auth_session": begun["auth_session"], "authn_response": other.create(begun["authn_params_public_key"])},
        token)
    expect(status == 200 and method["type"] == "passkey", method)
    status, _, tokens = auth0_sign_in(other)
    expect(status == 200, tokens)


run_steps()
