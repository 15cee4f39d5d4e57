import CountersignCore
import NativeAuthWire

extension NativeAuthError {
    /// A service of the developer's own failed. The app learns that it did not work, and nothing of why: that is in the log.
    init(_ failure: ExtensionFailure) {
        self = failure.code == .throttlingError ? .extensionsBusy : .extensionFailed
    }

    /// A service of the developer's own does not let a sign-up go on. The words are the service's.
    init(_ objection: SignUpObjection) {
        switch objection {
        case .blocked(let text): self = .blocked(text)
        case .invalid(let faults, let text) where faults.isEmpty: self = .blocked(text)
        case .invalid(let faults, let text):
            let names = faults.keys.sorted()
            let texts = ([text] + names.map { "\($0): \(faults[$0] ?? "")" }).filter { !$0.isEmpty }
            self = .invalidAttributes(names, texts.joined(separator: " "))
        }
    }
}
