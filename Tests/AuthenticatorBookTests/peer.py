"""Makes and reads the files of other authenticators with other people's libraries, so that nothing of ours both writes and
reads one.

Usage:
  peer.py aegis-seal PASSWORD [N R P]   seals the contents on standard input as Aegis does, and prints the vault
  peer.py aegis-open PASSWORD           opens the vault on standard input, and prints its contents
  peer.py migration-write               prints a link for the JSON {"otp_parameters": [...], ...} on standard input
  peer.py migration-read                prints the JSON of each link on standard input
"""

import base64
import json
import os
import sys
import urllib.parse
import uuid

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt


def seal(key, plain):
    nonce = os.urandom(12)
    sealed = AESGCM(key).encrypt(nonce, plain, None)
    return sealed[:-16], {"nonce": nonce.hex(), "tag": sealed[-16:].hex()}


def unseal(key, sealed, params):
    return AESGCM(key).decrypt(bytes.fromhex(params["nonce"]), sealed + bytes.fromhex(params["tag"]), None)


def aegis_seal(password, n=1 << 15, r=8, p=1):
    master, salt = os.urandom(32), os.urandom(32)
    wrapped, key_params = seal(Scrypt(salt=salt, length=32, n=n, r=r, p=p).derive(password.encode()), master)
    contents, params = seal(master, sys.stdin.buffer.read())
    # A slot that only the phone can open comes first, as in vaults with biometrics.
    slots = [
        {"type": 2, "uuid": str(uuid.uuid4()), "key": os.urandom(32).hex(), "key_params": key_params},
        {"type": 1, "uuid": str(uuid.uuid4()), "key": wrapped.hex(), "key_params": key_params,
         "n": n, "r": r, "p": p, "salt": salt.hex(), "repaired": True, "is_backup": False},
    ]
    # Android's JSON writes a slash as \/.
    text = json.dumps(
        {"version": 1, "header": {"slots": slots, "params": params}, "db": base64.b64encode(contents).decode()})
    print(text.replace("/", "\\/"))


def aegis_open(password):
    vault = json.load(sys.stdin)
    for slot in vault["header"]["slots"]:
        if slot["type"] != 1:
            continue
        key = Scrypt(salt=bytes.fromhex(slot["salt"]), length=32, n=slot["n"], r=slot["r"], p=slot["p"])
        try:
            master = unseal(key.derive(password.encode()), bytes.fromhex(slot["key"]), slot["key_params"])
        except InvalidTag:
            continue
        print(unseal(master, base64.b64decode(vault["db"], validate=True), vault["header"]["params"]).decode())
        return
    sys.exit("no slot opens")


def payload_class():
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    file = descriptor_pb2.FileDescriptorProto(name="migration.proto", package="migration", syntax="proto3")
    kinds = descriptor_pb2.FieldDescriptorProto

    def message(name, fields):
        added = file.message_type.add(name=name)
        for number, (field, kind) in enumerate(fields, 1):
            repeated = kind == kinds.TYPE_MESSAGE
            added.field.add(
                name=field, number=number, type=kind,
                label=kinds.LABEL_REPEATED if repeated else kinds.LABEL_OPTIONAL,
                type_name=".migration.OtpParameters" if repeated else None)

    message("OtpParameters", [
        ("secret", kinds.TYPE_BYTES), ("name", kinds.TYPE_STRING), ("issuer", kinds.TYPE_STRING),
        ("algorithm", kinds.TYPE_INT32), ("digits", kinds.TYPE_INT32), ("type", kinds.TYPE_INT32),
        ("counter", kinds.TYPE_INT64), ("unique_id", kinds.TYPE_STRING)])
    message("Payload", [
        ("otp_parameters", kinds.TYPE_MESSAGE), ("version", kinds.TYPE_INT32), ("batch_size", kinds.TYPE_INT32),
        ("batch_index", kinds.TYPE_INT32), ("batch_id", kinds.TYPE_INT32)])
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("migration.Payload"))


def migration_write():
    from google.protobuf import json_format

    payload = json_format.Parse(sys.stdin.read(), payload_class()())
    data = base64.b64encode(payload.SerializeToString()).decode()
    print("otpauth-migration://offline?" + urllib.parse.urlencode({"data": data}))


def migration_read():
    from google.protobuf import json_format

    parts = []
    for line in sys.stdin:
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(line.strip()).query, strict_parsing=True)
        payload = payload_class().FromString(base64.b64decode(query["data"][0], validate=True))
        parts.append(json_format.MessageToDict(payload, preserving_proto_field_name=True))
    print(json.dumps(parts))


command, *arguments = sys.argv[1:]
{"aegis-seal": lambda password, *cost: aegis_seal(password, *map(int, cost)), "aegis-open": aegis_open,
 "migration-write": migration_write, "migration-read": migration_read}[command](*arguments)
