/// Attributes that are asked for at sign-up, as commands and forms write them.
extension ApplicationSummary.Attribute {
    /// `city:string`, `age:integer:required`, `postcode:string:required:/[0-9]{5}/`.
    public var written: String {
        name + ":" + type + (isRequired ? ":required" : "") + (pattern.map { ":/\($0)/" } ?? "")
    }

    /// Reads what ``written`` writes; nil for what has another form. Names, types and patterns are not judged.
    public init?(written text: String) {
        // Names and types have no slash in them: from the first :/ on it is the pattern.
        let mark = text.firstRange(of: ":/")
        let definition = mark.map { text[..<$0.lowerBound] } ?? text[...]
        let pattern = mark.map { text[$0.upperBound...] }
        let parts = definition.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2 || parts.count == 3 && parts[2] == "required", !parts[0].isEmpty,
            pattern?.hasSuffix("/") ?? true
        else { return nil }
        self.init(
            name: parts[0], type: parts[1], isRequired: parts.count == 3,
            pattern: pattern.map { String($0.dropLast()) })
    }
}
