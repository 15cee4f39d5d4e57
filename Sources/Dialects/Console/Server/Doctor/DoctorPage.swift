import AdminServer
import CountersignCore
import WebPages

/// `/console/doctor`: what published standards ask for, and whether the present settings meet it.
enum DoctorPage {
    static let routes: [ConsoleRoute] = [
        .page("doctor", of: RunDoctor.self, in: .doctor, isEntry: true) { try await show($0) }
    ]

    private static func show(_ scene: ConsoleScene) async throws -> Page {
        let words = scene.words
        // What is no number is refused as a number that is no level.
        let level = scene.field("level").map { Int($0) ?? 0 } ?? 2
        let operation = RunDoctor(level: level, assurance: level)
        let answer = try await scene.perform(operation)
        var page = scene.page("console-doctor", "consoleDoctor")
        page.text = words("consoleDoctorText")
        page.blocks.append(
            .tabs(
                .init(
                    words.plain("consoleDoctorLevel"),
                    (1...3).map {
                        .init(
                            words.plain("consoleDoctorLevelOf", ["level": .number($0)]),
                            to: PagePath("/console/doctor", [("level", "\($0)")]).text, isPresent: $0 == level)
                    })))
        let short = answer.requirements.filter { $0.state == .notMet || $0.state == .unknown }
        page.blocks.append(standing(answer, scene))
        if !short.isEmpty {
            page.blocks += [.heading(words.plain("consoleDoctorOpen")), .table(table(short, scene))]
        }
        let rest = answer.requirements.filter { $0.state != .notMet && $0.state != .unknown }
        page.blocks += [.heading(words.plain("consoleDoctorRest")), .table(table(rest, scene))]
        page.blocks += scene.command(operation)
        return page
    }

    /// How many clauses are met.
    /// - Parameter link: where the page has more of it.
    static func standing(
        _ answer: RunDoctor.Answer, link: PageBlock.Link? = nil, _ scene: ConsoleScene
    ) -> PageBlock {
        let short = answer.requirements.count { $0.state == .notMet || $0.state == .unknown }
        return .standing(
            .init(
                answer.isMet ? .good : .alarming,
                scene.words(answer.isMet ? "consoleDoctorMet" : "consoleDoctorShort"),
                [
                    scene.words(
                        "consoleDoctorCounts",
                        [
                            "met": .number(answer.requirements.count { $0.state == .met }), "short": .number(short),
                            "all": .number(answer.requirements.count),
                        ])
                ], link: link))
    }

    private static func table(_ findings: [RequirementFinding], _ scene: ConsoleScene) -> PageTable {
        let words = scene.words
        return PageTable(
            words.plain("consoleDoctor"),
            columns: [
                words.plain("consoleDoctorClause"), words.plain("consoleDoctorAsks"), words.plain("consoleState"),
                words.plain("consoleDoctorWhy"),
            ],
            rows: findings.map { finding in
                [
                    .init(PageText(code: finding.id)), .init(words.saying(finding.text)),
                    .init(PageText(""), marks: [mark(finding, words)]),
                    .init(
                        PageText(
                            lines: finding.reasons.flatMap { reason in
                                [words.saying(reason.why)] + (reason.remedy.map { [remedy($0, words)] } ?? [])
                            })),
                ]
            })
    }

    /// A command is the same in every language.
    private static func remedy(_ remedy: String, _ words: Words) -> PageText {
        remedy.hasPrefix("countersign ") ? PageText(code: remedy) : words.saying(remedy)
    }

    private static func mark(_ finding: RequirementFinding, _ words: Words) -> PageBlock.Mark {
        switch finding.state {
        case .met: .init(words("consoleDoctorStateMet"), .good)
        case .notMet:
            finding.isMandatory
                ? .init(words("consoleDoctorStateNotMet"), .alarming) : .init(words("consoleDoctorStateAdvised"))
        case .unknown: .init(words("consoleDoctorStateUnknown"), .alarming)
        case .elsewhere: .init(words("consoleDoctorStateElsewhere"))
        case .inapplicable: .init(words("consoleDoctorStateInapplicable"))
        }
    }
}
