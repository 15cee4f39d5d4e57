"""A Django project in one file that signs its users in with mozilla-django-oidc, as that library's documentation says.

Usage: django_site.py ISSUER CLIENT_ID CLIENT_SECRET   (serves on a free port, which it prints)
"""

import sys
from wsgiref.simple_server import WSGIRequestHandler, make_server

import django
from django.conf import settings

ISSUER, CLIENT_ID, CLIENT_SECRET = sys.argv[1:4]

settings.configure(
    DEBUG=False, SECRET_KEY="only for this test", ALLOWED_HOSTS=["127.0.0.1"], ROOT_URLCONF=__name__, USE_TZ=True,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "mozilla_django_oidc"],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware", "mozilla_django_oidc.middleware.SessionRefresh"],
    AUTHENTICATION_BACKENDS=["mozilla_django_oidc.auth.OIDCAuthenticationBackend"],
    OIDC_RP_CLIENT_ID=CLIENT_ID, OIDC_RP_CLIENT_SECRET=CLIENT_SECRET, OIDC_RP_SIGN_ALGO="RS256",
    OIDC_OP_JWKS_ENDPOINT=f"{ISSUER}/.well-known/jwks.json", OIDC_OP_TOKEN_ENDPOINT=f"{ISSUER}/oauth/token",
    OIDC_OP_AUTHORIZATION_ENDPOINT=f"{ISSUER}/authorize", OIDC_OP_USER_ENDPOINT=f"{ISSUER}/userinfo",
    OIDC_RP_SCOPES="openid email", OIDC_USE_PKCE=True, OIDC_TOKEN_USE_BASIC_AUTH=True,
    # After this time the library asks again by prompt=none.
    OIDC_RENEW_ID_TOKEN_EXPIRY_SECONDS=1,
    LOGIN_REDIRECT_URL="/", LOGOUT_REDIRECT_URL="/")
django.setup()

from django.core.management import call_command  # noqa: E402
from django.core.wsgi import get_wsgi_application  # noqa: E402
from django.http import HttpResponse  # noqa: E402
from django.urls import include, path  # noqa: E402


def home(request):
    return HttpResponse(f"<main>{request.user.email if request.user.is_authenticated else 'nobody'}</main>")


urlpatterns = [path("", home), path("oidc/", include("mozilla_django_oidc.urls"))]


class Quiet(WSGIRequestHandler):
    def log_message(self, *_):
        pass


call_command("migrate", verbosity=0)
server = make_server("127.0.0.1", 0, get_wsgi_application(), handler_class=Quiet)
print(server.server_port, flush=True)
server.serve_forever()
