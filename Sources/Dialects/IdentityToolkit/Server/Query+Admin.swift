import CountersignCore
import Foundation
import IdentityToolkitWire

extension IdentityToolkit {
    /// Accounts that one query returns at most, and where it says nothing.
    static let maximumQueried = 500

    /// `projects/{p}/accounts:query`: accounts by one of their identifiers, or a listing in an order of choice.
    ///
    /// Of several expressions the first counts. A listing in another order than by id reads every account; large realms
    /// use `:batchGet` (REST reference of Identity Platform, v1 `projects.accounts.query`).
    func queryAccounts(_ request: QueryAccountsRequest, _ call: Call) async throws -> QueryAccountsResponse {
        let limit = try number(request.limit, "limit", in: 0...Int64(Self.maximumQueried)) ?? Self.maximumQueried
        let offset = try number(request.offset, "offset", in: 0...Int64(Accounts.longestOffset)) ?? 0
        let order = UserOrder(try sortKey(request.sortBy), isDescending: try isDescending(request.order))
        let returnsUsers = request.returnUserInfo != false
        let found: [UserWithFactors]
        if let expression = request.expression?.first {
            found = try await realm.accounts.find(try identifier(expression).map { [$0] } ?? [])
            guard returnsUsers else { return QueryAccountsResponse(recordsCount: Int64String(Int64(found.count))) }
        } else {
            guard returnsUsers else {
                return QueryAccountsResponse(recordsCount: Int64String(Int64(try await realm.accounts.count())))
            }
            found = limit == 0 ? [] : try await realm.accounts.users(in: order, offset: offset, limit: limit)
        }
        let users = found.map { Account($0, call) }
        return QueryAccountsResponse(
            recordsCount: Int64String(Int64(users.count)), userInfo: users.isEmpty ? nil : users)
    }

    /// Nil where no user can have it.
    private func identifier(_ expression: AccountExpression) throws -> UserIdentifier? {
        switch (expression.email, expression.userId, expression.phoneNumber) {
        case (let email?, nil, nil): EmailAddress(email).map(UserIdentifier.email)
        case (nil, let id?, nil): .id(UserID(rawValue: id))
        case (nil, nil, let number?): PhoneNumber(number).map(UserIdentifier.phoneNumber)
        default: throw IdentityToolkitError.invalidArgument
        }
    }

    private func number(_ number: Int64String?, _ field: String, in range: ClosedRange<Int64>) throws -> Int? {
        guard let number else { return nil }
        guard range.contains(number.value) else {
            throw IdentityToolkitError.invalidValue(field, type: "TYPE_INT64", value: number.description)
        }
        return Int(number.value)
    }

    private func sortKey(_ text: String?) throws -> UserOrder.Key {
        switch try Enumeration.sortKey.word(text, at: "sort_by") {
        case "NAME": .displayName
        case "CREATED_AT": .createdAt
        case "LAST_LOGIN_AT": .lastSignInAt
        case "USER_EMAIL": .email
        default: .id
        }
    }

    private func isDescending(_ text: String?) throws -> Bool {
        try Enumeration.order.word(text, at: "order") == "DESC"
    }
}
