"""Authlib: its Flask client as a site, and its httpx client with a key instead of a secret."""

import json
import logging
import os
import tempfile
import threading

from authlib.integrations.flask_client import OAuth
from authlib.integrations.httpx_client import OAuth2Client
from authlib.oauth2.rfc7523 import PrivateKeyJWT
from flask import Flask, redirect, session, url_for
from joserfc.jwk import ECKey
from werkzeug.serving import make_server

from context import allow, browser, callback, discovered, expect, fresh_user, register, server, step


logging.getLogger("werkzeug").setLevel(logging.ERROR)


class Site:
    """The example of Authlib's own documentation, on a port of its own."""

    def __init__(self):
        app = Flask(__name__)
        app.secret_key = "only for this test"
        oauth = OAuth(app)
        oauth.register(
            "countersign", client_id="dev-web", client_secret="dev-web-secret",
            server_metadata_url=f"{server.base}/.well-known/openid-configuration",
            client_kwargs={"scope": "openid profile email", "code_challenge_method": "S256"})

        @app.get("/")
        def home():
            return f"<main>{json.dumps(session.get('user'))}</main>"

        @app.get("/sign-in")
        def sign_in():
            return oauth.countersign.authorize_redirect(url_for("callback", _external=True))

        @app.get("/callback")
        def callback():
            token = oauth.countersign.authorize_access_token()
            session["user"] = {**token["userinfo"], "told": oauth.countersign.userinfo(token=token)}
            return redirect("/")

        self.server = make_server("127.0.0.1", 0, app, threaded=True)
        self.base = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@step("Authlib's Flask client signs a user in and reads the ID token and userinfo")
def flask():
    site, (email, made) = Site(), fresh_user()
    person = browser.person(server.base)
    where = allow(person, f"{site.base}/sign-in", email)
    expect(where == f"{site.base}/", where, person.text)
    user = json.loads(person.tab.inner_text("main"))
    expect(user["sub"] == made["localId"] and user["aud"] in ("dev-web", ["dev-web"]), user)
    expect(user["told"]["sub"] == user["sub"] and user["told"]["email"] == email, user)
    expect(user["told"]["email_verified"] is True and user["told"]["name"] == "Ada Lovelace", user)
    # Signed in and allowed: a second time nothing is asked.
    where = allow(person, f"{site.base}/sign-in", email, consents=False)
    expect(where == f"{site.base}/", where)
    person.close()
    site.server.shutdown()


@step("Authlib's httpx client authenticates by a key, exchanges the code and refreshes")
def private_key_jwt():
    key = ECKey.generate_key("P-256", {"kid": "of-the-test", "use": "sig", "alg": "ES256"})
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump({"keys": [key.as_dict(private=False)]}, file)
        file.flush()
        shared = [
            "--kind", "web", "--auth-method", "private_key_jwt", "--jwks", file.name, "--redirect-uri",
            callback.uri, "--scopes", "openid email offline_access", "--first-party"]
        register("authlib-issuer", *shared)
        # As it comes, Authlib's assertions are for the token endpoint and good for an hour: a library that is behind
        # RFC 10070. The other application has them made as they should be.
        register("authlib-endpoint", *shared, "--assertion-audience", "token-endpoint")
    metadata = discovered()
    email, made = fresh_user()
    person = browser.person(server.base)
    for client_id in ["authlib-issuer", "authlib-endpoint"]:
        client = OAuth2Client(
            client_id, key, token_endpoint_auth_method="private_key_jwt", scope="openid email offline_access",
            redirect_uri=callback.uri, code_challenge_method="S256",
            # The library's own five seconds are too few beside other tests.
            revocation_endpoint_auth_method="private_key_jwt", timeout=300)

        def prove():
            if client_id == "authlib-issuer":
                client.register_client_auth_method(
                    PrivateKeyJWT(metadata["issuer"], claims={"exp": int(server.now()) + 60}, alg="ES256"))
            else:
                client.register_client_auth_method(PrivateKeyJWT(metadata["token_endpoint"], alg="ES256"))

        verifier = "v" * 64
        address, state = client.create_authorization_url(metadata["authorization_endpoint"], code_verifier=verifier)
        allow(person, address, email, consents=False)
        prove()
        token = client.fetch_token(
            metadata["token_endpoint"], authorization_response=callback.next(), state=state, code_verifier=verifier)
        expect(token["token_type"] == "Bearer" and "id_token" in token, dict(token))
        prove()
        renewed = client.refresh_token(metadata["token_endpoint"])
        expect(renewed["refresh_token"] != token["refresh_token"], "the refresh token did not rotate")
        told = client.get(metadata["userinfo_endpoint"])
        expect(told.status_code == 200 and told.json()["sub"] == made["localId"], told.status_code, told.text)
        prove()
        revoked = client.revoke_token(metadata["revocation_endpoint"], token=renewed["refresh_token"])
        expect(revoked.status_code == 200, revoked.status_code, revoked.text)
    person.close()
