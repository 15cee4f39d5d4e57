import CountersignCore

/// What the members `expecting` of operations mean: nothing is changed where the record is not what its caller looked at any more.
extension RecordRevision {
    /// - Parameters:
    ///   - expected: nil where any will do; empty where there has to be no record.
    ///   - present: of the record as it is; nil where there is none.
    /// - Throws: ``AdministrationError`` of code `conflict`.
    static func require(_ expected: String?, _ present: @autoclosure () throws -> String?) throws {
        guard let expected, try expected != present() ?? "" else { return }
        throw AdministrationError.changedMeanwhile
    }
}

extension AdministrationError {
    static let changedMeanwhile = AdministrationError(
        .conflict, "It was changed meanwhile, and nothing was done. Read it again, and decide by what it is now.")
}

/// What administrators change about a user.
struct ChangeableProfile: Encodable {
    var email: String?
    var emailVerified: Bool
    var displayName: String?
    var locale: String?
    var picture: String?
    var attributes: [String: JSONValue]
    var claims: [String: JSONValue]

    init(_ user: User) {
        email = user.email?.canonical
        emailVerified = user.profile.emailVerified
        displayName = user.profile.displayName
        locale = user.profile.locale
        picture = user.profile.photoURL
        attributes = user.profile.attributes
        claims = user.profile.customClaims
    }
}
