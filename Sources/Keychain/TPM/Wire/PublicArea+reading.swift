extension PublicArea {
    /// Reads a TPMT_PUBLIC and refuses every kind that this module does not make.
    init(reading bytes: [UInt8]) throws(WireReader.Fault) {
        var reader = WireReader(bytes)
        let type = try reader.uint16()
        guard try reader.uint16() == Algorithm.sha256 else {
            throw WireReader.Fault(what: "an object that is not named by SHA-256")
        }
        attributes = ObjectAttributes(rawValue: try reader.uint32())
        authPolicy = try reader.sized(atMost: 64)
        switch type {
        case Algorithm.rsa: kind = try Self.rsa(&reader)
        case Algorithm.ecc: kind = try Self.ecc(&reader)
        case Algorithm.keyedHash:
            guard try reader.uint16() == Algorithm.null else {
                throw WireReader.Fault(what: "a keyed hash that is not sealed data")
            }
            kind = .sealedData(unique: try reader.sized(atMost: 64))
        default: throw WireReader.Fault(what: "an object of type 0x\(String(type, radix: 16))")
        }
        try reader.finish()
        encoded = bytes
    }

    private static func rsa(_ reader: inout WireReader) throws(WireReader.Fault) -> Kind {
        guard try reader.uint16() == Algorithm.null else { throw WireReader.Fault(what: "an RSA storage key") }
        try signingScheme(&reader, Algorithm.rsassa)
        let bits = try reader.uint16()
        let exponent = try reader.uint32()
        let modulus = try reader.sized(atMost: 512)
        guard modulus.isEmpty || modulus.count == Int(bits) / 8 else {
            throw WireReader.Fault(what: "an RSA modulus of \(modulus.count) bytes in a key of \(bits) bits")
        }
        return .rsaSigning(bits: bits, exponent: exponent, modulus: modulus)
    }

    private static func ecc(_ reader: inout WireReader) throws(WireReader.Fault) -> Kind {
        let symmetric = try reader.uint16()
        let isStorage = symmetric != Algorithm.null
        if isStorage {
            let bits = try reader.uint16()
            let mode = try reader.uint16()
            guard symmetric == Algorithm.aes, bits == 128, mode == Algorithm.cfb else {
                throw WireReader.Fault(what: "a storage key that is not for AES-128-CFB")
            }
            guard try reader.uint16() == Algorithm.null else {
                throw WireReader.Fault(what: "a scheme on a storage key")
            }
        } else {
            try signingScheme(&reader, Algorithm.ecdsa)
        }
        guard try reader.uint16() == Curve.p256 else { throw WireReader.Fault(what: "a curve other than P-256") }
        guard try reader.uint16() == Algorithm.null else { throw WireReader.Fault(what: "a key derivation scheme") }
        let x = try reader.sized(atMost: 32)
        let y = try reader.sized(atMost: 32)
        return isStorage ? .storage(x: x, y: y) : .eccSigning(x: x, y: y)
    }

    /// A key of other makers may leave the scheme open; `Sign` names it anyway.
    private static func signingScheme(_ reader: inout WireReader, _ expected: UInt16) throws(WireReader.Fault) {
        let scheme = try reader.uint16()
        if scheme == Algorithm.null { return }
        guard scheme == expected, try reader.uint16() == Algorithm.sha256 else {
            throw WireReader.Fault(
                what: "a signature scheme other than \(expected == Algorithm.rsassa ? "RSASSA" : "ECDSA") with SHA-256")
        }
    }
}
