import CCurl
import CountersignCore

/// What became of handing a mail to a mail server: a plain function of what libcurl says.
enum SMTPVerdict: Sendable, Equatable {
    case delivered
    /// - Parameter isOperators: the operator has to correct the configuration or the mail server.
    case postponed(reason: String, isOperators: Bool)
    case refused(reason: String)

    /// - Parameters:
    ///   - code: how the transfer ended.
    ///   - reply: the last reply of the server, three digits; 0 where there was none.
    ///   - isSent: the whole mail had been read when it ended.
    init(_ code: CURLcode, reply: Int, isSent: Bool) {
        switch code {
        case CURLE_OK: self = .delivered
        case CURLE_LOGIN_DENIED: self = .postponed(reason: "smtp-login-\(reply)", isOperators: true)
        case CURLE_USE_SSL_FAILED: self = .postponed(reason: "smtp-no-starttls", isOperators: true)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR:
            self = .postponed(reason: "smtp-certificate", isOperators: true)
        case CURLE_SSL_CONNECT_ERROR: self = .postponed(reason: "smtp-tls", isOperators: true)
        case CURLE_COULDNT_RESOLVE_HOST: self = .postponed(reason: "smtp-unknown-host", isOperators: true)
        case CURLE_OPERATION_TIMEDOUT: self = .postponed(reason: "smtp-timeout", isOperators: false)
        // The server answered, and not as one hopes: to the sender, the recipient or the mail. Before that, in its greeting,
        // it speaks of us and not of this mail, as it does where it wants a login.
        case CURLE_SEND_ERROR, CURLE_WEIRD_SERVER_REPLY, CURLE_RECV_ERROR, CURLE_QUOTE_ERROR:
            switch reply {
            case 530, 534, 535, 538: self = .postponed(reason: "smtp-login-\(reply)", isOperators: true)
            case 500..<600 where code == CURLE_WEIRD_SERVER_REPLY && !isSent:
                self = .postponed(reason: "smtp-\(reply)", isOperators: true)
            case 500..<600: self = .refused(reason: "smtp-\(reply)")
            case 400..<500: self = .postponed(reason: "smtp-\(reply)", isOperators: false)
            default: self = .postponed(reason: "smtp-connection", isOperators: false)
            }
        default: self = .postponed(reason: "smtp-connection-\(code.rawValue)", isOperators: false)
        }
    }
}
