extension SessionTerms {
    /// The terms of an attempt whose client says something of them with several answers: the scopes of the last, and beside
    /// its details those of before. Lists are united, so that what was asked for once is there when the session begins.
    func following(_ earlier: SessionTerms) -> SessionTerms {
        var terms = self
        terms.details = earlier.details.merging(details) { before, now in
            guard case .array(var all) = before, case .array(let more) = now else { return now }
            for element in more where !all.contains(element) { all.append(element) }
            return .array(all)
        }
        return terms
    }
}
