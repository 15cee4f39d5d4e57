"""Debian's libapache2-mod-oauth2: a real Apache guards an API by our tokens."""

import os
import shutil
import socket
import subprocess
import tempfile
import time

import requests
from requests_oauth2client import OAuth2Client, PublicApp

from context import PATIENCE, allow, browser, callback, expect, fresh_user, quiet_port, register, server, step, stop

MODULES = "/usr/lib/apache2/modules"


def site(folder, port, secret):
    """One address for each way of reading tokens."""
    api = os.path.join(folder, "api")
    for name in ("keys", "metadata", "introspection", "bound"):
        os.makedirs(os.path.join(api, name))
        with open(os.path.join(api, name, "index.html"), "w") as file:
            file.write(f"guarded by {name}")
    runs_as = "User www-data\nGroup www-data" if os.geteuid() == 0 else ""
    return f"""
ServerRoot {folder}
ServerName 127.0.0.1
Listen 127.0.0.1:{port}
PidFile {folder}/pid
ErrorLog {folder}/error.log
LogLevel warn oauth2:info
{runs_as}
LoadModule mpm_event_module {MODULES}/mod_mpm_event.so
LoadModule authn_core_module {MODULES}/mod_authn_core.so
LoadModule authz_core_module {MODULES}/mod_authz_core.so
LoadModule authz_user_module {MODULES}/mod_authz_user.so
LoadModule dir_module {MODULES}/mod_dir.so
LoadModule oauth2_module {MODULES}/mod_oauth2.so
StartServers 1
ThreadsPerChild 4
MaxRequestWorkers 4
ServerLimit 1
DocumentRoot {api}
DirectoryIndex index.html
<Directory {api}>
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


class Apache:
    def __init__(self, secret):
        self.folder = tempfile.mkdtemp(prefix="countersign-apache-")
        # Another program may take a free port before Apache does.
        for _ in range(5):
            if self._listens(secret):
                return
        raise AssertionError(f"apache2 did not start: {self.process.stderr.read().decode()} {self.log}")

    def _listens(self, secret):
        self.port = quiet_port()
        shutil.rmtree(os.path.join(self.folder, "api"), ignore_errors=True)
        configuration = os.path.join(self.folder, "apache2.conf")
        with open(configuration, "w") as file:
            file.write(site(self.folder, self.port, secret))
        # Its workers are another user, whom this one's umask may shut out.
        for folder, _, names in os.walk(self.folder):
            os.chmod(folder, 0o755)
            for name in names:
                os.chmod(os.path.join(folder, name), 0o644)
        self.process = subprocess.Popen(
            [shutil.which("apache2") or "/usr/sbin/apache2", "-f", configuration, "-D", "FOREGROUND"],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        for _ in range(PATIENCE * 10):
            if self.process.poll() is not None:
                return False
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return True
            time.sleep(0.1)
        stop(self.process)
        return False

    @property
    def log(self):
        path = os.path.join(self.folder, "error.log")
        return open(path).read()[-3000:] if os.path.exists(path) else ""

    def url(self, place):
        return f"http://127.0.0.1:{self.port}/{place}/"

    def get(self, place, token=None, **options):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return requests.get(self.url(place), headers=headers, timeout=PATIENCE, **options)

    def close(self):
        stop(self.process)
        shutil.rmtree(self.folder)


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
    guard = Apache(secret)
    try:
        for place in ("keys", "metadata", "introspection"):
            got = guard.get(place, bearer.access_token)
            expect(got.status_code == 200 and got.text == f"guarded by {place}", got.status_code, got.text, guard.log)
            expect(guard.get(place).status_code == 401, place)
            broken = bearer.access_token[:-8] + "AAAAAAAA"
            expect(guard.get(place, broken).status_code == 401, place, "took a token with a wrong signature")
        got = requests.get(guard.url("bound"), auth=bound, timeout=PATIENCE)
        expect(got.status_code == 200 and got.text == "guarded by bound", got.status_code, got.text, guard.log)
        got = guard.get("bound", bound.access_token)
        expect(got.status_code == 401, "a key-bound token counted without its key", got.status_code)
    finally:
        guard.close()
    person.close()
