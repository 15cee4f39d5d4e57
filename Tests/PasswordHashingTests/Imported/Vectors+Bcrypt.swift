@testable import PasswordHashing

extension ImportedVector {
    /// crypt_blowfish's own tests, and Python's bcrypt.
    static let bcrypt: [ImportedVector] = [
        bcrypt("crypt_blowfish", "U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
        bcrypt("crypt_blowfish", "U*U*U", "$2a$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a"),
        bcrypt(
            "crypt_blowfish, longer than 72 bytes",
            "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789chars after 72 are ignored",
            "$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui"),
        bcrypt("2a", words, "$2a$05$k/mkbt74JRlSZ3R9edvoRel9O9gewQScq4CMLbgoC119hyXbtT.Ty"),
        bcrypt("2b", words, "$2b$05$7ipCOHg3PwJ4GbQFlyW45..G0MRmagQaY10viu/h/G0J8Mc.dGAdq"),
        bcrypt("2y", words, "$2y$05$BFrnPCx3hJpr3NgWrT6DB.Djny5JoPUqmJonPEGK3CCaW3C/mvtNO"),
        bcrypt("empty", "", "$2b$04$3J2iOhZK/UEsZL9dw7XoE.k9PBubMeAIH07Lhzmc/PY7hyYPDwvH6"),
        bcrypt(
            "71 bytes", String(repeating: "x", count: 71),
            "$2b$04$Gw5JeFjSJLQ07WDtrBM0I.nHfPqRCXRWxofgkfGCDysi4Y5w0avy6"),
        bcrypt(
            "72 bytes", String(repeating: "x", count: 72),
            "$2b$04$LU6/aJEW4e7Zk9/FnIdKX.SLqwvEP/rPdyRZKTF1lRcMTgQ5TBKF6"),
        bcrypt(
            "a character across the 72nd byte", String(repeating: "a", count: 71) + "\u{00e4}",
            "$2b$04$bvfyB6nzblO1NTs3CDIf4..AdJxozW3oTBM4S/FuJQ/6GC.AdQmwK"),
        bcrypt("loose bits in the salt", "U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC/E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
    ]

    static func bcrypt(_ name: String, _ password: String, _ text: String) -> ImportedVector {
        ImportedVector(name, password: password, .bcrypt, hash: Array(text.utf8))
    }
}
