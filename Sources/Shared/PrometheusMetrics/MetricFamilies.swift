extension PrometheusRegistry {
    /// Every series and sample that has a description, in the order of names: each name with its `HELP` and `TYPE` once, and all of its
    /// series after them, as the text format wants it.
    ///
    /// What has no description is left out: libraries record for themselves, under names that nothing explains.
    /// - Parameters:
    ///   - samples: values that are read for this answer.
    ///   - descriptions: one line of plain English for each name, as it is written.
    public func text(with samples: [Sample], describedBy descriptions: [String: String]) -> String {
        var families: [String: (kind: String, lines: String)] = [:]
        for (name, kind, lines) in lines() { families[name, default: (kind, "")].lines += lines }
        for sample in samples {
            let name = PrometheusText.name(sample.name)
            let kind = sample.isCounter ? "counter" : "gauge"
            guard families[name, default: (kind, "")].kind == kind else { continue }
            let labels = PrometheusText.labels(sample.labels)
            families[name, default: (kind, "")].lines +=
                "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(PrometheusText.number(sample.value))\n"
        }
        return families.sorted { $0.key < $1.key }.compactMap { name, family in
            descriptions[name].map {
                "# HELP \(name) \(PrometheusText.help($0))\n# TYPE \(name) \(family.kind)\n\(family.lines)"
            }
        }.joined()
    }
}
