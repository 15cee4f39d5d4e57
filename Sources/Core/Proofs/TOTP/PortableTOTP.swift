import Foundation
import OneTimePassword

/// A TOTP authenticator that is enrolled elsewhere, with its secret.
public struct PortableTOTP: Sendable {
    /// Nil makes a fresh one.
    public var id: FactorID?
    /// What the user calls it.
    public var name: String
    /// Nil means now.
    public var enrolledAt: Date?
    /// When a code of it was last right; nil where that is not known.
    public var lastUsedAt: Date?
    let payload: TOTPFactor.Payload

    /// Nil where no code can be made of it, or none that a user could type in time: an empty secret or one of more than
    /// 128 bytes, digits outside of 6 to 8, a period outside of 15 to 300 seconds, or a step that is not kept.
    /// - Parameter lastStep: the time step of the last code that counted; it and all before it are used up. At most
    ///   ``greatestStep``.
    public init?(
        id: FactorID?, name: String, enrolledAt: Date?, lastUsedAt: Date? = nil, secret: Secret<[UInt8]>,
        algorithm: OTPAlgorithm = .sha1, digits: Int = 6, period: Int = 30, lastStep: UInt64? = nil
    ) {
        guard (1...128).contains(secret.reveal().count), (6...8).contains(digits), (15...300).contains(period),
            lastStep ?? 0 <= Self.greatestStep
        else { return nil }
        self.id = id
        self.name = name
        self.enrolledAt = enrolledAt
        self.lastUsedAt = lastUsedAt
        payload = TOTPFactor.Payload(
            secret: Data(secret.reveal()), algorithm: algorithm, digits: digits, period: period, lastStep: lastStep)
    }

    /// Whole numbers of what is kept have 64 bits with a sign.
    public static let greatestStep = UInt64(Int64.max)

    /// A factor of the realm, opened.
    init(_ record: FactorRecord, _ payload: TOTPFactor.Payload) {
        id = record.id
        name = record.name
        enrolledAt = record.createdAt
        lastUsedAt = record.lastUsedAt
        self.payload = payload
    }

    /// The secret that codes are made with, 1 to 128 bytes.
    public var secret: Secret<[UInt8]> { Secret(Array(payload.secret)) }
    /// The hash that codes are made with.
    public var algorithm: OTPAlgorithm { payload.algorithm }
    /// Digits of a code: 6 to 8.
    public var digits: Int { payload.digits }
    /// Seconds.
    public var period: Int { payload.period }
    /// The time step of the last code that counted; nil where none did, or that is not known.
    public var lastStep: UInt64? { payload.lastStep }
}

extension TOTPFactor {
    func export(_ factor: FactorRecord, payload: Data, into account: inout PortableAccount) throws {
        account.secondFactors.append(PortableTOTP(factor, try Payload(stored: payload)))
    }
}

extension PortableTOTP {
    static let kind = FactorKind.totp

    /// The row that it becomes.
    func record(
        _ id: FactorID, of userID: UserID, at now: Date, sealer: Sealer, in transaction: any StoreTransaction
    ) throws -> FactorRecord {
        FactorRecord(
            id: id, userID: userID, kind: Self.kind, name: name, createdAt: enrolledAt ?? now,
            lastUsedAt: lastUsedAt,
            payload: try sealer.seal(payload.stored, for: .factor(id), in: transaction))
    }
}
