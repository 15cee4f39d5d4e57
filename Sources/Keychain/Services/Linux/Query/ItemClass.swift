#if !canImport(Security)
    import KeychainTypes

    /// The classes of items that this keychain has, and which attributes they take (Apple, "Item class keys and values").
    enum ItemClass: String, CaseIterable {
        case genericPassword = "genp"
        case internetPassword = "inet"
        case key = "keys"

        /// - Throws: `unsupported` for certificates and identities, `noSuchClass` for what Apple does not know either.
        init(named name: String) throws(KeychainError) {
            switch name {
            case "cert", "idnt":
                throw .unsupported("certificates and identities are not stored here; keep them in files")
            default:
                guard let known = Self(rawValue: name) else { throw .noSuchClass(name) }
                self = known
            }
        }

        /// How an attribute's value is read, compared and kept.
        enum Kind {
            /// Text, data or a number, kept as it came; compared by its bytes.
            case blob
            /// Kept as data, whether it came as data, text or a number.
            case data
            case number
            case date
            /// Kept as text, whether it came as text or data.
            case string
            case synchronizable
            case accessibility
            case accessControl
        }

        struct Attribute {
            let name: String
            let kind: Kind
            /// Whether it takes part in what makes an item unique. Such an attribute always has a value: empty or zero
            /// where none was given.
            let isPrimary: Bool
        }

        var attributes: [String: Attribute] {
            switch self {
            case .genericPassword: Self.ofGenericPasswords
            case .internetPassword: Self.ofInternetPasswords
            case .key: Self.ofKeys
            }
        }

        /// In the order in which they go into the primary key, which is on disk: append, never reorder.
        var primaryKey: [Attribute] {
            attributes.values.filter(\.isPrimary).sorted { $0.name < $1.name }
        }

        private static let ofGenericPasswords = table(
            common + password, primary: ["svce": .blob], others: ["gena": .blob])
        private static let ofInternetPasswords = table(
            common + password,
            primary: [
                "sdmn": .blob, "srvr": .blob, "ptcl": .number, "atyp": .blob, "port": .number, "path": .blob,
            ], others: [:])
        private static let ofKeys = table(
            common,
            primary: [
                "kcls": .number, "klbl": .data, "atag": .blob, "crtr": .number, "type": .number, "bsiz": .number,
                "esiz": .number, "sdat": .date, "edat": .date,
            ],
            others: Dictionary(
                uniqueKeysWithValues: [
                    "perm", "priv", "modi", "sens", "asen", "extr", "next", "encr", "decr", "drve", "sign", "vrfy",
                    "snrc", "vyrc", "wrap", "unwp",
                ].map { ($0, .number) }))

        private static let common =
            attributes(["agrp": .string, "sync": .synchronizable, "tkid": .string], isPrimary: true)
            + attributes(
                [
                    "pdmn": .accessibility, "accc": .accessControl, "cdat": .date, "mdat": .date, "labl": .blob,
                    "alis": .blob,
                ], isPrimary: false)
        private static let password =
            attributes(["acct": .blob], isPrimary: true)
            + attributes(
                [
                    "desc": .blob, "icmt": .blob, "crtr": .number, "type": .number, "invi": .number, "nega": .number,
                    "cusi": .number, "scrp": .number, "prot": .blob,
                ], isPrimary: false)

        private static func attributes(_ kinds: [String: Kind], isPrimary: Bool) -> [Attribute] {
            kinds.map { Attribute(name: $0, kind: $1, isPrimary: isPrimary) }
        }

        private static func table(
            _ base: [Attribute], primary: [String: Kind], others: [String: Kind]
        ) -> [String: Attribute] {
            let all = base + attributes(primary, isPrimary: true) + attributes(others, isPrimary: false)
            return Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })
        }
    }
#endif
