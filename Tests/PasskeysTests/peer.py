"""The client of PyPI fido2 with an authenticator in this process, behind which stands one key.

Reads {"create": options, "get": options, "origin": text, "alg": -7 or -8} and writes {"registration": …, "authentication": …}, in the JSON
of WebAuthn Level 3, section 5.1."""

import hashlib
import json
import os
import struct
import sys

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from fido2 import cbor
from fido2.client import DefaultClientDataCollector, Fido2Client
from fido2.cose import CoseKey
from fido2.ctap import CtapDevice
from fido2.hid import CAPABILITY
from fido2.webauthn import (
    AttestedCredentialData,
    PublicKeyCredentialCreationOptions,
    PublicKeyCredentialRequestOptions,
)

# CTAP2_ERR_NO_CREDENTIALS
NO_CREDENTIALS = b"\x2e"


class Authenticator(CtapDevice):
    """CTAP 2.1, sections 6.1, 6.2 and 6.4, for one discoverable credential."""

    capabilities = CAPABILITY.CBOR
    aaguid = bytes(range(16))

    def __init__(self, algorithm):
        self.algorithm = algorithm
        self.key = {
            -7: lambda: ec.generate_private_key(ec.SECP256R1()),
            -35: lambda: ec.generate_private_key(ec.SECP384R1()),
            -8: ed25519.Ed25519PrivateKey.generate,
            -257: lambda: rsa.generate_private_key(65537, 2048),
        }[algorithm]()
        self.id = os.urandom(32)
        self.counter = 0

    @classmethod
    def list_devices(cls):
        yield from ()

    def sign(self, message):
        if self.algorithm == -8:
            return self.key.sign(message)
        if self.algorithm == -257:
            return self.key.sign(message, padding.PKCS1v15(), hashes.SHA256())
        return self.key.sign(message, ec.ECDSA(hashes.SHA384() if self.algorithm == -35 else hashes.SHA256()))

    def data(self, rp_id, flags, rest=b""):
        self.counter += 1
        return hashlib.sha256(rp_id.encode()).digest() + struct.pack(">BI", flags, self.counter) + rest

    def call(self, cmd, data=b"", event=None, on_keepalive=None):
        request = cbor.decode(data[1:]) if data[1:] else {}
        answer = {0x01: self.make, 0x02: self.get, 0x04: self.info}[data[0]](request)
        return b"\0" + cbor.encode(answer) if answer else NO_CREDENTIALS

    def info(self, _):
        return {
            1: ["FIDO_2_0", "FIDO_2_1"],
            3: self.aaguid,
            4: {"rk": True, "up": True, "uv": True},
            6: [2],
            10: [{"alg": self.algorithm, "type": "public-key"}],
        }

    def make(self, request):
        self.user = request[3]
        public = CoseKey.for_alg(self.algorithm).from_cryptography_key(self.key.public_key())
        attested = AttestedCredentialData.create(self.aaguid, self.id, public)
        data = self.data(request[2]["id"], 0x45, attested)
        statement = {"alg": self.algorithm, "sig": self.sign(data + request[1])}
        return {1: "packed", 2: data, 3: statement}

    def get(self, request):
        # Also how a client finds out which of those that a page excludes are here.
        if 3 in request and self.id not in [credential["id"] for credential in request[3]]:
            return None
        data = self.data(request[1], 0x05)
        return {
            1: {"id": self.id, "type": "public-key"},
            2: data,
            3: self.sign(data + request[2]),
            4: self.user,
        }


if __name__ == "__main__":
    order = json.load(sys.stdin)
    client = Fido2Client(Authenticator(order["alg"]), DefaultClientDataCollector(order["origin"]))
    made = client.make_credential(PublicKeyCredentialCreationOptions.from_dict(order["create"]))
    shown = client.get_assertion(PublicKeyCredentialRequestOptions.from_dict(order["get"])).get_response(0)
    json.dump({"registration": dict(made), "authentication": dict(shown)}, sys.stdout)
