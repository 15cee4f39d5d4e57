import AdminServer
import AuthenticatorBook
import ClientHTTP
import CountersignClient
import CountersignCore
import CountersignServer
import Foundation
import KeychainServices
import KeychainTypes
import OneTimePassword

/// Why a command did not do what it was asked for: one sentence for people, one status for scripts.
struct CommandFailure: Error, Sendable {
    let status: ExitStatus
    /// What is wrong and what to do next.
    let message: String

    init(_ status: ExitStatus, _ message: String) {
        self.status = status
        self.message = message
    }

    /// What the errors of our own parts mean to a user at a terminal. Nil for those of the argument parser, which has
    /// its own words.
    init?(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as AdministrationError: self.init(ExitStatus(error.code), error.message)
        case let faults as ConfigurationFaults: self.init(.usage, faults.description)
        case let error as SystemdSocketError: self.init(.usage, error.description)
        case let error as TLSFileError: self.init(.usage, error.description)
        case let error as DataKindMismatch: self.init(.refused, error.description)
        case DataDirectoryError.tooOpen(let exposure):
            self.init(.refused, DataDirectoryError.tooOpen(exposure).description)
        case DataDirectoryError.alreadyThere(let path):
            self.init(.refused, DataDirectoryError.alreadyThere(path).description)
        case let error as DataDirectoryError: self.init(.unreachable, error.description)
        case let error as StoreError:
            let end = error.sentence.last.map { ".?!".contains($0) } ?? true ? "" : "."
            // What is newer than the program stays so, however often it is started.
            self.init(
                error.code == .outdated ? .refused : .unreachable, "The store does not work: \(error.sentence)\(end)")
        case let error as MasterKeyRotationError:
            self.init(error == .notAFile ? .usage : .refused, error.description)
        case let error as SealingError:
            self.init(
                .unreachable,
                "The master key is not the one that this data was sealed with. \(error.description) "
                    + "Restore the file master-key from a backup, or name the right one with --master-key-file.")
        case let error as HTTPClientError:
            self.init(error.isPlainHTTPRefused || error.isUnsupportedURL ? .usage : .unreachable, error.description)
        case let failure as ClientFailure: self.init(ExitStatus(failure.code), failure.description)
        case let error as AccountBookError: self.init(ExitStatus(error), error.description)
        case let error as PasskeyBookError: self.init(ExitStatus(error), error.description)
        case let error as AccountFileError:
            self.init(error == .passwordNeeded ? .usage : .refused, error.description)
        case let failure as DeviceFailure: self.init(ExitStatus(failure), failure.description)
        case let error as EnrollmentLinkError: self.init(.usage, error.description)
        case let error as OTPAuthURI.ParsingError: self.init(.usage, "The link cannot be used: \(error).")
        case let error as OTPParameterError: self.init(.usage, "The account cannot be used: \(error).")
        case is PasswordHashingOverload:
            self.init(.unreachable, "Too many passwords are waiting to be hashed. Try again in a moment.")
        case let error as CocoaError where error.isFileError:
            self.init(.unreachable, error.fileSentence)
        default: return nil
        }
    }
}

extension ExitStatus {
    init(_ code: AdministrationError.Code) {
        self =
            switch code {
            case .notFound: .notFound
            case .invalid: .usage
            case .overloaded, .unavailable, .outcomeUnknown: .unreachable
            case .conflict, .refused, .unauthorized, .forbidden, .internalError: .refused
            }
    }
}

extension ExitStatus {
    init(_ code: ClientFailure.Code) {
        self =
            switch code {
            case .notSignedIn: .notFound
            case .unreachable, .storage: .unreachable
            case .cancelled, .timedOut, .noBrowser, .refused, .untrusted, .unsupported: .refused
            }
    }
}

extension ExitStatus {
    init(_ error: AccountBookError) {
        self =
            switch error {
            case .notFound: .notFound
            case .ambiguous, .badName: .usage
            case .nameTaken, .alreadyThere, .noCodes, .counterExhausted, .damaged, .busy: .refused
            case .keychain(let error):
                switch error {
                case .parameter: .usage
                case .notAvailable, .corrupted, .io, .status, .locked: .unreachable
                default: .refused
                }
            }
    }
}

extension CocoaError {
    fileprivate var fileSentence: String {
        let path = filePath ?? url?.path ?? "A file"
        let reason = (underlying as? POSIXError).map { String(cString: strerror($0.code.rawValue)) }
        return "\(path) cannot be read or written: \(reason ?? localizedDescription)."
    }
}
