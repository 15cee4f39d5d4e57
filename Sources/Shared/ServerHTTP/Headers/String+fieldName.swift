extension String {
    /// Whether this is the name of a field, in any case (RFC 9110, section 5.1).
    /// - Parameter name: letters alone, in lower case.
    func isFieldName(_ name: String) -> Bool {
        utf8.count == name.utf8.count && zip(utf8, name.utf8).allSatisfy { $0 | 0x20 == $1 }
    }
}
