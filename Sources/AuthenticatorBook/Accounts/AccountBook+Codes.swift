import Foundation
import KeychainServices
import OneTimePassword

/// A generator that was opened: shows codes for as long as the caller keeps it.
public struct OpenedCodes: Sendable {
    public let account: Account
    private let totp: TOTP

    fileprivate init(_ account: Account, _ totp: TOTP) {
        self.account = account
        self.totp = totp
    }

    public var period: Int { totp.period }
    /// The code to show now.
    public func code(at date: Date) -> OneTimeCode { totp.code(at: date) }
    /// Seconds for which it is shown: 1 to ``period``.
    public func secondsRemaining(at date: Date) -> Int { totp.secondsRemaining(at: date) }
}

extension AccountBook {
    /// Opens the generator of an account whose codes go by time. Asks for the passcode where the account does.
    public func open(
        _ account: Account, context: AuthenticationContext? = nil
    ) async throws(AccountBookError) -> OpenedCodes {
        guard case .time(let period) = account.codes?.kind, let codes = account.codes else { throw .noCodes(account) }
        let secret = try await secret(of: account, context: context)
        do throws(OTPParameterError) {
            return OpenedCodes(
                account,
                try TOTP(secret: secret, algorithm: codes.algorithm, digits: codes.digits, period: period))
        } catch {
            throw .damaged(account.id)
        }
    }

    /// The next code of an account that counts. The counter is kept before the code is given out: a code that was shown
    /// is never shown again, whatever happens meanwhile.
    public func nextCode(
        of account: Account, context: AuthenticationContext? = nil
    ) async throws(AccountBookError) -> (code: OneTimeCode, counter: UInt64) {
        guard case .counter = account.codes?.kind else { throw .noCodes(account) }
        // Before the lock, because it may prompt.
        let secret = try await secret(of: account, context: context)
        return try await lock.whileLocked { () throws(AccountBookError) in
            var current = try await self.account(account.id)
            guard var codes = current.codes, case .counter(let counter) = codes.kind else { throw .damaged(account.id) }
            guard counter < .max else { throw .counterExhausted(account) }
            codes.kind = .counter(next: counter + 1)
            current.codes = codes
            try await replace(current)
            do throws(OTPParameterError) {
                let hotp = try HOTP(secret: secret, algorithm: codes.algorithm, digits: codes.digits)
                return (hotp.code(counter: counter), counter)
            } catch {
                throw .damaged(account.id)
            }
        }
    }

    /// What another authenticator needs to make the same codes, **secret and all**. Asks for the passcode where the account
    /// does.
    public func uri(
        of account: Account, context: AuthenticationContext? = nil
    ) async throws(AccountBookError) -> OTPAuthURI {
        guard let codes = account.codes else { throw .noCodes(account) }
        let secret = try await secret(of: account, context: context)
        let kind: OTPAuthURI.Kind =
            switch codes.kind {
            case .time(let period): .totp(period: period)
            case .counter(let next): .hotp(counter: next)
            }
        do throws(OTPParameterError) {
            return try OTPAuthURI(
                kind: kind, issuer: account.issuer, accountName: account.name, secret: secret,
                algorithm: codes.algorithm, digits: codes.digits)
        } catch {
            throw .damaged(account.id)
        }
    }

    private func secret(
        of account: Account, context: AuthenticationContext?
    ) async throws(AccountBookError) -> [UInt8] {
        try await kept { () throws(KeychainError) in
            try await keychain.read(account: account.id, service: Service.secret, context: context)
        }.withBytes { Array($0) }
    }
}
