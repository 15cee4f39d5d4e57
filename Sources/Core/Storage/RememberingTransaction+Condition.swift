import Foundation

extension RememberingTransaction {
    func presentTime() throws -> Date? { try base.presentTime() }
    func takesWrites() throws -> Bool { try base.takesWrites() }
}
