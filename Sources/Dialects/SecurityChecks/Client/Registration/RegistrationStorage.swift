import ClientStorage
import Foundation
import SecurityChecksWire

/// Where a client's registration is kept from one run of the program to the next.
package protocol RegistrationStorage: Sendable {
    func data(for account: String?) throws -> Data?
    func save(_ data: Data, for account: String) throws
    func remove(_ account: String?) throws
}

extension KeychainStore: RegistrationStorage {}

/// What is kept of a registration. The client's id opens what the client was granted: it is a secret.
struct RegisteredClient: Codable, Sendable, Equatable {
    var id: String
    /// As the server has them.
    var device: DeviceData
    var application: ApplicationData
    /// The public half, so that a header does not need the keychain.
    var key: ClientKey
}
