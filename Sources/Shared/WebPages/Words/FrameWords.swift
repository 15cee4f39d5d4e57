/// The words of the frame, on every page.
public struct FrameWords: PageWords {
    /// Before the title of a page that was refused.
    public let error: String

    public static let english = FrameWords(error: "Error")
    public static let german = FrameWords(error: "Fehler")
    public static let japanese = FrameWords(error: "エラー")
}
