import HTTPTypes

extension HTTPFields {
    /// What `self[name]` is, for a field that is mostly there once: that subscript puts the values together with generic code that finds its
    /// types at run time, which costs as much as all of a short answer's headers.
    public func value(of name: HTTPField.Name) -> String? {
        var found: String?
        for field in self where field.name == name {
            guard found == nil else { return self[name] }
            found = field.value
        }
        return found
    }
}
