import CountersignCore
import Foundation
import ServerHTTP

/// Makes an operation of a request's body, and refuses members that it does not have: a misspelt `requiresSecondFactor`
/// must not look as if it had been heard.
enum OperationDecoder {
    static func decode<Operation: AdministrationOperation>(
        _ type: Operation.Type, from body: JSONValue
    ) throws -> Operation {
        do {
            return try StrictJSON.decode(type, from: body)
        } catch let unknown as StrictJSON.UnknownMember {
            throw AdministrationError(.invalid, "\(type.name) has no member \"\(unknown.path)\". \(unknown.remedy)")
        } catch let fault as RequestBodyFault {
            throw AdministrationError(fault)
        }
    }
}

extension AdministrationError {
    /// What is wrong with a body.
    init(_ fault: RequestBodyFault) { self.init(.invalid, fault.sentence) }
}
