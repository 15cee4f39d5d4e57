import Foundation
import Guardian
import KeychainServices
import KeychainTypes
import OneTimePassword

extension AccountBook.Service {
    static let deviceToken = "countersign.authenticator.device-token"
}

/// What was enrolled.
public struct NewDevice: Sendable {
    public let account: Account
    /// Lets the user in once without the device: to be shown now, for it is kept nowhere.
    public let recoveryCode: String?
}

extension AccountBook {
    /// The tag of a device's key.
    static func keyTag(_ id: Account.ID) -> String { "countersign.authenticator.\(id)" }

    /// Makes a key, and enrols it as a device that is asked about sign-ins.
    ///
    /// - Parameters:
    ///   - name: instead of what the link says.
    ///   - deviceName: what the user calls this device in a list of theirs.
    ///   - kind: `.p256`, or RSA for servers that take nothing else.
    ///   - keyAsks: whether each answer asks for the passcode. Without, any process that opens the vault can answer.
    ///   - codesAsk: whether each code of the device does.
    /// - Throws: ``AccountBookError`` before anything is sent, and ``DeviceFailure``.
    public func enroll(
        _ link: EnrollmentLink, name: String? = nil, deviceName: String, kind: KeyKind = .p256, keyAsks: Bool = true,
        codesAsk: Bool = false, now: Date = Date()
    ) async throws -> NewDevice {
        let id = Self.newID()
        func account(_ issuer: String?, _ name: String, _ device: Account.Device, _ codes: Account.Codes?) -> Account {
            Account(
                id: id, issuer: issuer, name: name, codes: codes, device: device, asksEachTime: codesAsk, addedAt: now)
        }
        var device = Account.Device(
            id: "", server: link.server, userID: "", identifier: UUID().uuidString, asksEachTime: keyAsks)
        if let name, name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            throw AccountBookError.badName
        }
        // A taken name is refused while the ticket is still valid.
        if let name = name ?? link.name {
            try check(account(link.issuer ?? link.server.host, name, device, nil), against: try await accounts())
        }
        let access = try keyAsks ? .presentUserSigning : AccessControl(.whenUnlockedThisDeviceOnly, [.privateKeyUsage])
        _ = try await kept { () throws(KeychainError) in
            try await keychain.makeKey(kind, tag: Self.keyTag(id), access: access)
        }
        do {
            let key = try DeviceSigningKey(tag: Self.keyTag(id), reason: "Enrol this device")
            let enrollment = try await Guardian.api(url: link.server).enroll(
                withTicket: link.ticket, identifier: device.identifier, name: deviceName, notificationToken: "",
                verificationKey: try key.verificationKey()
            ).start()
            device = Account.Device(
                id: enrollment.id, server: link.server, userID: enrollment.userId, identifier: device.identifier,
                asksEachTime: keyAsks)
            let token = LockedBytes(Array(enrollment.deviceToken.utf8))
            do {
                let issuer = link.issuer ?? link.server.host
                let name = name ?? link.name ?? enrollment.userId
                let codes = try enrollment.totp.map { try Self.codes($0, issuer: issuer, name: name) }
                let added = account(issuer, name, device, codes.map(Account.Codes.init))
                try await keep(added, secret: codes?.secret, token: token)
                return NewDevice(account: added, recoveryCode: enrollment.recoveryCode)
            } catch {
                // No device could answer for it.
                _ = try? await Self.deviceAPI(device, token: enrollment.deviceToken, key: key).delete().start()
                throw error
            }
        } catch {
            try? await remove(id)
            throw error is AccountBookError ? error : DeviceFailure(error)
        }
    }

    private func keep(_ account: Account, secret: [UInt8]?, token: LockedBytes) async throws(AccountBookError) {
        try await lock.whileLocked { () throws(AccountBookError) in
            try check(account, against: try await accounts())
            if let secret { try await keep(LockedBytes(secret), of: account) }
            try await kept { () throws(KeychainError) in
                try await keychain.store(
                    token, account: account.id, service: Service.deviceToken, access: Self.access(asking: false))
            }
            try await keep(account)
        }
    }

    private static func codes(_ parameters: OTPParameters, issuer: String?, name: String) throws -> OTPAuthURI {
        guard let algorithm = OTPAlgorithm(name: parameters.algorithm.rawValue) else {
            throw DeviceFailure(.refused, "The server's codes are of an unknown kind.")
        }
        return try OTPAuthURI(
            kind: .totp(period: parameters.period), issuer: issuer, accountName: name,
            secret: try Base32.decode(parameters.base32Secret), algorithm: algorithm, digits: parameters.digits)
    }

    /// Tells the server that the device is no more. What is kept here stays.
    public func unenroll(_ account: Account) async throws(DeviceFailure) {
        do {
            _ = try await deviceAPI(of: account).delete().start()
        } catch {
            throw DeviceFailure(error)
        }
    }

    /// The server's side of an account's device, opened by the device's token: never prompts.
    func deviceAPI(of account: Account) async throws -> any DeviceAPI {
        guard let device = account.device else {
            throw DeviceFailure(.refused, "\(account.label) answers no requests.")
        }
        let token = try await kept { () throws(KeychainError) in
            try await keychain.read(account: account.id, service: Service.deviceToken)
        }.withBytes { String(decoding: $0, as: UTF8.self) }
        let key = try DeviceSigningKey(tag: Self.keyTag(account.id), reason: "Show that this is the device")
        return Self.deviceAPI(device, token: token, key: key)
    }

    private static func deviceAPI(_ device: Account.Device, token: String, key: any SigningKey) -> any DeviceAPI {
        Guardian.api(url: device.server).device(
            of: EnrolledDevice(
                id: device.id, userId: device.userID, deviceToken: token, notificationToken: "", signingKey: key))
    }
}
