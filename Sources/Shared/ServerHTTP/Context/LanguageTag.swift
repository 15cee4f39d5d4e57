/// Language tags (BCP 47) that clients send. The server puts them into links and mails, so it takes those alone that look like one.
public enum LanguageTag {
    /// The tag: 2 to 35 ASCII letters, digits and hyphens, and underscores as in names of locales (`de_AT`). Nil for anything else.
    public static func plain(_ text: some StringProtocol) -> String? {
        let isTag =
            (2...35).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || "-_".utf8.contains(byte)
            }
        return isTag ? String(text) : nil
    }

    /// The tag that `Accept-Language` names first, whatever its weight (RFC 9110, section 12.5.4).
    public static func first(of header: String) -> String? {
        let first = Substring(header.utf8.prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: ";") }).filter {
            $0 != " "
        }
        return first.contains("_") ? nil : plain(first)
    }
}
