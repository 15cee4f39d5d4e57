import WebPages

/// The words of the page of an invitation.
struct EnrolmentWords: PageWords {
    let protect: @Sendable (_ address: String?) -> PageMessage
    let nothingOffered: String
    let begunTooLongAgo: String
    let scan: String
    let qrCode: String
    let openApp: String
    let typeSecret: String
    let codeLabel: String
    let confirm: String
    let recoveryCode: String
    let scanned: String
    let waiting: String
    let button: @Sendable (EnrolmentMethod) -> String
    let instruction: @Sendable (EnrolmentMethod) -> String
    let wrongCode: String
    let tooManyCodes: String
    let deadLink: PageMessage
    let expired: PageMessage
    let used: PageMessage
    let tooManyTries: PageMessage
    let done: PageMessage
    let enrolled: PageMessage

    static let english = EnrolmentWords(
        protect: { address in
            PageMessage(
                title: "Protect your account",
                text: "Add a second step to the sign-in of \(address ?? "your account").")
        },
        nothingOffered: "Nothing can be enrolled at present. Ask the person who invited you.",
        begunTooLongAgo: "The code on this page was good for five minutes. Begin again.",
        scan: "Scan this code",
        qrCode: "QR code for your authenticator app",
        openApp: "On this phone? Open the app",
        typeSecret: "Or type this secret into the app:",
        codeLabel: "The six digits that the app shows now",
        confirm: "Confirm",
        recoveryCode: "Write this recovery code down and keep it apart from your phone. "
            + "It lets you in once if the phone is lost, and is not shown again:",
        scanned: "I have scanned it: go on",
        waiting: "Waiting for your phone",
        button: { method in
            switch method {
            case .push: "Use an app that asks you"
            case .otp: "Use an app that shows codes"
            }
        },
        instruction: { method in
            switch method {
            case .push:
                "Open the authenticator app on your phone and scan the code with it. This page goes on by itself."
            case .otp: "Scan it with any authenticator app, then type what the app shows."
            }
        },
        wrongCode: "That is not the code. Wait for the next one, and look at the phone's clock.",
        tooManyCodes: "Too many wrong codes. Begin again.",
        deadLink: PageMessage(
            title: "This link is not valid",
            text: "It is incomplete, or was not issued by this service. Ask the person who invited you."),
        expired: PageMessage(
            title: "This link has expired",
            text: "It was valid for five days. Ask the person who invited you for another."),
        used: PageMessage(
            title: "This link was used", text: "If it was not you, contact the operator of the service at once."),
        tooManyTries: PageMessage(title: "Too many tries", text: "Wait a while, and open the link again."),
        done: PageMessage(
            title: "Done", text: "From now on your sign-in has a second step. You can close this page."),
        enrolled: PageMessage(
            title: "There is one already",
            text: "Your account has a second step. Ask the person who invited you to add another."))

    static let german = EnrolmentWords(
        protect: { address in
            PageMessage(
                title: "Schützen Sie Ihr Konto",
                text: "Fügen Sie der Anmeldung von \(address ?? "Ihrem Konto") einen zweiten Schritt hinzu.")
        },
        nothingOffered: "Zurzeit kann nichts eingerichtet werden. Fragen Sie, wer Sie eingeladen hat.",
        begunTooLongAgo: "Der Code auf dieser Seite galt fünf Minuten. Beginnen Sie noch einmal.",
        scan: "Scannen Sie diesen Code",
        qrCode: "QR-Code für Ihre Authenticator-App",
        openApp: "Auf diesem Telefon? App öffnen",
        typeSecret: "Oder geben Sie dieses Geheimnis in der App ein:",
        codeLabel: "Die sechs Ziffern, die die App jetzt zeigt",
        confirm: "Bestätigen",
        recoveryCode: "Schreiben Sie diesen Wiederherstellungscode auf und bewahren Sie ihn getrennt vom Telefon auf. "
            + "Er lässt Sie einmal ein, wenn das Telefon verloren ist, und wird nicht wieder gezeigt:",
        scanned: "Ich habe ihn gescannt: weiter",
        waiting: "Warten auf Ihr Telefon",
        button: { method in
            switch method {
            case .push: "Eine App verwenden, die Sie fragt"
            case .otp: "Eine App verwenden, die Codes zeigt"
            }
        },
        instruction: { method in
            switch method {
            case .push:
                "Öffnen Sie die Authenticator-App auf Ihrem Telefon und scannen Sie damit den Code. "
                    + "Diese Seite geht von selbst weiter."
            case .otp: "Scannen Sie ihn mit einer Authenticator-App und geben Sie dann ein, was die App zeigt."
            }
        },
        wrongCode: "Das ist nicht der Code. Warten Sie auf den nächsten und prüfen Sie die Uhr des Telefons.",
        tooManyCodes: "Zu viele falsche Codes. Beginnen Sie noch einmal.",
        deadLink: PageMessage(
            title: "Dieser Link gilt nicht",
            text: "Er ist nicht vollständig oder keiner von uns. Fragen Sie, wer Sie eingeladen hat."),
        expired: PageMessage(
            title: "Dieser Link ist abgelaufen",
            text: "Er galt fünf Tage. Bitten Sie, wer Sie eingeladen hat, um einen neuen."),
        used: PageMessage(
            title: "Dieser Link wurde benutzt",
            text: "Falls Sie das nicht waren, sagen Sie es sofort dem Betreiber des Dienstes."),
        tooManyTries: PageMessage(
            title: "Zu viele Versuche", text: "Warten Sie eine Weile und öffnen Sie den Link noch einmal."),
        done: PageMessage(
            title: "Fertig",
            text: "Von nun an hat Ihre Anmeldung einen zweiten Schritt. Sie können diese Seite schließen."),
        enrolled: PageMessage(
            title: "Es gibt schon einen",
            text: "Ihr Konto hat einen zweiten Schritt. Bitten Sie, wer Sie eingeladen hat, einen weiteren zuzulassen.")
    )

    static let japanese = EnrolmentWords(
        protect: { address in
            PageMessage(
                title: "アカウントを保護する",
                text: "\(address.map { "\($0) の" } ?? "アカウントの")サインインに 2 段階目の確認を追加します。")
        },
        nothingOffered: "現在、登録できるものがありません。招待した方にお問い合わせください。",
        begunTooLongAgo: "このページのコードの有効期限は 5 分でした。もう一度始めてください。",
        scan: "このコードをスキャンしてください",
        qrCode: "認証アプリ用の QR コード",
        openApp: "このスマートフォンでアプリを開く",
        typeSecret: "または、このシークレットをアプリに入力してください。",
        codeLabel: "アプリに表示されている 6 桁の数字",
        confirm: "確認",
        recoveryCode: "このリカバリーコードを書き留め、スマートフォンとは別の場所に保管してください。"
            + "スマートフォンを紛失したときに 1 回だけサインインできます。再び表示されることはありません。",
        scanned: "スキャンしました。次へ",
        waiting: "スマートフォンを待っています",
        button: { method in
            switch method {
            case .push: "確認を求めるアプリを使う"
            case .otp: "コードを表示するアプリを使う"
            }
        },
        instruction: { method in
            switch method {
            case .push: "スマートフォンの認証アプリを開き、コードをスキャンしてください。このページは自動的に進みます。"
            case .otp: "認証アプリでスキャンし、アプリに表示された数字を入力してください。"
            }
        },
        wrongCode: "コードが正しくありません。次のコードを待ち、スマートフォンの時計を確認してください。",
        tooManyCodes: "誤ったコードの回数が多すぎます。もう一度始めてください。",
        deadLink: PageMessage(
            title: "このリンクは無効です", text: "不完全であるか、当サービスのリンクではありません。招待した方にお問い合わせください。"),
        expired: PageMessage(
            title: "このリンクは期限切れです", text: "有効期限は 5 日間でした。招待した方に新しいリンクを依頼してください。"),
        used: PageMessage(
            title: "このリンクは使用済みです", text: "お心当たりがない場合は、すぐにサービスの運営者へご連絡ください。"),
        tooManyTries: PageMessage(title: "試行回数が多すぎます", text: "しばらく待ってから、リンクをもう一度開いてください。"),
        done: PageMessage(
            title: "完了しました", text: "今後はサインインに 2 段階目の確認が必要です。このページを閉じてもかまいません。"),
        enrolled: PageMessage(
            title: "既に登録されています",
            text: "アカウントには 2 段階目の確認があります。追加する場合は、招待した方に依頼してください。"))
}
