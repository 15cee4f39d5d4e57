"""mozilla-django-oidc, in a Django project of one file."""

import os
import subprocess
import sys
import time

from context import allow, browser, expect, fresh_user, register, server, step, stop


@step("mozilla-django-oidc signs a user in, and again without a question")
def django():
    made = register(
        "django", "--kind", "web", "--secret", "--auth-method", "client_secret_basic", "--redirect-uri",
        "http://127.0.0.1/oidc/callback/", "--scopes", "openid email")
    site = subprocess.Popen(
        [sys.executable, os.path.join(os.path.dirname(os.path.abspath(__file__)), "django_site.py"), server.base,
         "django", made["secret"]], stdout=subprocess.PIPE, text=True)
    try:
        base = f"http://127.0.0.1:{int(site.stdout.readline())}"
        email, _ = fresh_user()
        person = browser.person(server.base)
        person.open(f"{base}/")
        expect(person.text.strip() == "nobody", person.text)
        where = allow(person, f"{base}/oidc/authenticate/", email)
        expect(where == f"{base}/" and person.text.strip() == email, where, person.text)
        # Its session goes stale after a second: prompt=none renews it.
        time.sleep(1.1)
        person.open(f"{base}/")
        expect(person.tab.url == f"{base}/" and person.text.strip() == email, person.tab.url, person.text)
        # Signed out here, the library learns that nobody is signed in.
        person.open("/sign-out")
        person.press("main button")
        time.sleep(1.1)
        person.open(f"{base}/")
        expect(email not in person.text, person.tab.url, person.text)
        person.close()
    finally:
        stop(site)
