"""An application that registers itself (RFC 7591), signs users in by requests_oauth2client, and manages its registration (RFC 7592)."""

import json

import requests
from requests_oauth2client import ClientSecretBasic, InvalidClient, OAuth2Client, PublicApp

from context import allow, browser, callback, discovered, expect, expect_raises, fresh_user, server, step


def client(auth):
    return OAuth2Client.from_discovery_endpoint(
        f"{server.base}/.well-known/openid-configuration", issuer=server.base, auth=auth, redirect_uri=callback.uri,
        testing=True, id_token_signed_response_alg="RS256")


def ask(method, address, token=None, body=None, status=200):
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    answer = requests.request(method, address, headers=headers, json=body, timeout=300)
    expect(answer.status_code == status, method, address, answer.status_code, answer.text)
    return answer.json() if answer.text else None


def metadata(**changes):
    return {
        "client_name": "Self Made", "redirect_uris": [callback.uri], "grant_types": ["authorization_code", "refresh_token"],
        "scope": "openid email offline_access", **changes}


@step("There is no registration until an administrator switches it on, and then for those with a token")
def token():
    expect("registration_endpoint" not in discovered(), discovered())
    ask("POST", f"{server.base}/oidc/register", body=metadata(), status=404)
    server.run("config", "set", "oauth.registration", "token")
    expect(discovered()["registration_endpoint"] == f"{server.base}/oidc/register", discovered())
    refused = ask("POST", f"{server.base}/oidc/register", body=metadata(), status=401)
    expect(refused["error"] == "invalid_token", refused)


@step("requests_oauth2client signs a user in with what was registered, whose page says that it was not checked")
def signs_in():
    made = json.loads(server.run("app", "registration-token", "add", "--expires", "1d", "--count", "1", "--json"))
    endpoint = discovered()["registration_endpoint"]
    own = ask("POST", endpoint, made["secret"], metadata(), 201)
    ask("POST", endpoint, made["secret"], metadata(), 401)
    email, account = fresh_user()
    person = browser.person(server.base)
    app = client(ClientSecretBasic(own["client_id"], own["client_secret"]))
    request = app.authorization_request(scope=own["scope"])
    person.tab.goto(str(request))
    person.sign_in(email)
    expect(person.kind == "consent" and "Self Made" in person.text, person.text)
    expect("registered itself and is not checked" in person.text and "127.0.0.1" in person.text, person.text)
    person.press("button[value=allow]")
    tokens = app.authorization_code(request.validate_callback(callback.next()))
    expect(tokens.id_token.sub == account["localId"], tokens)
    person.open("/account/applications")
    expect("Not checked" in person.text and "registered itself" in person.text, person.text)

    # Read and replaced: the token is another after that, and the secret goes on.
    address = own["registration_client_uri"]
    expect(ask("GET", address, own["registration_access_token"])["client_name"] == "Self Made")
    changed = ask("PUT", address, own["registration_access_token"],
                  metadata(client_id=own["client_id"], client_secret=own["client_secret"], client_name="Renamed"))
    expect(changed["client_name"] == "Renamed" and "client_secret" not in changed, changed)
    ask("GET", address, own["registration_access_token"], status=401)
    tokens = app.refresh_token(tokens.refresh_token)
    # Another name: the user is asked again, and, once it is approved, reads no more that it was not checked.
    server.run("app", "approve", own["client_id"])
    request = app.authorization_request(scope=own["scope"])
    person.tab.goto(str(request))
    expect(person.kind == "consent" and "Renamed" in person.text, person.text)
    expect("registered itself" not in person.text, person.text)
    person.press("button[value=allow]")
    app.authorization_code(request.validate_callback(callback.next()))

    ask("DELETE", address, changed["registration_access_token"], status=204)
    expect_raises(InvalidClient, app.refresh_token, tokens.refresh_token)
    expect(requests.get(discovered()["userinfo_endpoint"], timeout=300, headers={
        "Authorization": f"Bearer {tokens.access_token}"}).status_code == 401)
    person.close()


@step("A public application registers itself where everyone may, and gets no more than that")
def public():
    server.run("config", "set", "oauth.registration", "open")
    endpoint = discovered()["registration_endpoint"]
    own = ask("POST", endpoint, None, metadata(token_endpoint_auth_method="none", scope="openid admin account"), 201)
    expect(own["scope"] == "openid" and "client_secret" not in own, own)
    expect(own["application_type"] == "native", own)
    for body, error in [
            (metadata(redirect_uris=["http://app.example/callback"]), "invalid_redirect_uri"),
            (metadata(redirect_uris=["javascript:alert(1)"]), "invalid_redirect_uri"),
            (metadata(grant_types=["client_credentials"]), "invalid_client_metadata"),
            (metadata(grant_types=["implicit"], response_types=["token"]), "invalid_client_metadata"),
            (metadata(jwks_uri="http://169.254.169.254/"), "invalid_client_metadata")]:
        refused = ask("POST", endpoint, None, body, 400)
        expect(refused["error"] == error and refused["error_description"], body, refused)
    email, account = fresh_user()
    person = browser.person(server.base)
    app = client(PublicApp(own["client_id"]))
    request = app.authorization_request(scope="openid")
    allow(person, str(request), email)
    expect(app.authorization_code(request.validate_callback(callback.next())).id_token.sub == account["localId"])
    server.run("config", "set", "oauth.registration", "off")
    ask("GET", own["registration_client_uri"], own["registration_access_token"], status=404)
    person.close()
