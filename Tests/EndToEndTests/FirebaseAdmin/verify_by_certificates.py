"""Verifies tokens by certificates, with the functions that firebase-admin calls for it outside of the emulator.

Usage: verify_by_certificates.py URL AUDIENCE, with one token a line on standard input; prints each token's issuer.
"""

import sys

import google.auth.transport.requests
from google.oauth2 import id_token

url, audience = sys.argv[1:]
request = google.auth.transport.requests.Request()
for line in sys.stdin:
    print(id_token.verify_token(line.strip(), request, audience=audience, certs_url=url)["iss"])
