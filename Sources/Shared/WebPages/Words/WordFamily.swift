/// Messages of which there is one for each of some words: `event` and `sign-in.succeeded` is `eventSignInSucceeded`.
/// `scripts/check-messages` knows families by the name of this function.
public enum WordFamily {
    /// The key of the message.
    public static func key(_ family: String, _ word: String) -> String {
        family + word.split { $0 == "-" || $0 == "." }.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}
