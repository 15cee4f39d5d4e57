/// The spelling of Prometheus' text format.
enum PrometheusText {
    /// A name of letters, digits and underscores that begins with no digit.
    static func name(_ text: String) -> String {
        let mapped = text.unicodeScalars.map { scalar in
            isWord(scalar) ? Character(scalar) : "_"
        }
        let name = String(mapped)
        return name.first.map { $0.isNumber ? "_\(name)" : name } ?? "_"
    }

    /// `a="b",c="d"`, in the order of names, values escaped.
    static func labels(_ dimensions: [(String, String)]) -> String {
        dimensions.sorted { $0.0 < $1.0 }
            .map { "\(name($0.0))=\"\(escape($0.1))\"" }
            .joined(separator: ",")
    }

    /// A number as Go reads it: whole ones without a fraction.
    static func number(_ value: Double) -> String {
        if let whole = Int64(exactly: value) { return String(whole) }
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return String(value)
    }

    /// What stands after `HELP`: a backslash and a line feed are escaped, quotes are not.
    static func help(_ text: String) -> String {
        escape(text, quotes: false)
    }

    private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "_")
    }

    private static func escape(_ text: String, quotes: Bool = true) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\"" where quotes: result += "\\\""
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
