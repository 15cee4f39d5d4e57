"""Verifies an ID token against a published JWKS with PyJWT; prints its claims as JSON.

Usage: verify_token.py JWKS_URL AUDIENCE ISSUER < token
"""

import json
import sys

import jwt

url, audience, issuer = sys.argv[1:]
token = sys.stdin.read().strip()
key = jwt.PyJWKClient(url, cache_keys=False).get_signing_key_from_jwt(token)
claims = jwt.decode(
    token,
    key.key,
    algorithms=["ES256", "RS256"],
    audience=audience,
    issuer=issuer,
    options={"require": ["exp", "iat", "sub", "aud", "iss", "auth_time"]},
)
print(json.dumps({"claims": claims, "kid": key.key_id, "alg": jwt.get_unverified_header(token)["alg"]}))
