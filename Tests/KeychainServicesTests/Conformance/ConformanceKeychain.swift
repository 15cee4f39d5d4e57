import KeychainTestSupport
import Testing

#if canImport(Security)
    import KeychainServices
#else
    @_spi(Testing) import KeychainServices
#endif

/// Gives each test of the conformance suite a keychain: on a Mac the system's, where tests clean up what is theirs;
/// elsewhere a vault of its own, whose passcode answers every prompt. This is the one place where the two differ.
struct ConformanceKeychain: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? nil : self }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
    ) async throws {
        #if canImport(Security)
            deleteTestItems()
            try await body()
            deleteTestItems()
        #else
            try await TestVault.with(.scripted("correct horse")) { _ in try await body() }
        #endif
    }

    private func deleteTestItems() {
        _ = SecItemDelete([kSecClass: kSecClassGenericPassword, kSecAttrService: Self.service] as CFDictionary)
        for tag in ["conformance", "conformance.other"] {
            _ = SecItemDelete([kSecClass: kSecClassKey, kSecAttrApplicationTag: Data(tag.utf8)] as CFDictionary)
        }
    }

    static let service = "conformance.countersign"
}

extension Trait where Self == ConformanceKeychain {
    static var conformanceKeychain: Self { ConformanceKeychain() }
}

// What the tests say often.

/// A dictionary for a generic password of the suite's service.
func password(_ account: String? = nil, _ more: [CFString: Any] = [:]) -> CFDictionary {
    var query: [CFString: Any] = [kSecClass: kSecClassGenericPassword, kSecAttrService: ConformanceKeychain.service]
    if let account { query[kSecAttrAccount] = account }
    query[kSecUseDataProtectionKeychain] = true
    return query.merging(more) { _, new in new } as CFDictionary
}

func add(_ account: String? = nil, _ value: String = "secret", _ more: [CFString: Any] = [:]) -> OSStatus {
    SecItemAdd(password(account, more.merging([kSecValueData: Data(value.utf8)]) { own, _ in own }), nil)
}

func find(_ query: CFDictionary) -> (status: OSStatus, result: CFTypeRef?) {
    var result: CFTypeRef?
    let status = SecItemCopyMatching(query, &result)
    return (status, result)
}

func read(_ account: String? = nil, _ more: [CFString: Any] = [:]) -> String? {
    let found = find(password(account, more.merging([kSecReturnData: true]) { own, _ in own }))
    return (found.result as? Data).map { String(decoding: $0, as: UTF8.self) }
}

func accessControl(
    _ flags: SecAccessControlCreateFlags, _ protection: CFString = kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
) throws -> SecAccessControl {
    try #require(SecAccessControlCreateWithFlags(kCFAllocatorDefault, protection, flags, nil))
}

/// The code of an error that a function handed over; nil where it handed over none.
func code(_ error: Unmanaged<CFError>?) -> Int? {
    error.map { CFErrorGetCode($0.takeRetainedValue()) }
}
