/// A public key as a device sends it (RFC 7517; Guardian.swift, `RSAPublicJWK`). The modulus has a leading zero byte.
public struct PublicKeyJWK: Codable, Sendable, Equatable {
    public var kty: String?
    public var use: String?
    public var alg: String?
    public var n: String?
    public var e: String?
    public var crv: String?
    public var x: String?
    public var y: String?

    public init(
        kty: String?, use: String? = "sig", alg: String?, n: String? = nil, e: String? = nil, crv: String? = nil,
        x: String? = nil, y: String? = nil
    ) {
        self.kty = kty
        self.use = use
        self.alg = alg
        self.n = n
        self.e = e
        self.crv = crv
        self.x = x
        self.y = y
    }
}

/// How a device is reached: `APNS` with its token in hexadecimal digits, or `GCM`.
public struct PushCredentials: Codable, Sendable, Equatable {
    public var service: String?
    public var token: String?

    public init(service: String?, token: String?) {
        self.service = service
        self.token = token
    }
}

/// `POST api/enroll` (Guardian.swift, `Device`).
public struct EnrollRequest: Codable, Sendable, Equatable {
    public var identifier: String?
    public var name: String?
    public var pushCredentials: PushCredentials?
    public var publicKey: PublicKeyJWK?

    public init(
        identifier: String?, name: String?, pushCredentials: PushCredentials?, publicKey: PublicKeyJWK?
    ) {
        self.identifier = identifier
        self.name = name
        self.pushCredentials = pushCredentials
        self.publicKey = publicKey
    }

    enum CodingKeys: String, CodingKey {
        case identifier, name
        case pushCredentials = "push_credentials"
        case publicKey = "public_key"
    }
}

/// The parameters of a device's codes. The algorithm in lower case: Guardian.swift reads no other.
public struct TOTPParameters: Codable, Sendable, Equatable {
    /// Base32.
    public var secret: String
    public var algorithm: String
    public var digits: Int
    /// Seconds.
    public var period: Int

    public init(secret: String, algorithm: String = "sha1", digits: Int = 6, period: Int = 30) {
        self.secret = secret
        self.algorithm = algorithm
        self.digits = digits
        self.period = period
    }
}

/// The answer to a device that has enrolled. `totp` is left out where codes are off: Android's SDK fails on a null.
public struct EnrollResponse: Codable, Sendable, Equatable {
    public var id: String
    public var url: String?
    public var issuer: String
    public var userID: String
    public var token: String
    public var totp: TOTPParameters?
    public var recoveryCode: String?

    public init(
        id: String, url: String?, issuer: String, userID: String, token: String, totp: TOTPParameters?,
        recoveryCode: String?
    ) {
        self.id = id
        self.url = url
        self.issuer = issuer
        self.userID = userID
        self.token = token
        self.totp = totp
        self.recoveryCode = recoveryCode
    }

    enum CodingKeys: String, CodingKey {
        case id, url, issuer, token, totp
        case userID = "user_id"
        case recoveryCode = "recovery_code"
    }
}

/// `PATCH api/device-accounts/{id}`, and its answer: only the members to change, or all that are known.
public struct DeviceAccount: Codable, Sendable, Equatable {
    public var id: String?
    public var identifier: String?
    public var name: String?
    public var pushCredentials: PushCredentials?

    public init(
        id: String? = nil, identifier: String? = nil, name: String? = nil, pushCredentials: PushCredentials? = nil
    ) {
        self.id = id
        self.identifier = identifier
        self.name = name
        self.pushCredentials = pushCredentials
    }

    enum CodingKeys: String, CodingKey {
        case id, identifier, name
        case pushCredentials = "push_credentials"
    }
}

/// `POST api/resolve-transaction`.
public struct ResolveTransactionRequest: Codable, Sendable, Equatable {
    public var challengeResponse: String?

    public init(challengeResponse: String?) {
        self.challengeResponse = challengeResponse
    }

    enum CodingKeys: String, CodingKey {
        case challengeResponse = "challenge_response"
    }
}

/// What the long poll answers: push payloads as APNs would deliver them.
public struct NotificationList: Codable, Sendable, Equatable {
    public var notifications: [PushPayload]

    public init(notifications: [PushPayload]) {
        self.notifications = notifications
    }
}
