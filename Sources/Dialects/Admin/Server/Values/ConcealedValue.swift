import CountersignCore

/// What stands for a value that may be a secret, before callers who may see what has it and not change it (`docs/decisions/0535`).
public enum ConcealedValue {
    /// No operation takes it as a value.
    public static let mark = "<secret>"
}

extension AdministrationError {
    /// What was read by a caller to whom values are not shown would come in their place.
    static let concealedValue = AdministrationError(
        .invalid, "\(ConcealedValue.mark) stands for a value that is not shown. Write the value.")
}
