extension Words {
    /// What pages for users call a message that was sent to them: a mail by its subject.
    /// - Parameter template: the name of its words (`OutboxContent.template`).
    public func name(ofMessage template: String) -> PageText {
        let key = WordFamily.key("message", template)
        return self(messages.has(key) ? key : "messageOther")
    }
}
