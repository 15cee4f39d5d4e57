import KeychainServices

/// The code of OWASP MASTG-KNOW-0057, character for character but for the two functions around it, what they return, and
/// the language of its comments. One import is all it needs. The formatter leaves it alone.
// swift-format-ignore
enum ReferencePage {
    static func store() -> OSStatus? {
        // 1. create AccessControl object that will represent authentication settings
        var error: Unmanaged<CFError>?
        guard let accessControl = SecAccessControlCreateWithFlags(kCFAllocatorDefault,
        kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly,
        SecAccessControlCreateFlags.biometryCurrentSet,
        &error) else {
            // failed to create AccessControl object
            return nil
        }
        var query: [String: Any] = [:]
        query[kSecClass as String] = kSecClassGenericPassword
        query[kSecAttrLabel as String] = "com.me.myapp.password" as CFString
        query[kSecAttrAccount as String] = "OWASP Account" as CFString
        query[kSecValueData as String] = "test_strong_password".data(using: .utf8)! as CFData
        query[kSecAttrAccessControl as String] = accessControl
        let status = SecItemAdd(query as CFDictionary, nil)
        if status == noErr {
            // successfully saved
        } else {
            // error while saving
        }
        return status
    }

    static func request() -> (OSStatus, String?) {
        var query = [String: Any]()
        query[kSecClass as String] = kSecClassGenericPassword
        query[kSecReturnData as String] = kCFBooleanTrue
        query[kSecAttrAccount as String] = "My Name" as CFString
        query[kSecAttrLabel as String] = "com.me.myapp.password" as CFString
        query[kSecUseOperationPrompt as String] = "Please, pass authorisation to enter this area" as CFString
        var queryResult: AnyObject?
        let status = withUnsafeMutablePointer(to: &queryResult) {
            SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
        }
        if status == noErr {
            let password = String(data: queryResult as! Data, encoding: .utf8)!
            return (status, password)
        } else {
            // authorization not passed
            return (status, nil)
        }
    }

    /// ``request()`` with the account that ``store()`` used.
    static func requestCorrected() -> (OSStatus, String?) {
        var query = [String: Any]()
        query[kSecClass as String] = kSecClassGenericPassword
        query[kSecReturnData as String] = kCFBooleanTrue
        query[kSecAttrAccount as String] = "OWASP Account" as CFString
        query[kSecAttrLabel as String] = "com.me.myapp.password" as CFString
        query[kSecUseOperationPrompt as String] = "Please, pass authorisation to enter this area" as CFString
        var queryResult: AnyObject?
        let status = withUnsafeMutablePointer(to: &queryResult) {
            SecItemCopyMatching(query as CFDictionary, UnsafeMutablePointer($0))
        }
        if status == noErr {
            let password = String(data: queryResult as! Data, encoding: .utf8)!
            return (status, password)
        } else {
            return (status, nil)
        }
    }
}
