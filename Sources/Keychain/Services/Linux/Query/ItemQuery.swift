#if !canImport(Security)
    import Foundation
    import KeychainTypes
    import SecretVault

    /// A query dictionary, taken apart and typed (Apple, "Searching for keychain items").
    ///
    /// What is not valid whatever the function is refused here; what only some functions take is theirs to refuse.
    struct ItemQuery {
        struct Returns: OptionSet {
            let rawValue: Int
            static let data = Self(rawValue: 1)
            static let attributes = Self(rawValue: 2)
            static let ref = Self(rawValue: 4)
            static let persistentRef = Self(rawValue: 8)
        }

        /// `kSecUseAuthenticationUI`.
        enum UserInterface: String {
            case allow = "u_AuthUIA"
            case fail = "u_AuthUIF"
            case skip = "u_AuthUIS"
        }

        enum Limit: Equatable {
            case all
            case count(Int)
        }

        let itemClass: ItemClass
        /// Attributes to look for or to keep, without access control, accessibility and `kSecAttrSynchronizableAny`.
        private(set) var attributes: ItemAttributes = [:]
        /// `kSecAttrAccessible`, where it is given.
        private(set) var accessibility: Accessibility?
        /// `kSecAttrAccessControl`, where it is given.
        private(set) var accessControl: AccessControl?
        private(set) var matchesAnySynchronizable = false
        private(set) var limit: Limit?
        /// Whether there is any `kSecMatch…` key, a limit included.
        private(set) var hasMatchKeys = false
        private(set) var returns: Returns = []
        private(set) var secret: Data?
        private(set) var ref: SecKey?
        private(set) var persistentRef: PersistentReference?
        private(set) var userInterface = UserInterface.allow
        private(set) var context: LAContext?
        private(set) var prompt: String?

        /// - Parameter accessGroup: the only access group there is, the application's name.
        init(_ dictionary: NSDictionary, accessGroup: String) throws(KeychainError) {
            let entries = try Self.entries(of: dictionary)
            itemClass = try Self.itemClass(in: entries)
            for (key, value) in entries { try read(key, value) }
            try refuseConflicts(accessGroup: accessGroup)
        }

        /// What `SecItemUpdate` is to change: attributes and `kSecValueData`. Any other key is no attribute.
        init(
            changes dictionary: NSDictionary, of itemClass: ItemClass, accessGroup: String
        ) throws(KeychainError) {
            self.itemClass = itemClass
            for (key, value) in try Self.entries(of: dictionary) {
                if key == "v_Data" {
                    try readValue(key, value)
                } else {
                    try readAttribute(key, value)
                }
            }
            try refuseConflicts(accessGroup: accessGroup)
        }

        /// In a fixed order, so that a dictionary with two faults is always refused for the same.
        private static func entries(of dictionary: NSDictionary) throws(KeychainError) -> [(String, QueryValue)] {
            var entries: [(String, QueryValue)] = []
            for (key, value) in dictionary {
                guard let key = QueryValue(key).string else { throw .parameter("a query's keys are strings") }
                entries.append((key, QueryValue(value)))
            }
            return entries.sorted { $0.0 < $1.0 }
        }

        private static func itemClass(in entries: [(String, QueryValue)]) throws(KeychainError) -> ItemClass {
            if let (_, value) = entries.first(where: { $0.0 == "class" }) {
                guard let name = value.string else { throw .parameter("kSecClass is a string") }
                return try ItemClass(named: name)
            }
            if let data = entries.first(where: { $0.0 == "v_PersistentRef" })?.1.data,
                let reference = PersistentReference(data)
            {
                return reference.itemClass
            }
            throw .parameter("a query names its class: kSecClass")
        }

        private mutating func read(_ key: String, _ value: QueryValue) throws(KeychainError) {
            if key == "class" || key == "nleg" { return }
            if key.utf16.count == 4 { return try readAttribute(key, value) }
            guard key.utf16.count > 1 else { throw .parameter("'\(key)' is no key of a query") }
            switch key.first {
            case "m": try readMatch(key, value)
            case "r": try readReturn(key, value)
            case "u": try readUse(key, value)
            case "v": try readValue(key, value)
            case "f": return
            default: throw .parameter("'\(key)' is no key of a query")
            }
        }

        private mutating func readAttribute(_ key: String, _ value: QueryValue) throws(KeychainError) {
            guard let attribute = itemClass.attributes[key] else {
                throw .noSuchAttribute("items of class '\(itemClass.rawValue)' have no attribute '\(key)'")
            }
            if attribute.kind == .accessControl {
                guard let object = value.object(SecAccessControl.self) else {
                    throw .parameter("kSecAttrAccessControl takes what SecAccessControlCreateWithFlags makes")
                }
                accessControl = object.accessControl
                return
            }
            if attribute.kind == .synchronizable, value.string == "syna" {
                matchesAnySynchronizable = true
                return
            }
            guard let stored = attribute.stored(value) else {
                throw .parameter("the value of '\(key)' has the wrong type or is not one of its values")
            }
            if case .string(let raw) = stored, attribute.kind == .accessibility {
                accessibility = Accessibility(rawValue: raw)
            } else {
                attributes[key] = stored
            }
        }

        private mutating func readMatch(_ key: String, _ value: QueryValue) throws(KeychainError) {
            hasMatchKeys = true
            switch key {
            case "m_Limit":
                switch value.string {
                case "m_LimitAll": limit = .all
                case "m_LimitOne": limit = .count(1)
                case .some: throw .parameter("kSecMatchLimit takes kSecMatchLimitOne, kSecMatchLimitAll or a number")
                case .none:
                    guard let number = value.number, number > 0 else {
                        throw .parameter("kSecMatchLimit takes a number from 1")
                    }
                    limit = .count(Int(clamping: number))
                }
            case "m_CaseInsensitive" where value.flag == false:
                return
            case "m_ItemList", "m_SearchList", "m_Issuers", "m_EmailAddressIfPresent", "m_SubjectContains",
                "m_CaseInsensitive", "m_TrustedOnly", "m_ValidOnDate", "m_Policy":
                throw .unsupported("'\(key)' is not offered here; matches are exact")
            default:
                throw .parameter("'\(key)' is no key of a query")
            }
        }

        private mutating func readReturn(_ key: String, _ value: QueryValue) throws(KeychainError) {
            let kinds: [String: Returns] = [
                "r_Data": .data, "r_Attributes": .attributes, "r_Ref": .ref, "r_PersistentRef": .persistentRef,
            ]
            guard let kind = kinds[key] else { throw .parameter("'\(key)' is no key of a query") }
            guard value.string == nil, let wanted = value.flag else { throw .parameter("'\(key)' takes a Boolean") }
            if wanted { returns.insert(kind) } else { returns.remove(kind) }
        }

        private mutating func readUse(_ key: String, _ value: QueryValue) throws(KeychainError) {
            switch key {
            case "u_AuthUI":
                guard let choice = value.string.flatMap(UserInterface.init) else {
                    throw .parameter("kSecUseAuthenticationUI takes one of the kSecUseAuthenticationUI constants")
                }
                userInterface = choice
            case "u_NoAuthUI":
                guard value.string == nil, let forbidden = value.flag else {
                    throw .parameter("kSecUseNoAuthenticationUI takes a Boolean")
                }
                // Sorted before it, kSecUseAuthenticationUI may have said more: the stricter one holds.
                if forbidden, userInterface == .allow { userInterface = .fail }
            case "u_AuthCtx":
                guard let object = value.object(LAContext.self) else {
                    throw .parameter("kSecUseAuthenticationContext takes an LAContext")
                }
                context = object
            case "u_OpPrompt":
                guard let text = value.string else { throw .parameter("kSecUseOperationPrompt takes a string") }
                prompt = text
            default:
                throw .parameter("'\(key)' is no key of a query")
            }
        }

        private mutating func readValue(_ key: String, _ value: QueryValue) throws(KeychainError) {
            switch key {
            case "v_Data":
                guard value.string == nil, let bytes = value.data else { throw .parameter("kSecValueData takes data") }
                secret = bytes
            case "v_Ref":
                guard itemClass == .key, let key = value.object(SecKey.self) else {
                    throw .parameter("kSecValueRef takes a SecKey, with kSecClassKey")
                }
                ref = key
            case "v_PersistentRef":
                guard let reference = value.data.flatMap(PersistentReference.init), reference.itemClass == itemClass
                else {
                    throw .parameter("kSecValuePersistentRef takes what kSecReturnPersistentRef gave for the class")
                }
                persistentRef = reference
            default:
                throw .parameter("'\(key)' is no key of a query")
            }
        }

        private mutating func refuseConflicts(accessGroup: String) throws(KeychainError) {
            if let accessibility, let accessControl, accessControl != AccessControl(unconstrained: accessibility) {
                throw .parameter("kSecAttrAccessible and kSecAttrAccessControl exclude each other")
            }
            if case .string(let group) = attributes["agrp"], group != accessGroup {
                throw .status(errSecMissingEntitlement)
            }
        }
    }

    extension ItemQuery {
        /// What an added or changed item shall be protected with; nil where the query does not say.
        var access: AccessControl? {
            accessControl ?? accessibility.map { AccessControl(unconstrained: $0) }
        }

        var isSynchronizable: Bool { attributes["sync"] == .number(1) }

        /// Whether an item is one that the query looks for.
        func matches(_ stored: ItemAttributes, _ item: VaultItem) -> Bool {
            if let persistentRef, persistentRef.id != item.id { return false }
            if let accessibility, item.access.accessibility != accessibility { return false }
            if attributes["sync"] == nil, !matchesAnySynchronizable, stored["sync"] == .number(1) { return false }
            return attributes.allSatisfy { name, wanted in
                guard let attribute = itemClass.attributes[name] else { return false }
                let value: AttributeValue? =
                    switch name {
                    case "cdat": stored[name] ?? .date(item.created)
                    case "mdat": stored[name] ?? .date(item.modified)
                    default: stored[name]
                    }
                return value != nil && attribute.canonical(value) == attribute.canonical(wanted)
            }
        }

        /// Adds attributes that the query does not name, as those of a key that it adds or looks for.
        mutating func fillIn(_ more: ItemAttributes) {
            attributes.merge(more) { own, _ in own }
        }

        /// Lets `body` use the vault with the query's manner of asking. Where the query brings no context, the user is
        /// prompted once for the whole call, and nothing is kept after it.
        func authenticating<Result>(
            _ body: (AuthenticationContext) throws(KeychainError) -> Result
        ) throws(KeychainError) -> Result {
            let mayAsk = userInterface == .allow
            if let context { return try body(context.authentication(prompt: prompt, interactionAllowed: mayAsk)) }
            let once = AuthenticationContext(
                reason: prompt, interactionAllowed: mayAsk, reuse: LAContext.longestReuse)
            defer { once.invalidate() }
            return try body(once)
        }
    }
#endif
