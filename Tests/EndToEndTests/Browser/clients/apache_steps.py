"""Debian's libapache2-mod-oauth2: a real Apache guards an API by our tokens."""

import requests
from requests_oauth2client import OAuth2Client, PublicApp

from apache_site import Apache
from context import PATIENCE, allow, browser, callback, expect, fresh_user, register, server, step

# One address for each way of reading tokens.
PLACES = {name: f"guarded by {name}" for name in ("keys", "metadata", "introspection", "bound")}


def rules(secret):
    return lambda folder, port: f"""
LogLevel oauth2:info
<Directory {folder}/pages>
  AuthType oauth2
  Require valid-user
</Directory>
<Location /keys>
  OAuth2TokenVerify jwks_uri {server.base}/.well-known/jwks.json verify.exp=required&verify.iat.slack_before=300
</Location>
<Location /introspection>
  OAuth2TokenVerify introspect {server.base}/oauth/introspect introspect.auth=client_secret_basic&client_id=apache&client_secret={secret}
</Location>
<Location /metadata>
  OAuth2TokenVerify metadata {server.base}/.well-known/oauth-authorization-server verify.exp=required&verify.iat.slack_before=300
</Location>
<Location /bound>
  OAuth2AcceptTokenIn header name=Authorization&type=DPoP
  OAuth2TokenVerify jwks_uri {server.base}/.well-known/jwks.json type=dpop&verify.iat.slack_before=300
</Location>
"""


@step("mod_oauth2 in Apache takes our access tokens by JWKS, by introspection, and bound to a key")
def apache():
    secret = register(
        "apache", "--kind", "service", "--secret", "--auth-method", "client_secret_basic")["secret"]
    server.run("resource", "add", "https://apache.example.com", "--scopes", "pages", "--owner", "apache")
    register(
        "reader", "--kind", "native", "--redirect-uri", "http://127.0.0.1/callback", "--scopes",
        "openid pages offline_access", "--resource", "https://apache.example.com", "--first-party")

    def client(**options):
        return OAuth2Client.from_discovery_endpoint(
            f"{server.base}/.well-known/openid-configuration", issuer=server.base, auth=PublicApp("reader"),
            redirect_uri=callback.uri, id_token_signed_response_alg="ES256", testing=True, **options)

    email, made = fresh_user()
    person = browser.person(server.base)

    def token(app):
        request = app.authorization_request(scope="openid pages", resource="https://apache.example.com")
        allow(person, str(request), email, consents=False)
        return app.authorization_code(request.validate_callback(callback.next()), validate=False)

    bearer, bound = token(client()), token(client(dpop_bound_access_tokens=True))
    guard = Apache(["oauth2"], PLACES, rules(secret))
    try:
        for place in ("keys", "metadata", "introspection"):
            got = guard.get(f"{place}/", bearer.access_token)
            expect(got.status_code == 200 and got.text == f"guarded by {place}", got.status_code, got.text, guard.log)
            expect(guard.get(f"{place}/").status_code == 401, place)
            broken = bearer.access_token[:-8] + "AAAAAAAA"
            expect(guard.get(f"{place}/", broken).status_code == 401, place, "took a token with a wrong signature")
        got = requests.get(guard.url("bound/"), auth=bound, timeout=PATIENCE)
        expect(got.status_code == 200 and got.text == "guarded by bound", got.status_code, got.text, guard.log)
        got = guard.get("bound/", bound.access_token)
        expect(got.status_code == 401, "a key-bound token counted without its key", got.status_code)
    finally:
        guard.close()
    person.close()
