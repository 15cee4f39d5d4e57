import Foundation
import SignedTokens

/// The public half of a key that a device keeps to itself and answers requests with.
public typealias DeviceKey = SignatureKey

extension DeviceKey: StoredJSON {
    package init(from json: inout JSONReader) throws {
        var material: Material?
        try json.beginObject()
        while let name = try json.nextMember() {
            if case "material" = name { material = try json.read() } else { try json.skip() }
        }
        self.init(material: try json.required(material, "material"))
    }

    package func write(to json: inout JSONWriter) throws {
        json.beginObject()
        try json.write("material", material)
        json.endObject()
    }
}

extension DeviceKey.Material: StoredJSON {
    package init(from json: inout JSONReader) throws {
        var numbers: (modulus: Data?, exponent: Data?, point: Data?, key: Data?)
        try json.beginObject()
        guard let kind = try json.nextMember() else { throw json.malformed("no key") }
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "modulus": numbers.modulus = try json.read()
            case "exponent": numbers.exponent = try json.read()
            case "point": numbers.point = try json.read()
            case "key": numbers.key = try json.read()
            default: try json.skip()
            }
        }
        switch kind {
        case "rsa":
            self = .rsa(
                modulus: try json.required(numbers.modulus, "modulus"),
                exponent: try json.required(numbers.exponent, "exponent"))
        case "p256": self = .p256(point: try json.required(numbers.point, "point"))
        case "ed25519": self = .ed25519(key: try json.required(numbers.key, "key"))
        default: throw json.malformed("no key")
        }
        guard try json.nextMember() == nil else { throw json.malformed("two keys") }
    }

    package func write(to json: inout JSONWriter) throws {
        json.beginObject()
        switch self {
        case .rsa(let modulus, let exponent):
            json.name("rsa")
            json.beginObject()
            try json.write("exponent", exponent)
            try json.write("modulus", modulus)
        case .p256(let point):
            json.name("p256")
            json.beginObject()
            try json.write("point", point)
        case .ed25519(let key):
            json.name("ed25519")
            json.beginObject()
            try json.write("key", key)
        }
        json.endObject()
        json.endObject()
    }
}
