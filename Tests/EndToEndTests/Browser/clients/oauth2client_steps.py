"""requests_oauth2client: pushed requests, DPoP with nonces, client credentials, introspection and the issuer of answers."""

import tempfile

import requests
from requests_oauth2client import ClientSecretBasic, DPoPToken, InvalidGrant, OAuth2Client, PublicApp

from context import allow, browser, callback, expect, expect_raises, fresh_user, register, server, step


def client(auth, algorithm="ES256", **options):
    """As its documentation says: everything from discovery. `testing` allows plain http on this machine."""
    return OAuth2Client.from_discovery_endpoint(
        f"{server.base}/.well-known/openid-configuration", issuer=server.base, auth=auth, redirect_uri=callback.uri,
        id_token_signed_response_alg=algorithm, testing=True, **options)


@step("requests_oauth2client pushes its request, checks `iss` and the ID token, introspects and revokes")
def pushed():
    register(
        "pusher", "--kind", "web", "--secret-file", secret_file(), "--auth-method", "client_secret_basic",
        "--redirect-uri", callback.uri, "--scopes", "openid email offline_access", "--require-par")
    # As the library has it by itself, and OpenID Connect.
    app = client(ClientSecretBasic("pusher", SECRET), "RS256")
    expect(app.authorization_response_iss_parameter_supported, "discovery does not promise `iss`")
    email, made = fresh_user()
    person = browser.person(server.base)
    request = app.authorization_request(scope="openid email offline_access")
    allow(person, str(app.pushed_authorization_request(request)), email)
    answer = request.validate_callback(callback.next())
    token = app.authorization_code(answer, validate=True)
    expect(token.id_token.sub == made["localId"], token.id_token)
    seen = app.introspect_token(token)
    expect(seen["active"] is True and seen["sub"] == made["localId"] and seen["client_id"] == "pusher", seen)
    expect(app.introspect_token("anything")["active"] is False)
    renewed = app.refresh_token(token)
    expect_raises(InvalidGrant, app.authorization_code, answer)
    expect(app.revoke_refresh_token(renewed) is True)
    expect(app.introspect_token(renewed)["active"] is False)
    # What is not pushed is refused, at the application's checked address.
    person.tab.goto(str(app.authorization_request(scope="openid")))
    refused = callback.next()
    expect("error=invalid_request" in refused, refused)
    person.close()


@step("requests_oauth2client binds its tokens to a key, with the nonces that the server asks for")
def bound():
    app = client(PublicApp("dev-native"), dpop_bound_access_tokens=True)
    email, made = fresh_user()
    person = browser.person(server.base)
    request = app.authorization_request(scope="openid email offline_access")
    allow(person, str(request), email, consents=False)
    # Its own validation of ID tokens fails for every key-bound token (1.8.0); `tokens_steps` reads ours.
    token = app.authorization_code(request.validate_callback(callback.next()), validate=False)
    expect(isinstance(token, DPoPToken), type(token))
    told = requests.get(app.userinfo_endpoint, auth=token, timeout=300)
    expect(told.status_code == 200 and told.json()["sub"] == made["localId"], told.status_code, told.text)
    bare = requests.get(app.userinfo_endpoint, headers={"Authorization": f"Bearer {token.access_token}"}, timeout=300)
    expect(bare.status_code == 401, "a key-bound token counted without its key", bare.status_code)
    renewed = app.refresh_token(token)
    told = requests.get(app.userinfo_endpoint, auth=renewed, timeout=300)
    expect(told.status_code == 200, told.status_code, told.text)
    person.close()


@step("requests_oauth2client gets tokens for an API by client credentials")
def credentials():
    app = client(ClientSecretBasic("dev-web", "dev-web-secret"))
    token = app.client_credentials(scope="api", resource="http://127.0.0.1/api")
    expect(token.scope == "api" and token.access_token_jwt.aud in ("http://127.0.0.1/api", ["http://127.0.0.1/api"]),
           token.as_dict())


SECRET = "a-secret-of-the-real-clients-test-0123456789"


def secret_file():
    file = tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False)
    file.write(SECRET)
    file.close()
    return file.name
