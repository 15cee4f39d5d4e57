public import HTTPTypes

extension HTTPField.Name {
    /// A name that the source spells out. Stops the program where the text is no name (RFC 9110, section 5.1): never pass
    /// what a client sent.
    public static func known(_ name: String) -> Self {
        guard let known = Self(name) else { preconditionFailure("\(name) is not the name of a header field") }
        return known
    }
}
