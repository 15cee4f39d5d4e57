"""joserfc and PyJWT read every token: ID token, access token, key-bound access token, introspection as a JWT."""

import base64

import jwt
import requests
from joserfc import jwt as jose
from joserfc.jwk import KeySet
from requests_oauth2client import ClientSecretBasic, OAuth2Client, PublicApp

from context import allow, browser, callback, discovered, expect, expect_raises, fresh_user, register, server, step


def client(auth, **options):
    return OAuth2Client.from_discovery_endpoint(
        f"{server.base}/.well-known/openid-configuration", issuer=server.base, auth=auth, redirect_uri=callback.uri,
        testing=True, **{"id_token_signed_response_alg": "ES256", **options})


def read(token, audience, kind, algorithm="ES256"):
    """The claims, read by both libraries with the keys that the server tells."""
    metadata = discovered()
    key = jwt.PyJWKClient(metadata["jwks_uri"]).get_signing_key_from_jwt(token)
    claims = jwt.decode(
        token, key.key, algorithms=[algorithm], audience=audience, issuer=metadata["issuer"],
        options={"require": ["iss", "aud", "iat"]})
    keys = KeySet.import_key_set(requests.get(metadata["jwks_uri"], timeout=300).json())
    decoded = jose.decode(token, keys, algorithms=[algorithm])
    expect(decoded.claims == claims, decoded.claims, claims)
    jose.JWTClaimsRegistry(
        iss={"essential": True, "value": metadata["issuer"]}, aud={"essential": True, "value": audience}
    ).validate(decoded.claims)
    expect(decoded.header.get("typ") == kind, decoded.header)
    expect_raises(
        jwt.InvalidAudienceError, jwt.decode, token, key.key, algorithms=[algorithm], audience="https://other.example")
    # One bit of the signature, and it is none.
    head, body, signature = token.split(".")
    raw = bytearray(base64.urlsafe_b64decode(signature + "=="))
    raw[10] ^= 1
    broken = f"{head}.{body}.{base64.urlsafe_b64encode(bytes(raw)).rstrip(b'=').decode()}"
    expect_raises(jwt.InvalidSignatureError, jwt.decode, broken, key.key, algorithms=[algorithm], audience=audience)
    return claims


@step("joserfc and PyJWT read every token, of which each is good for what it is for alone")
def tokens():
    email, made = fresh_user()
    person = browser.person(server.base)
    app = client(ClientSecretBasic("dev-web", "dev-web-secret"))
    request = app.authorization_request(
        scope="openid profile email offline_access api", resource="http://127.0.0.1/api")
    allow(person, str(request), email)
    token = app.authorization_code(request.validate_callback(callback.next()))
    identity = read(str(token.id_token), "dev-web", "JWT")
    expect(identity["sub"] == made["localId"] and identity["nonce"] == request.nonce, identity)
    expect(identity["acr"] == "aal1" and identity["amr"] == ["pwd"] and identity["auth_time"] <= identity["iat"],
           identity)
    access = read(token.access_token, "http://127.0.0.1/api", "at+jwt")
    expect(access["client_id"] == "dev-web" and access["scope"].split() and access["jti"], access)
    expect("email" not in access and "name" not in access, "an access token tells what the API did not ask for", access)

    bound = client(PublicApp("dev-native"), dpop_bound_access_tokens=True)
    request = bound.authorization_request(scope="openid email")
    allow(person, str(request), email, consents=False)
    token = bound.authorization_code(request.validate_callback(callback.next()), validate=False)
    claims = read(token.access_token, server.base, "at+jwt")
    expect(claims["cnf"] == {"jkt": token.dpop_key.dpop_jkt}, claims)

    answer = requests.post(
        app.introspection_endpoint, {"token": app.client_credentials(scope="api", resource="http://127.0.0.1/api")
                                     .access_token},
        auth=("dev-web", "dev-web-secret"), headers={"Accept": "application/token-introspection+jwt"}, timeout=300)
    expect(answer.headers["Content-Type"].startswith("application/token-introspection+jwt"), answer.headers)
    told = read(answer.text, "dev-web", "token-introspection+jwt")
    expect(told["token_introspection"]["active"] is True, told)
    person.close()


@step("joserfc and PyJWT read ID tokens by RSA, for an application that wants them")
def rsa():
    register(
        "by-rsa", "--kind", "native", "--redirect-uri", "http://127.0.0.1/callback", "--scopes", "openid",
        "--first-party", "--id-token-alg", "RS256")
    email, made = fresh_user()
    person = browser.person(server.base)
    app = client(PublicApp("by-rsa"), id_token_signed_response_alg="RS256")
    request = app.authorization_request(scope="openid")
    allow(person, str(request), email, consents=False)
    token = app.authorization_code(request.validate_callback(callback.next()))
    identity = read(str(token.id_token), "by-rsa", "JWT", "RS256")
    expect(identity["sub"] == made["localId"] and identity["nonce"] == request.nonce, identity)
    person.close()


@step("joserfc and PyJWT read the token by which an application is told that a session ended")
def logout():
    register(
        "told", "--kind", "native", "--redirect-uri", "http://127.0.0.1/callback", "--scopes", "openid",
        "--first-party", "--backchannel-logout-uri", f"http://127.0.0.1:{callback.port}/ended")
    email, made = fresh_user()
    person = browser.person(server.base)
    app = client(PublicApp("told"))
    request = app.authorization_request(scope="openid")
    allow(person, str(request), email, consents=False)
    token = app.authorization_code(request.validate_callback(callback.next()))
    identity = read(str(token.id_token), "told", "JWT")
    person.open("/sign-out")
    person.press("main button")
    path, form, kind = callback.next_form()
    expect(path == "/ended" and kind == "application/x-www-form-urlencoded" and set(form) == {"logout_token"}, path, form)
    ended = read(form["logout_token"], "told", "logout+jwt")
    expect(ended["sub"] == made["localId"] and ended["sid"] == identity["sid"], ended, identity)
    expect(ended["events"] == {"http://schemas.openid.net/event/backchannel-logout": {}}, ended)
    expect("nonce" not in ended and ended["jti"] and 0 < ended["exp"] - ended["iat"] <= 120, ended)
    # It is no ID token: a library that wants one finds no sign of a sign-in.
    expect("auth_time" not in ended and "acr" not in ended and "amr" not in ended, ended)
    person.close()
