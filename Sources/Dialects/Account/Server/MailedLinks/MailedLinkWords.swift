import CountersignCore
import ServerHTTP

/// The words of the page behind mailed links, in one language. A language that lacks one does not compile.
struct ActionWords: Sendable {
    struct Text: Sendable {
        let title: String
        let text: String
    }

    let confirmAddress: @Sendable (_ address: String?) -> Text
    let confirmAddressButton: String
    let changeAddress: @Sendable (_ address: String?) -> Text
    let changeAddressButton: String
    let newPassword: @Sendable (_ address: String?) -> Text
    let newPasswordButton: String
    let newPasswordLabel: @Sendable (_ minimumLength: Int) -> String
    let openInApp: Text
    let addressConfirmed: Text
    let addressChanged: Text
    let passwordSet: Text
    let deadLink: Text
    let addressTaken: Text
    let tooManyPasswords: String
    let goOn: String
    /// Before the title of a page that was refused.
    let error: String
    let fault: @Sendable (PasswordPolicy.Fault?) -> String

    static func of(_ language: PageLanguage) -> ActionWords {
        switch language {
        case .english: english
        case .german: german
        case .japanese: japanese
        }
    }

    private static let english = ActionWords(
        confirmAddress: { address in
            Text(title: "Confirm your address", text: "Is \(address ?? "this") your e-mail address?")
        },
        confirmAddressButton: "Yes, confirm it",
        changeAddress: { address in
            Text(
                title: "Confirm your new address",
                text: "From now on, sign in with \(address ?? "this address")?")
        },
        changeAddressButton: "Yes, change it",
        newPassword: { address in
            Text(
                title: "Choose a new password",
                text: "For \(address ?? "your account"). You will be signed out everywhere.")
        },
        newPasswordButton: "Set the password",
        newPasswordLabel: { "New password, at least \($0) characters" },
        openInApp: Text(
            title: "Open this link in the app",
            text: "This link signs you in to the app that you asked for it from. Open it on the device with that app."),
        addressConfirmed: Text(title: "Address confirmed", text: "You can go back to the app."),
        addressChanged: Text(title: "Address changed", text: "Sign in again with the new address."),
        passwordSet: Text(title: "Password set", text: "Sign in with it from now on."),
        deadLink: Text(
            title: "This link is no longer good",
            text: "It was used before, it has expired, or it is not complete. Ask for a new one in the app."),
        addressTaken: Text(title: "This address has an account", text: "Sign in with it, or choose another."),
        tooManyPasswords: "Too many passwords were tried. Wait an hour, then ask for another link in the app.",
        goOn: "Continue",
        error: "Error",
        fault: { fault in
            switch fault {
            case .tooShort(let minimum): "Use at least \(minimum) characters. Several words make a good password."
            case .tooLong(let maximum): "Use at most \(maximum) characters."
            case .lacks(let kinds): "Use also \(kinds.map(\.english).joined(separator: ", "))."
            case .containsAddress: "Do not use your address."
            case .recentlyUsed: "You have this password, or had it lately. Choose another."
            case .common, nil: "This is one of the passwords that are tried first. Choose another."
            }
        })

    private static let german = ActionWords(
        confirmAddress: { address in
            Text(
                title: "Adresse bestätigen",
                text: address.map { "Ist \($0) Ihre E-Mail-Adresse?" } ?? "Ist das Ihre E-Mail-Adresse?")
        },
        confirmAddressButton: "Ja, bestätigen",
        changeAddress: { address in
            Text(
                title: "Neue Adresse bestätigen",
                text: "Wollen Sie sich von nun an mit \(address ?? "dieser Adresse") anmelden?")
        },
        changeAddressButton: "Ja, ändern",
        newPassword: { address in
            Text(
                title: "Neues Passwort wählen",
                text: "Für \(address ?? "Ihr Konto"). Sie werden überall abgemeldet.")
        },
        newPasswordButton: "Passwort setzen",
        newPasswordLabel: { "Neues Passwort, mindestens \($0) Zeichen" },
        openInApp: Text(
            title: "Öffnen Sie diesen Link in der App",
            text: "Dieser Link meldet Sie in der App an, in der Sie ihn angefordert haben. "
                + "Öffnen Sie ihn auf dem Gerät mit dieser App."),
        addressConfirmed: Text(title: "Adresse bestätigt", text: "Sie können zur App zurückkehren."),
        addressChanged: Text(title: "Adresse geändert", text: "Melden Sie sich mit der neuen Adresse wieder an."),
        passwordSet: Text(title: "Passwort gesetzt", text: "Melden Sie sich von nun an damit an."),
        deadLink: Text(
            title: "Dieser Link gilt nicht mehr",
            text:
                "Er wurde schon benutzt, ist abgelaufen oder nicht vollständig. Fordern Sie in der App einen neuen an."),
        addressTaken: Text(
            title: "Diese Adresse hat schon ein Konto", text: "Melden Sie sich damit an, oder wählen Sie eine andere."),
        tooManyPasswords:
            "Es wurden zu viele Passwörter versucht. Warten Sie eine Stunde und fordern Sie dann in der App einen neuen Link an.",
        goOn: "Weiter",
        error: "Fehler",
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

    private static let japanese = ActionWords(
        confirmAddress: { address in
            Text(
                title: "メールアドレスの確認",
                text: address.map { "\($0) はあなたのメールアドレスですか。" } ?? "これはあなたのメールアドレスですか。")
        },
        confirmAddressButton: "はい、確認します",
        changeAddress: { address in
            Text(title: "新しいメールアドレスの確認", text: "今後は\(address.map { " \($0) " } ?? "このアドレス")でサインインしますか。")
        },
        changeAddressButton: "はい、変更します",
        newPassword: { address in
            Text(
                title: "新しいパスワードの設定",
                text: "\(address.map { "\($0) の" } ?? "アカウントの")パスワードを設定します。すべてのデバイスからサインアウトします。")
        },
        newPasswordButton: "パスワードを設定",
        newPasswordLabel: { "新しいパスワード（\($0) 文字以上）" },
        openInApp: Text(
            title: "このリンクはアプリで開いてください",
            text: "このリンクは、リンクを要求したアプリにサインインするためのものです。そのアプリがあるデバイスで開いてください。"),
        addressConfirmed: Text(title: "メールアドレスを確認しました", text: "アプリに戻ってください。"),
        addressChanged: Text(
            title: "メールアドレスを変更しました", text: "新しいメールアドレスでもう一度サインインしてください。"),
        passwordSet: Text(title: "パスワードを設定しました", text: "今後はこのパスワードでサインインしてください。"),
        deadLink: Text(
            title: "このリンクは無効です",
            text: "使用済み、期限切れ、または不完全なリンクです。アプリで新しいリンクを要求してください。"),
        addressTaken: Text(
            title: "このメールアドレスのアカウントは既にあります",
            text: "そのアドレスでサインインするか、別のアドレスを選んでください。"),
        tooManyPasswords: "試行回数が多すぎます。1 時間待ってから、アプリで新しいリンクを要求してください。",
        goOn: "続ける",
        error: "エラー",
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
