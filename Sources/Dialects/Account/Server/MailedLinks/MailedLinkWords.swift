import WebPages

/// The words of the page of mailed links.
struct MailedLinkWords: PageWords {
    let confirmAddress: @Sendable (_ address: String?) -> PageMessage
    let confirmAddressButton: String
    let changeAddress: @Sendable (_ address: String?) -> PageMessage
    let changeAddressButton: String
    let restoreAddress: @Sendable (_ address: String?) -> PageMessage
    let restoreAddressButton: String
    let keepAccount: @Sendable (_ address: String?) -> PageMessage
    let keepAccountButton: String
    let newPassword: @Sendable (_ address: String?) -> PageMessage
    let newPasswordButton: String
    let openInApp: PageMessage
    let addressConfirmed: PageMessage
    let addressChanged: PageMessage
    let addressRestored: PageMessage
    let accountKept: PageMessage
    let passwordSet: PageMessage
    let deadLink: PageMessage
    let addressTaken: PageMessage
    let tooManyPasswords: String
    let goOn: String

    static let english = MailedLinkWords(
        confirmAddress: { address in
            PageMessage(title: "Confirm your address", text: "Is \(address ?? "this") your e-mail address?")
        },
        confirmAddressButton: "Yes, confirm it",
        changeAddress: { address in
            PageMessage(
                title: "Confirm your new address",
                text: "From now on, sign in with \(address ?? "this address")?")
        },
        changeAddressButton: "Yes, change it",
        restoreAddress: { address in
            PageMessage(
                title: "Take the change of your address back",
                text: "Your account signs in with \(address ?? "this address") again. It is signed out everywhere.")
        },
        restoreAddressButton: "Yes, take it back",
        keepAccount: { address in
            PageMessage(
                title: "Keep your account",
                text: "Your account\(address.map { " with \($0)" } ?? "") is not removed, and you can sign in again.")
        },
        keepAccountButton: "Yes, keep it",
        newPassword: { address in
            PageMessage(
                title: "Choose a new password",
                text: "For \(address ?? "your account"). You will be signed out everywhere.")
        },
        newPasswordButton: "Set the password",
        openInApp: PageMessage(
            title: "Open this link in the app",
            text: "This link signs you in to the app that you asked for it from. Open it on the device with that app."),
        addressConfirmed: PageMessage(title: "Address confirmed", text: "You can go back to the app."),
        addressChanged: PageMessage(title: "Address changed", text: "Sign in again with the new address."),
        addressRestored: PageMessage(
            title: "Address restored",
            text: "Sign in with it. If the change was not yours, choose a new password now."),
        accountKept: PageMessage(title: "Your account stays", text: "You can sign in again."),
        passwordSet: PageMessage(title: "Password set", text: "Sign in with it from now on."),
        deadLink: PageMessage(
            title: "This link is no longer valid",
            text: "It was used before, it has expired, or it is not complete. Ask for a new one in the app."),
        addressTaken: PageMessage(title: "This address has an account", text: "Sign in with it, or choose another."),
        tooManyPasswords: "Too many passwords were tried. Wait an hour, then ask for another link in the app.",
        goOn: "Continue")

    static let german = MailedLinkWords(
        confirmAddress: { address in
            PageMessage(
                title: "Adresse bestätigen",
                text: address.map { "Ist \($0) Ihre E-Mail-Adresse?" } ?? "Ist das Ihre E-Mail-Adresse?")
        },
        confirmAddressButton: "Ja, bestätigen",
        changeAddress: { address in
            PageMessage(
                title: "Neue Adresse bestätigen",
                text: "Wollen Sie sich von nun an mit \(address ?? "dieser Adresse") anmelden?")
        },
        changeAddressButton: "Ja, ändern",
        restoreAddress: { address in
            PageMessage(
                title: "Adressänderung zurücknehmen",
                text: "Ihr Konto meldet sich wieder mit \(address ?? "dieser Adresse") an. Es wird überall abgemeldet.")
        },
        restoreAddressButton: "Ja, zurücknehmen",
        keepAccount: { address in
            PageMessage(
                title: "Konto behalten",
                text:
                    "Ihr Konto\(address.map { " mit \($0)" } ?? "") wird nicht gelöscht, und Sie können sich wieder anmelden."
            )
        },
        keepAccountButton: "Ja, behalten",
        newPassword: { address in
            PageMessage(
                title: "Neues Passwort wählen",
                text: "Für \(address ?? "Ihr Konto"). Sie werden überall abgemeldet.")
        },
        newPasswordButton: "Passwort setzen",
        openInApp: PageMessage(
            title: "Öffnen Sie diesen Link in der App",
            text: "Dieser Link meldet Sie in der App an, in der Sie ihn angefordert haben. "
                + "Öffnen Sie ihn auf dem Gerät mit dieser App."),
        addressConfirmed: PageMessage(title: "Adresse bestätigt", text: "Sie können zur App zurückkehren."),
        addressChanged: PageMessage(
            title: "Adresse geändert", text: "Melden Sie sich mit der neuen Adresse wieder an."),
        addressRestored: PageMessage(
            title: "Adresse wiederhergestellt",
            text:
                "Melden Sie sich damit an. Falls die Änderung nicht von Ihnen war, wählen Sie jetzt ein neues Passwort."
        ),
        accountKept: PageMessage(title: "Ihr Konto bleibt", text: "Sie können sich wieder anmelden."),
        passwordSet: PageMessage(title: "Passwort gesetzt", text: "Melden Sie sich von nun an damit an."),
        deadLink: PageMessage(
            title: "Dieser Link gilt nicht mehr",
            text:
                "Er wurde schon benutzt, ist abgelaufen oder nicht vollständig. Fordern Sie in der App einen neuen an."),
        addressTaken: PageMessage(
            title: "Diese Adresse hat schon ein Konto", text: "Melden Sie sich damit an, oder wählen Sie eine andere."),
        tooManyPasswords:
            "Es wurden zu viele Passwörter versucht. Warten Sie eine Stunde und fordern Sie dann in der App einen neuen Link an.",
        goOn: "Weiter")

    static let japanese = MailedLinkWords(
        confirmAddress: { address in
            PageMessage(
                title: "メールアドレスの確認",
                text: address.map { "\($0) はあなたのメールアドレスですか。" } ?? "これはあなたのメールアドレスですか。")
        },
        confirmAddressButton: "はい、確認します",
        changeAddress: { address in
            PageMessage(title: "新しいメールアドレスの確認", text: "今後は\(address.map { " \($0) " } ?? "このアドレス")でサインインしますか。")
        },
        changeAddressButton: "はい、変更します",
        restoreAddress: { address in
            PageMessage(
                title: "メールアドレスの変更の取り消し",
                text: "アカウントは再び\(address.map { " \($0) " } ?? "このアドレス")でサインインします。すべてのデバイスからサインアウトします。")
        },
        restoreAddressButton: "はい、取り消します",
        keepAccount: { address in
            PageMessage(
                title: "アカウントを残す", text: "\(address.map { "\($0) の" } ?? "")アカウントは削除されず、再びサインインできます。")
        },
        keepAccountButton: "はい、残します",
        newPassword: { address in
            PageMessage(
                title: "新しいパスワードの設定",
                text: "\(address.map { "\($0) の" } ?? "アカウントの")パスワードを設定します。すべてのデバイスからサインアウトします。")
        },
        newPasswordButton: "パスワードを設定",
        openInApp: PageMessage(
            title: "このリンクはアプリで開いてください",
            text: "このリンクは、リンクを要求したアプリにサインインするためのものです。そのアプリがあるデバイスで開いてください。"),
        addressConfirmed: PageMessage(title: "メールアドレスを確認しました", text: "アプリに戻ってください。"),
        addressChanged: PageMessage(
            title: "メールアドレスを変更しました", text: "新しいメールアドレスでもう一度サインインしてください。"),
        addressRestored: PageMessage(
            title: "メールアドレスを元に戻しました",
            text: "そのアドレスでサインインしてください。変更にお心当たりがない場合は、すぐに新しいパスワードを設定してください。"),
        accountKept: PageMessage(title: "アカウントは残ります", text: "再びサインインできます。"),
        passwordSet: PageMessage(title: "パスワードを設定しました", text: "今後はこのパスワードでサインインしてください。"),
        deadLink: PageMessage(
            title: "このリンクは無効です",
            text: "使用済み、期限切れ、または不完全なリンクです。アプリで新しいリンクを要求してください。"),
        addressTaken: PageMessage(
            title: "このメールアドレスのアカウントは既にあります",
            text: "そのアドレスでサインインするか、別のアドレスを選んでください。"),
        tooManyPasswords: "試行回数が多すぎます。1 時間待ってから、アプリで新しいリンクを要求してください。",
        goOn: "続ける")
}
