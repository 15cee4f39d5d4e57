import Foundation
import Guardian
import KeychainServices
import KeychainTypes

/// Why a device's server did not do what it was asked for, or was not asked.
public struct DeviceFailure: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Kind: Sendable, Equatable {
        /// The server did not answer, or is not of this kind.
        case unreachable
        /// The request is answered already, replaced, or too old.
        case gone
        /// The server knows the device no more.
        case unknownDevice
        /// The keychain did not give the key: the prompt was not answered, or wrongly.
        case keychain
        case refused
    }

    public let kind: Kind
    /// May quote the server.
    public let description: String

    init(_ kind: Kind, _ description: String) {
        (self.kind, self.description) = (kind, description)
    }

    static func unknownRequest(_ id: String) -> DeviceFailure {
        DeviceFailure(.gone, "No request \(id) waits. `countersign authenticator watch --once` shows those that do.")
    }

    init(_ error: any Error) {
        switch error {
        case let failure as DeviceFailure: self = failure
        case let error as AccountBookError: self.init(.keychain, error.description)
        case let error as KeychainError: self.init(.keychain, error.sentence)
        case let error as GuardianError: self.init(error)
        case let error as NetworkError: self.init(error)
        default: self.init(.refused, "It did not work: \(error.localizedDescription)")
        }
    }

    private init(_ error: GuardianError) {
        // The server's sentence is in its member "message"; ours are in the description.
        let sentence = error.info["message"] as? String ?? error.description
        switch error.code {
        case "login_transaction_not_found", "transaction_expired":
            self.init(.gone, "The request does not wait any more: it was answered, replaced, or is too old.")
        case "enrollment_not_found", "device_account_not_found", "inexistent_user":
            self.init(
                .unknownDevice, "The server does not know this device any more. `remove --local-only` forgets it here.")
        case "enrollment_transaction_not_found":
            self.init(.refused, "The ticket was used already, or is none. Ask for another.")
        case "a0.guardian.internal.cannot.sign_challenge", "a0.guardian.internal.no.private_key":
            self.init(.keychain, Self.sentence(ofKeychain: error.cause))
        case "invalid_token" where error.info["statusCode"] as? Int == 404:
            self.init(.gone, "The request does not wait any more.")
        case _ where (error.info["statusCode"] as? Int ?? 0) >= 500:
            self.init(.unreachable, "The server has trouble of its own: \(sentence)")
        default: self.init(.refused, "The server refused: \(sentence)")
        }
    }

    private init(_ error: NetworkError) {
        guard error.statusCode == 0 else {
            self.init(
                error.code == .serverError ? .unreachable : .refused,
                "The server answered with the status \(error.statusCode): \(error.description)")
            return
        }
        let cause = error.cause.map { " (\($0.localizedDescription))" }
        self.init(.unreachable, "The server cannot be reached\(cause ?? ""). Is it running, and is the address right?")
    }

    private static func sentence(ofKeychain cause: (any Error)?) -> String {
        switch (cause as NSError?)?.code {
        case -128: "Nothing was answered: no passcode was given."
        case -25293: "Nothing was answered: the passcode is wrong, or too many were."
        case -25308: KeychainError.interactionNotAllowed.sentence
        case -25300: "The device's key is gone. `remove` the account, and enrol anew."
        case let code: "The device's key did not sign (\(code ?? 0))."
        }
    }
}
