import CountersignCore

/// Texts of a kind that several operations take are judged here, so that each refuses the same.
extension AdministrationError {
    /// A name that people are shown, of a user, an application, an API or an extension; one that is missing or empty is none.
    static func check(displayName: String?) throws {
        guard isLineOrNone(displayName, longest: ProfileChange.longestName) else {
            throw AdministrationError(
                .invalid, "displayName is one line of at most \(ProfileChange.longestName) characters.")
        }
    }

    /// What administrators call a token; one that is missing or empty is none.
    static func check(label: String?) throws {
        guard isLineOrNone(label, longest: MachineTokens.longestName) else {
            throw AdministrationError(
                .invalid, "The label is one line of at most \(MachineTokens.longestName) characters.")
        }
    }

    /// What operators note about an application for each other; one that is missing or empty is none.
    static func check(ownerNote: String?) throws {
        guard isLineOrNone(ownerNote, longest: ApplicationRegistration.longestOwnerNote) else {
            throw AdministrationError(
                .invalid, "The note is one line of at most \(ApplicationRegistration.longestOwnerNote) characters.")
        }
    }

    static func check(locale: String) throws {
        guard UserProfile.isLocale(locale) else {
            throw AdministrationError(.invalid, "\"\(locale)\" is no language: write it as en, de-AT or ja.")
        }
    }

    private static func isLineOrNone(_ text: String?, longest: Int) -> Bool {
        guard let text, !text.isEmpty else { return true }
        return PlainText.isLine(text, longest: longest)
    }
}
