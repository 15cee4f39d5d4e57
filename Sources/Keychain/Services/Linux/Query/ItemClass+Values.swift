#if !canImport(Security)
    import Foundation
    import KeychainTypes
    import SecretVault

    extension ItemClass.Attribute {
        /// What a caller's value is kept as; nil where it cannot be converted. The conversions are Apple's: text counts
        /// as its UTF-8 bytes where data is meant, numbers as four bytes.
        func stored(_ value: QueryValue) -> AttributeValue? {
            switch kind {
            case .blob:
                if let text = value.string { return .string(text) }
                if let bytes = value.data { return .data(bytes) }
                return value.number.map { .number($0) }
            case .data:
                if let bytes = value.data { return .data(bytes) }
                if let text = value.string { return .data(Data(text.utf8)) }
                return value.number.map { .data(Self.bytes(of: $0)) }
            case .number:
                // Before the number: text that spells one, such as a key type, counts as it.
                if let text = value.string { return Int32(text).map { .number(Int64($0)) } ?? .string(text) }
                return value.number.map { .number($0) }
            case .date:
                return value.date.map { .date($0) }
            case .string:
                if let text = value.string { return .string(text) }
                return value.data.flatMap { String(data: $0, encoding: .utf8) }.map { .string($0) }
            case .synchronizable:
                return value.flag.map { .number($0 ? 1 : 0) }
            case .accessibility:
                return value.string.flatMap(Accessibility.init).map { .string($0.rawValue) }
            case .accessControl:
                return nil
            }
        }

        /// What a primary attribute has where none was given.
        var empty: AttributeValue? {
            guard isPrimary else { return nil }
            return switch kind {
            case .blob: .string("")
            case .data: .data(Data())
            case .number, .synchronizable: .number(0)
            case .date: .date(Date(timeIntervalSinceReferenceDate: 0))
            case .string, .accessibility, .accessControl: nil
            }
        }

        /// The form in which values are compared and go into the primary key: two that Apple takes for equal have the
        /// same bytes.
        func canonical(_ value: AttributeValue?) -> [UInt8] {
            switch value {
            case .none: []
            case .string(let text): (kind == .number ? [1] : []) + Array(text.utf8)
            case .data(let bytes): Array(bytes)
            case .number(let number):
                kind == .blob
                    ? Array(Self.bytes(of: number)) : withUnsafeBytes(of: number.bigEndian) { [0] + Array($0) }
            case .date(let date):
                withUnsafeBytes(of: date.timeIntervalSinceReferenceDate.bitPattern.bigEndian) { Array($0) }
            }
        }

        private static func bytes(of number: Int64) -> Data {
            withUnsafeBytes(of: Int32(truncatingIfNeeded: number).littleEndian) { Data($0) }
        }
    }

    extension ItemClass {
        /// Adds the empty values of the primary key.
        func completed(_ attributes: ItemAttributes) -> ItemAttributes {
            var all = attributes
            for attribute in primaryKey where all[attribute.name] == nil {
                all[attribute.name] = attribute.empty
            }
            return all
        }

        /// The canonical primary key (Security framework, `SecItemDb`): the class, and each attribute with its name and length, so
        /// that no two different keys have the same bytes.
        func uniqueKey(_ attributes: ItemAttributes) -> [UInt8] {
            var key = Array(rawValue.utf8)
            for attribute in primaryKey {
                let value = attribute.canonical(attributes[attribute.name] ?? attribute.empty)
                key += Array(attribute.name.utf8)
                withUnsafeBytes(of: UInt32(value.count).bigEndian) { key += Array($0) }
                key += value
            }
            return key
        }
    }
#endif
