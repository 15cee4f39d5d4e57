public import HTTPTypes

extension HTTPFields {
    /// Adds a field after all others. `append`, which these have of collections, goes through code of their module that is generic over what
    /// is added, and finds its types at run time.
    public mutating func add(_ name: HTTPField.Name, _ value: String) {
        // Setting a name that is not there adds it; of `Cookie` it makes several.
        if name == .cookie || contains(name) {
            append(HTTPField(name: name, value: value))
        } else {
            self[name] = value
        }
    }
}
