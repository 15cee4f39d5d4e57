/// An argument that a command cannot use.
struct WrongArgument: Error {
    let text: String
}

/// The number that an argument is.
func parsed<Number: LosslessStringConvertible>(_ text: some StringProtocol) throws -> Number {
    guard let number = Number(String(text)) else { throw WrongArgument(text: String(text)) }
    return number
}

/// One of some choices, which are not none.
func one<Choice>(of choices: [Choice], _ numbers: inout SeededNumbers) -> Choice {
    guard let one = choices.randomElement(using: &numbers) else { preconditionFailure("nothing to choose from") }
    return one
}
