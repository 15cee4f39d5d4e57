import JSON

extension IntrospectionResponse where Document == JSONValue {
    /// The same JSON text as `JSONEncoder` makes with sorted keys and unescaped slashes: services that ask each time ask often.
    /// - Throws: `EncodingError` where a number in a document is infinite or NaN.
    public var jsonText: [UInt8] {
        get throws {
            var json = JSONWriter(capacity: 1024)
            json.beginObject()
            json.name("active")
            json.write(active)
            if active {
                json.write("client_id", text: clientID)
                if let exp {
                    json.name("exp")
                    json.write(exp)
                }
                if let application { application.write("mfp-application", to: &json) }
                if let checks {
                    json.name("mfp-checks")
                    try json.write(.object(checks))
                }
                if let device { device.write("mfp-device", to: &json) }
                json.name("mfp-user")
                if let user { try user.write(to: &json) } else { json.writeNull() }
                json.write("scope", text: scope?.text)
                json.write("username", text: username)
            }
            json.endObject()
            return json.bytes
        }
    }
}

extension ApplicationData {
    fileprivate func write(_ name: StaticString, to json: inout JSONWriter) {
        json.name(name)
        json.beginObject()
        json.write("clientPlatform", text: clientPlatform)
        json.write("id", text: id)
        json.write("version", text: version)
        json.endObject()
    }
}

extension DeviceData {
    fileprivate func write(_ name: StaticString, to json: inout JSONWriter) {
        json.name(name)
        json.beginObject()
        json.write("deviceDisplayName", text: deviceDisplayName)
        json.write("hardware", text: hardware)
        json.write("id", text: id)
        json.write("platform", text: platform)
        json.write("status", text: status?.rawValue)
        json.endObject()
    }
}

extension AuthenticatedUser where Document == JSONValue {
    fileprivate func write(to json: inout JSONWriter) throws {
        json.beginObject()
        json.name("attributes")
        try json.write(.object(attributes))
        json.name("authenticatedAt")
        json.write(authenticatedAt)
        json.write("authenticatedBy", text: authenticatedBy)
        json.write("displayName", text: displayName)
        json.write("id", text: id)
        json.endObject()
    }
}
