import Foundation

/// The columns of the row at hand, as a driver has them: read straight into what they become, without a box between.
///
/// Columns count from 0. It is valid only while the row is at hand.
public protocol SQLColumns {
    var count: Int { get }

    /// - Returns: nil for NULL.
    /// - Throws: ``SQLKindMismatch`` where the value is of another kind.
    func integer(_ column: Int) throws -> Int64?

    /// - Returns: nil for NULL.
    /// - Throws: ``SQLKindMismatch`` where the value is of another kind.
    func text(_ column: Int) throws -> String?

    /// - Returns: nil for NULL.
    /// - Throws: ``SQLKindMismatch`` where the value is of another kind.
    func blob(_ column: Int) throws -> Data?

    /// The value, of whatever kind it is.
    func value(_ column: Int) throws -> SQLValue
}

/// A column holds a value of another kind than was asked for.
public struct SQLKindMismatch: Error {
    public init() {}
}

extension SQLRow: SQLColumns {
    public var count: Int { values.count }

    public func integer(_ column: Int) throws -> Int64? {
        switch values[column] {
        case .null: nil
        case .integer(let number): number
        default: throw SQLKindMismatch()
        }
    }

    public func text(_ column: Int) throws -> String? {
        switch values[column] {
        case .null: nil
        case .text(let text): text
        default: throw SQLKindMismatch()
        }
    }

    public func blob(_ column: Int) throws -> Data? {
        switch values[column] {
        case .null: nil
        case .blob(let bytes): bytes
        default: throw SQLKindMismatch()
        }
    }

    public func value(_ column: Int) throws -> SQLValue { values[column] }
}
