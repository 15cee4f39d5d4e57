import KeychainServices
import KeychainTestSupport
import Testing

extension KeychainSuite {
    /// Which dictionaries mean nothing, and what is answered.
    @Suite(.conformanceKeychain) struct QueryGrammarTests {
        struct Fault: Sendable, CustomTestStringConvertible {
            let what: String
            let expected: OSStatus
            let query: @Sendable () -> CFDictionary
            var testDescription: String { what }

            init(_ what: String, _ expected: OSStatus, _ more: @escaping @Sendable () -> [CFString: Any]) {
                self.what = what
                self.expected = expected
                query = { password("ada", more()) }
            }

            init(_ what: String, whole expected: OSStatus, _ query: @escaping @Sendable () -> [CFString: Any]) {
                self.what = what
                self.expected = expected
                self.query = { query() as CFDictionary }
            }
        }

        static let faults: [Fault] = [
            Fault("no class", whole: errSecParam) { [kSecAttrAccount: "ada"] },
            Fault("an empty dictionary", whole: errSecParam) { [:] },
            Fault("a class that is a number", whole: errSecParam) { [kSecClass: 5] },
            Fault("an unknown class", whole: errSecNoSuchClass) { [kSecClass: "what"] },
            Fault("an attribute of another class", errSecNoSuchAttr) { [kSecAttrApplicationTag: Data([1])] },
            Fault("an unknown attribute", errSecNoSuchAttr) { ["wxyz" as CFString: "x"] },
            Fault("a key of one letter", errSecParam) { ["x" as CFString: 1] },
            Fault("a key of an unknown kind", errSecParam) { ["xyzzy" as CFString: 1] },
            Fault("an unknown class key", errSecParam) { ["classy" as CFString: 1] },
            Fault("an unknown return key", errSecParam) { ["r_What" as CFString: true] },
            Fault("an unknown use key", errSecParam) { ["u_What" as CFString: true] },
            Fault("an unknown value key", errSecParam) { ["v_What" as CFString: true] },
            Fault("an array as an account", errSecParam) { [kSecAttrAccount: ["ada"]] },
            Fault("a date as an account", errSecParam) { [kSecAttrAccount: Date()] },
            Fault("text as a date", errSecParam) { [kSecAttrCreationDate: "today"] },
            Fault("data as a number", errSecParam) { [kSecAttrCreator: Data([1])] },
            Fault("an unknown accessibility", errSecParam) { [kSecAttrAccessible: "never"] },
            Fault("text as an access control", errSecParam) { [kSecAttrAccessControl: "ak"] },
            Fault("text as a return flag", errSecParam) { [kSecReturnData: "yes"] },
            Fault("an unknown limit", errSecParam) { [kSecMatchLimit: "m_LimitSome"] },
            Fault("data as a limit", errSecParam) { [kSecMatchLimit: Data()] },
            Fault("a number as authentication UI", errSecParam) { [kSecUseAuthenticationUI: 5] },
            Fault("text as a value", errSecParam) { [kSecValueData: "secret"] },
            Fault("a persistent reference of three bytes", errSecParam) { [kSecValuePersistentRef: Data([1, 2, 3])] },
            Fault("text as a persistent reference", errSecParam) { [kSecValuePersistentRef: "reference"] },
        ]

        @Test(arguments: faults) func `Is refused before anything is looked for`(_ fault: Fault) {
            #expect(find(fault.query()).status == fault.expected)
        }

        @Test(arguments: faults) func `Is refused by the others too`(_ fault: Fault) {
            #expect(SecItemDelete(fault.query()) == fault.expected)
            #expect(SecItemUpdate(fault.query(), [kSecAttrLabel: "x"] as CFDictionary) == fault.expected)
            #expect(SecItemAdd(fault.query(), nil) == fault.expected)
        }

        @Test func `Keys that start with an f are ignored`() {
            #expect(add("ada", "one", ["f_callback" as CFString: 1]) == errSecSuccess)
            #expect(find(password("ada", ["f_callback" as CFString: 1])).status == errSecSuccess)
        }

        @Test(arguments: [true, false]) func `Booleans are known in all their forms`(_ wanted: Bool) {
            #expect(add("ada") == errSecSuccess)
            var forms: [Any] = [wanted, kCFBooleanFalse!, NSNumber(value: wanted)]
            forms[1] = wanted ? kCFBooleanTrue! : kCFBooleanFalse!
            for form in forms {
                #expect((find(password("ada", [kSecReturnData: form])).result != nil) == wanted)
            }
        }

        @Test(arguments: ["class", "v_Data", "r_Data", "m_Limit", "u_AuthUI", "wxyz"].map(\.self))
        func `An update changes attributes and the value only`(key: String) {
            #expect(add("ada") == errSecSuccess)
            let value: Any = key == "v_Data" ? Data("new".utf8) : "x"
            let expected = key == "v_Data" ? errSecSuccess : errSecNoSuchAttr
            #expect(SecItemUpdate(password("ada"), [key as CFString: value] as CFDictionary) == expected)
        }

        @Test func `An update with a wrong type is a parameter error`() {
            #expect(add("ada") == errSecSuccess)
            #expect(SecItemUpdate(password("ada"), [kSecValueData: "text"] as CFDictionary) == errSecParam)
            #expect(SecItemUpdate(password("ada"), [kSecAttrAccount: Date()] as CFDictionary) == errSecParam)
            #expect(read("ada") == "secret")
        }

        @Test func `Dictionaries of every make are read`() {
            let swift: [String: Any] = [
                kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: ConformanceKeychain.service,
                kSecAttrAccount as String: "ada" as CFString, kSecValueData as String: Data("x".utf8) as CFData,
            ]
            #expect(SecItemAdd(swift as CFDictionary, nil) == errSecSuccess)
            let mutable = NSMutableDictionary()
            mutable[kSecClass] = kSecClassGenericPassword
            mutable[kSecAttrService] = ConformanceKeychain.service
            mutable[String(kSecAttrAccount)] = "ada"
            #expect(find(mutable).status == errSecSuccess)
        }
    }
}
