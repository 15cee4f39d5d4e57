import CountersignCore

/// The words of pages that ask for a new password.
public struct PasswordWords: PageWords {
    public let newPasswordLabel: @Sendable (_ minimumLength: Int) -> String
    /// Why a new password was refused.
    public let fault: @Sendable (PasswordPolicy.Fault?) -> String

    public static let english = PasswordWords(
        newPasswordLabel: { "New password, at least \($0) characters" },
        fault: { fault in
            switch fault {
            case .tooShort(let minimum): "Use at least \(minimum) characters. Several words make a good password."
            case .tooLong(let maximum): "Use at most \(maximum) characters."
            case .lacks(let kinds): "Use also \(kinds.map(\.english).joined(separator: ", "))."
            case .containsAddress: "Do not use your address."
            case .recentlyUsed: "You use this password, or used it recently. Choose another."
            case .common, nil: "This is one of the most common passwords. Choose another."
            }
        })

    public static let german = PasswordWords(
        newPasswordLabel: { "Neues Passwort, mindestens \($0) Zeichen" },
        fault: { fault in
            switch fault {
            case .tooShort(let minimum):
                "Verwenden Sie mindestens \(minimum) Zeichen. Mehrere Wörter ergeben ein gutes Passwort."
            case .tooLong(let maximum): "Verwenden Sie höchstens \(maximum) Zeichen."
            case .lacks(let kinds): "Verwenden Sie auch \(kinds.map(\.german).joined(separator: ", "))."
            case .containsAddress: "Verwenden Sie nicht Ihre Adresse."
            case .recentlyUsed: "Sie haben oder hatten dieses Passwort schon. Wählen Sie ein anderes."
            case .common, nil:
                "Das ist eines der Passwörter, die zuerst ausprobiert werden. Wählen Sie ein anderes."
            }
        })

    public static let japanese = PasswordWords(
        newPasswordLabel: { "新しいパスワード（\($0) 文字以上）" },
        fault: { fault in
            switch fault {
            case .tooShort(let minimum): "\(minimum) 文字以上にしてください。複数の単語を組み合わせると良いパスワードになります。"
            case .tooLong(let maximum): "\(maximum) 文字以下にしてください。"
            case .lacks(let kinds): "\(kinds.map(\.japanese).joined(separator: "、"))も使用してください。"
            case .containsAddress: "メールアドレスは使用しないでください。"
            case .recentlyUsed: "現在または最近使用したパスワードです。別のパスワードを選んでください。"
            case .common, nil: "推測されやすいパスワードです。別のパスワードを選んでください。"
            }
        })
}

extension CharacterKind {
    fileprivate var english: String {
        switch self {
        case .lowercase: "a lower-case letter"
        case .uppercase: "an upper-case letter"
        case .digit: "a digit"
        case .symbol: "a sign such as ! or -"
        }
    }

    fileprivate var german: String {
        switch self {
        case .lowercase: "einen Kleinbuchstaben"
        case .uppercase: "einen Großbuchstaben"
        case .digit: "eine Ziffer"
        case .symbol: "ein Zeichen wie ! oder -"
        }
    }

    fileprivate var japanese: String {
        switch self {
        case .lowercase: "英小文字"
        case .uppercase: "英大文字"
        case .digit: "数字"
        case .symbol: "記号"
        }
    }
}
