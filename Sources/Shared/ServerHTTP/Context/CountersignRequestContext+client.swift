import CountersignCore

extension CountersignRequestContext {
    /// The client, as the core counts and logs it. Servers make a ``ClientContext`` here and nowhere else.
    ///
    /// - Parameters:
    ///   - id: the application that asks, or the name of the interface where a protocol has no applications.
    ///   - dialect: the protocol.
    ///   - isAdministrator: whether the request has the administrator's token; limits per source then do not apply.
    ///   - locale: the language that mails should have (BCP 47).
    ///   - correlationID: what names the request in calls to extensions; nil where the protocol has no such name.
    public func client(
        _ id: ClientID, of dialect: Dialect, isAdministrator: Bool = false, locale: String? = nil,
        correlationID: String? = nil
    ) -> ClientContext {
        ClientContext(
            clientID: id, dialect: dialect,
            limitedSource: isAdministrator || isExemptFromSourceLimits ? nil : source.limitKey, source: source.text,
            locale: locale, correlationID: correlationID, userAgent: userAgent)
    }
}
