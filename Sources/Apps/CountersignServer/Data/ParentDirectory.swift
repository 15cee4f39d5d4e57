extension String {
    /// The directory that a path lies in; `.` where the path has one name alone.
    ///
    /// Foundation's `deletingLastPathComponent` ends the program for a path of one letter (swift-foundation of Swift 6.3).
    package var parentDirectory: String {
        var path = self[...]
        while path.count > 1, path.last == "/" { path = path.dropLast() }
        guard let slash = path.lastIndex(of: "/") else { return "." }
        path = path[..<slash]
        while path.last == "/" { path = path.dropLast() }
        return path.isEmpty ? "/" : String(path)
    }
}
