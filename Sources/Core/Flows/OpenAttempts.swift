import Foundation

extension StoreTransaction {
    /// What is open for a user: sign-ins that wait for another proof, and requests to devices; 1,000 of each kind at most.
    /// - Parameter kept: the digest of one that is left out.
    func openAttempts(of userID: UserID, but kept: Data? = nil, at now: Date) throws -> [FlowRecord] {
        try [FlowPurpose.signIn, .backchannel, .approve].flatMap { purpose in
            try openFlows(of: userID, purpose: purpose.rawValue, at: now, limit: 1000).filter { $0.digest != kept }
        }
    }

    /// Ends attempts of a user who says that another was at work: that person knows the password, and whatever waits for a second factor is
    /// theirs too.
    /// - Returns: how many ended.
    func end(_ attempts: [FlowRecord], at now: Date) throws -> Int {
        try attempts.count { attempt in
            var attempt = attempt
            attempt.finishedAt = now
            return try update(attempt)
        }
    }
}
