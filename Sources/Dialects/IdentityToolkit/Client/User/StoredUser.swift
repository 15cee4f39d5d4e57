import Foundation

/// A signed-in user as the storage keeps it: JSON, readable by every later version of this module.
struct StoredUser: Codable, Sendable, Equatable {
    var version = 1
    var uid: String
    var profile: Profile
    var tokens: SessionTokens

    func data() throws -> Data {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .secondsSince1970
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(self)
    }

    init(uid: String, profile: Profile, tokens: SessionTokens) {
        self.uid = uid
        self.profile = profile
        self.tokens = tokens
    }

    init(data: Data) throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        self = try decoder.decode(Self.self, from: data)
    }
}
