/// What users may do through Identity Toolkit, and through that protocol alone (Identity Platform's REST reference,
/// `Config`).
public struct IdentityToolkitSettings: Sendable, Equatable, Codable {
    /// Whether users can sign in or up with an address at all: `signIn.email.enabled`.
    public var allowsEmail = true
    /// Whether a mailed link signs in: the opposite of `signIn.email.passwordRequired`.
    public var allowsEmailLinks = true
    /// Whether users may delete their own accounts: the opposite of `client.permissions.disabledUserDeletion`.
    public var allowsDeletion = true

    public init() {}

    public init(from decoder: any Decoder) throws {
        self.init()
        let members = try decoder.container(keyedBy: CodingKeys.self)
        try members.assign(&allowsEmail, .allowsEmail)
        try members.assign(&allowsEmailLinks, .allowsEmailLinks)
        try members.assign(&allowsDeletion, .allowsDeletion)
    }
}
