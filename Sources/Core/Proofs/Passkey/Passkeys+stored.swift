import Passkeys

// What is kept of a passkey and of the challenge of a sign-in by one. A sign-in reads both and writes both: by `Codable` that took
// a fifth of it (docs/decisions/0453).

extension PasskeyFactor.Payload: StoredJSON {
    init(from json: inout JSONReader) throws {
        var credential: CredentialRecord?
        var (userAgent, isSuspicious, isOfHost): (String?, Bool?, Bool?)
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "credential": credential = try json.read()
            case "userAgent": userAgent = try json.readOptional()
            case "isSuspicious": isSuspicious = try json.readOptional()
            case "isOfHost": isOfHost = try json.readOptional()
            default: try json.skip()
            }
        }
        self.init(
            credential: try json.required(credential, "credential"), userAgent: userAgent, isSuspicious: isSuspicious,
            isOfHost: isOfHost)
    }

    func write(to json: inout JSONWriter) throws {
        json.beginObject()
        try json.write("credential", credential)
        try json.write("isOfHost", optional: isOfHost)
        try json.write("isSuspicious", optional: isSuspicious)
        try json.write("userAgent", optional: userAgent)
        json.endObject()
    }
}

extension CredentialRecord: StoredJSON {
    package init(from json: inout JSONReader) throws {
        var (id, publicKey, userHandle): ([UInt8]?, [UInt8]?, [UInt8]?)
        var (rpID, signCount): (String?, UInt32?)
        var (uvInitialized, backupEligible, backupState): (Bool?, Bool?, Bool?)
        var (transports, aaguid, attestation): ([String]?, AAGUID?, Attestation?)
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "id": id = try json.base64()
            case "publicKey": publicKey = try json.base64()
            case "userHandle": userHandle = try json.base64()
            case "rpID": rpID = try json.string()
            case "signCount": signCount = UInt32(exactly: try json.integer())
            case "uvInitialized": uvInitialized = try json.bool()
            case "backupEligible": backupEligible = try json.bool()
            case "backupState": backupState = try json.bool()
            case "transports": transports = try json.read()
            case "aaguid": aaguid = AAGUID(try json.string())
            case "attestation": attestation = try json.read()
            default: try json.skip()
            }
        }
        self.init(
            id: try json.required(id, "id"), publicKey: try json.required(publicKey, "publicKey"),
            userHandle: try json.required(userHandle, "userHandle"), rpID: try json.required(rpID, "rpID"),
            signCount: try json.required(signCount, "signCount"),
            uvInitialized: try json.required(uvInitialized, "uvInitialized"),
            backupEligible: try json.required(backupEligible, "backupEligible"),
            backupState: try json.required(backupState, "backupState"),
            transports: try json.required(transports, "transports"), aaguid: try json.required(aaguid, "aaguid"),
            attestation: try json.required(attestation, "attestation"))
    }

    package func write(to json: inout JSONWriter) throws {
        json.beginObject()
        json.write("aaguid", text: aaguid.description)
        try json.write("attestation", attestation)
        try json.write("backupEligible", backupEligible)
        try json.write("backupState", backupState)
        json.write("id", text: id.base64URL)
        json.write("publicKey", text: publicKey.base64URL)
        json.write("rpID", text: rpID)
        try json.write("signCount", Int(signCount))
        try json.write("transports", transports)
        json.write("userHandle", text: userHandle.base64URL)
        try json.write("uvInitialized", uvInitialized)
        json.endObject()
    }
}

extension CredentialRecord.Attestation: StoredJSON {
    package init(from json: inout JSONReader) throws {
        var (format, trust): (String?, AttestationTrust?)
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "format": format = try json.string()
            case "trust": trust = AttestationTrust(rawValue: try json.string())
            default: try json.skip()
            }
        }
        self.init(format: try json.required(format, "format"), trust: try json.required(trust, "trust"))
    }

    package func write(to json: inout JSONWriter) {
        json.beginObject()
        json.write("format", text: format)
        json.write("trust", text: trust.rawValue)
        json.endObject()
    }
}

extension RequestOptions: StoredJSON {
    package init(from json: inout JSONReader) throws {
        var (challenge, rpID, verification): ([UInt8]?, String?, UserVerification?)
        var (timeout, hints): (Int?, [String]?)
        var allowed: [CredentialDescriptor]?
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "challenge": challenge = try json.base64()
            case "rpId": rpID = try json.string()
            case "timeout": timeout = try json.readOptional()
            case "allowCredentials": allowed = try json.read()
            case "userVerification": verification = UserVerification(rawValue: try json.string())
            case "hints": hints = try json.readOptional()
            default: try json.skip()
            }
        }
        self.init(
            challenge: try json.required(challenge, "challenge"), rpId: try json.required(rpID, "rpId"),
            timeout: timeout, allowCredentials: try json.required(allowed, "allowCredentials"),
            userVerification: try json.required(verification, "userVerification"), hints: hints)
    }

    package func write(to json: inout JSONWriter) throws {
        json.beginObject()
        try json.write("allowCredentials", allowCredentials)
        json.write("challenge", text: challenge.base64URL)
        try json.write("hints", optional: hints)
        json.write("rpId", text: rpId)
        try json.write("timeout", optional: timeout)
        json.write("userVerification", text: userVerification.rawValue)
        json.endObject()
    }
}

extension CredentialDescriptor: StoredJSON {
    package init(from json: inout JSONReader) throws {
        var (type, id, transports): (String?, [UInt8]?, [String]?)
        try json.beginObject()
        while let name = try json.nextMember() {
            switch name {
            case "type": type = try json.string()
            case "id": id = try json.base64()
            case "transports": transports = try json.readOptional()
            default: try json.skip()
            }
        }
        self.init(id: try json.required(id, "id"), transports: transports)
        self.type = try json.required(type, "type")
    }

    package func write(to json: inout JSONWriter) throws {
        json.beginObject()
        json.write("id", text: id.base64URL)
        try json.write("transports", optional: transports)
        json.write("type", text: type)
        json.endObject()
    }
}
