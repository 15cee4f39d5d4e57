/// A word of a command that people are shown, to be copied into a shell.
package enum ShellWord {
    /// A word of the POSIX shell (IEEE Std 1003.1, section 2.2): as it is where no character of it means anything to the shell, in
    /// single quotes otherwise. A character that would end the line, or that shows nothing, is written by its number: what is copied
    /// from a page or a terminal is then all on it.
    package static func quoted(_ word: String) -> String {
        let plain = !word.isEmpty && !word.hasPrefix("=") && word.utf8.allSatisfy(isPlain)
        if plain { return word }
        guard word.unicodeScalars.contains(where: isHidden) else {
            // By scalars, as shells read: one with a mark upon it is another character to Swift.
            return "'" + word.unicodeScalars.map { $0 == "'" ? "'\\''" : String($0) }.joined() + "'"
        }
        // ANSI-C quoting, which POSIX.1-2024 has too (section 2.2.4).
        let escaped = word.unicodeScalars.map { scalar -> String in
            if scalar == "'" || scalar == "\\" { return "\\\(scalar)" }
            guard isHidden(scalar) else { return String(scalar) }
            return String(scalar).utf8.map { byte in
                let digits = String(byte, radix: 8)
                return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
            }.joined()
        }
        return "$'" + escaped.joined() + "'"
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || "-._/:@%+,=".utf8.contains(byte)
    }

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool { !PlainText.isPrintable(scalar) }
}
