"""Debian's libapache2-mod-auth-openidc: an Apache that signs its visitors in here, steps them up, refreshes, and signs them out both ways."""

import json
import os
import time
import urllib.parse

from joserfc.jwk import RSAKey

from apache_site import Apache
from context import PATIENCE, browser, expect, fresh_user, register, server, step, totp

PLACES = {place: f"<main>{text}</main>" for place, text in {
    "site": "Come in.", "vault": "Two factors.", "silent": "No question.", "bye": "Come again."}.items()}


def rules(folder, port):
    base = f"http://127.0.0.1:{port}"
    made = register(
        f"site-{port}", "--kind", "web", "--secret", "--auth-method", "client_secret_basic", "--redirect-uri",
        f"{base}/site/callback", "--scopes", "openid email offline_access", "--post-logout-redirect-uri", f"{base}/bye/",
        "--backchannel-logout-uri", f"{base}/site/callback?logout=backchannel")
    return f"""
OIDCProviderMetadataURL {server.base}/.well-known/openid-configuration
OIDCClientID site-{port}
OIDCClientSecret {made["secret"]}
OIDCRedirectURI {base}/site/callback
OIDCCryptoPassphrase only-for-this-test
OIDCPKCEMethod S256
OIDCScope "openid email offline_access"
OIDCResponseMode form_post
OIDCProviderAuthRequestMethod POST
OIDCInfoHook access_token id_token userinfo refresh_token
<Location /site>
  AuthType openid-connect
  Require valid-user
</Location>
<Location /vault>
  AuthType openid-connect
  Require claim acr:aal2
  OIDCUnAutzAction auth
  OIDCPathAuthRequestParams acr_values=aal2
</Location>
<Location /silent>
  AuthType openid-connect
  Require valid-user
  OIDCPathAuthRequestParams prompt=none
</Location>
<Location /bye>
  Require all granted
</Location>
"""


def signing_rules(folder, port):
    """The same site with a key: it signs its requests, whose objects have no `typ`, and its assertions, for the token endpoint."""
    base = f"http://127.0.0.1:{port}"
    key = RSAKey.generate_key(2048, {"kid": "site", "use": "sig"})
    paths = {name: os.path.join(folder, name) for name in ("private.pem", "public.pem", "jwks.json")}
    for name, content in {
            "private.pem": key.as_pem(private=True), "public.pem": key.as_pem(private=False),
            "jwks.json": json.dumps({"keys": [key.as_dict(private=False)]}).encode()}.items():
        with open(paths[name], "wb") as file:
            file.write(content)
    register(
        f"signing-{port}", "--kind", "web", "--auth-method", "private_key_jwt", "--jwks", paths["jwks.json"],
        "--assertion-audience", "token-endpoint", "--redirect-uri", f"{base}/site/callback", "--scopes", "openid email")
    taken = ["redirect_uri", "scope", "state", "nonce", "code_challenge", "code_challenge_method", "acr_values"]
    request = json.dumps({
        "copy_from_request": ["client_id", "response_type"], "copy_and_remove_from_request": taken,
        # Of itself the module of Debian 12 says no end; later ones do.
        "static": {"exp": int(server.now()) + 500}, "crypto": {"sign_alg": "RS256"}, "request_object_type": "request"})
    escaped = request.replace('"', '\\"')
    return f"""
OIDCProviderMetadataURL {server.base}/.well-known/openid-configuration
OIDCClientID signing-{port}
OIDCPublicKeyFiles site#{paths["public.pem"]}
OIDCPrivateKeyFiles site#{paths["private.pem"]}
OIDCProviderTokenEndpointAuth private_key_jwt
OIDCRequestObject "{escaped}"
OIDCRedirectURI {base}/site/callback
OIDCCryptoPassphrase only-for-this-test
OIDCPKCEMethod S256
OIDCScope "openid email"
OIDCAuthRequestParams acr_values=aal1
OIDCInfoHook id_token userinfo
<Location /site>
  AuthType openid-connect
  Require valid-user
</Location>
"""


def visit(person, address):
    """Opens a page and waits where forms that send themselves lead: `main` is on each page of ours and of the site, `h3` on the module's."""
    person.tab.goto(address)
    person.tab.wait_for_selector("main, h3, pre")
    return person.text


def sign_in(person, address, email):
    visit(person, address)
    person.sign_in(email)
    if person.kind == "consent":
        person.press("button[value=allow]")
    person.tab.wait_for_url(address)


def session(person, apache):
    """What the module keeps of its session."""
    person.open(apache.url("site/callback?info=json"))
    return json.loads(person.text)


@step("mod_auth_openidc signs visitors in by POST and form_post, steps them up, refreshes, and hears of every end")
def site():
    apache = Apache(["auth_openidc"], PLACES, rules)
    try:
        person = browser.person(server.base)
        visits(person, apache)
        person.close()
    except Exception as error:
        raise AssertionError(f"{error} {apache.log}") from error
    finally:
        apache.close()


@step("mod_auth_openidc signs its requests and its assertions")
def signing_site():
    apache = Apache(["auth_openidc"], {"site": PLACES["site"]}, signing_rules)
    try:
        person = browser.person(server.base)
        email, made = fresh_user()
        sign_in(person, apache.url("site/"), email)
        expect(person.text == "Come in.", person.text)
        told = session(person, apache)
        expect(told["id_token"]["sub"] == made["localId"] and told["id_token"]["acr"] == "aal1", told)
        expect(told["userinfo"]["email"] == email, told)
        person.close()
    except Exception as error:
        raise AssertionError(f"{error} {apache.log}") from error
    finally:
        apache.close()


def visits(person, apache):
    email, made = fresh_user()
    told = visit(person, apache.url("silent/"))
    expect("login_required" in told, told)
    sign_in(person, apache.url("site/"), email)
    expect(person.text == "Come in.", person.text)
    first = session(person, apache)
    expect(first["id_token"]["sub"] == made["localId"] == first["userinfo"]["sub"], first)
    expect(first["userinfo"]["email"] == email and first["id_token"]["acr"] == "aal1", first)
    # Silent where someone is signed in.
    expect(visit(person, apache.url("silent/")) == "No question.", person.text)

    # Its refresh: the access token shows that the request is not another site's.
    query = urllib.parse.urlencode({"refresh": apache.url("site/"), "access_token": session(person, apache)["access_token"]})
    person.open(apache.url(f"site/callback?{query}"))
    expect(person.tab.url == apache.url("site/"), person.tab.url)
    renewed = session(person, apache)
    expect(renewed["refresh_token"] != first["refresh_token"], renewed)
    expect(renewed["id_token"].get("auth_time") == first["id_token"]["auth_time"], renewed)

    # A place for which one factor is too little: the module asks for another.
    secret = server.authenticator(made)
    visit(person, apache.url("vault/"))
    expect(person.kind == "code", person.kind, person.text)
    person.type(code=totp(secret, server.now() + 30))
    person.tab.wait_for_url(apache.url("vault/"))
    expect(person.text == "Two factors.", person.text)
    expect(session(person, apache)["id_token"]["acr"] == "aal2", person.text)

    # Out at its wish, and out at ours.
    person.open(apache.url("site/callback?" + urllib.parse.urlencode({"logout": apache.url("bye/")})))
    expect(person.tab.url == apache.url("bye/") and person.text == "Come again.", person.tab.url, person.text)
    sign_in(person, apache.url("site/"), fresh_user()[0])
    person.open("/sign-out")
    person.press("main button")
    for _ in range(PATIENCE * 10):
        visit(person, apache.url("site/"))
        if person.kind == "sign-in":
            return
        time.sleep(0.1)
    raise AssertionError(f"{person.tab.url} {person.text}: the module did not hear that the session ended")
