import CountersignCore
import SecurityChecks

/// The samples of the vendor's pages (MobileFirst Foundation 8.0 tutorials, "Credentials validation" and those after
/// it), under `--dev`. They disclose the right answer after a wrong one, as the originals do: so they exist under
/// `--dev` only.
enum SampleChecks {
    static func catalogue() throws -> SecurityCheckCatalogue {
        try SecurityCheckCatalogue(pin + login + stepUp + enrolment)
    }

    private static let pin = [
        SecurityCheckDefinition(
            "PinCodeAttempts",
            properties: [
                "pinCode": "1234", "maxAttempts": "3", "blockedStateExpirationSec": "60",
                "successStateExpirationSec": "60", "showsHint": "true",
            ]
        ) { PINSecurityCheck(&$0) }
    ]

    private static let login = [
        SecurityCheckDefinition(
            "UserLogin",
            properties: [
                "maxAttempts": "3", "blockedStateExpirationSec": "10", "successStateExpirationSec": "60",
                "rememberMeDurationSec": "120",
            ]
        ) { UserLoginSecurityCheck(&$0, verify: sameAsName) }
    ]

    /// Right where name and password are the same.
    @Sendable private static func sameAsName(
        _ username: String, _ password: Secret<String>
    ) async throws -> UserLoginSecurityCheck.Verdict {
        username == password.reveal() ? .right(displayName: username) : .wrong()
    }

    private static let people: [String: (name: String, password: String, pin: String)] = [
        "john": ("John Doe", "john123", "1234"), "tommy": ("Tommy Atkins", "tommy234", "2345"),
        "fred": ("Fred Bloggs", "fred123", "3456"), "ola": ("Ola Nordmann", "ola123", "4567"),
    ]

    private static let stepUp = [
        SecurityCheckDefinition("StepUpUserLogin", properties: ["successStateExpirationSec": "60"]) {
            UserLoginSecurityCheck(&$0, countsDown: false) { username, password in
                guard let person = people[username] else { return .wrong("User not found! Maybe try 'john'?") }
                return person.password == password.reveal()
                    ? .right(displayName: person.name) : .wrong("Wrong Credentials. Hint: \(person.password)")
            }
        },
        SecurityCheckDefinition("StepUpPinCode", properties: ["successStateExpirationSec": "60"]) {
            StepUpPINSecurityCheck(after: "StepUpUserLogin", limits: $0.limits(), showsHint: true) { user in
                people[user.id].map { Secret($0.pin) }
            }
        },
    ]

    private static let enrolment = [
        SecurityCheckDefinition("EnrollmentUserLogin", properties: ["successStateExpirationSec": "20"]) {
            UserLoginSecurityCheck(&$0, verify: sameAsName)
        },
        SecurityCheckDefinition(
            "EnrollmentPinCode",
            properties: ["maxAttempts": "3", "successStateExpirationSec": "30", "blockedStateExpirationSec": "1"]
        ) {
            EnrolledPINSecurityCheck(orWhile: "EnrollmentUserLogin", limits: $0.limits(), showsHint: true)
        },
        SecurityCheckDefinition("IsEnrolled", properties: ["successStateExpirationSec": "8000"]) {
            IsEnrolledSecurityCheck(duration: $0.seconds("successStateExpirationSec", default: 3600))
        },
    ]

    // MARK: Applications

    private static let common = [
        "transferPrivilege": "StepUpPinCode StepUpUserLogin", "setPinCode": "EnrollmentUserLogin",
        "unenroll": "IsEnrolled", "isEnrolled": "",
    ]

    /// One application for each sample, because they mean different checks by the same words; the first has all checks,
    /// and is what the vendor's page is about.
    static let applications: [(id: String, name: String, mapping: [String: String])] = [
        (
            "com.countersign.dev", "PIN sample",
            common.merging(["accessRestricted": "PinCodeAttempts", "transactions": "UserLogin"]) { $1 }
        ),
        (
            "com.countersign.dev.userlogin", "User login sample",
            common.merging(["accessRestricted": "UserLogin", "transactions": "UserLogin"]) { $1 }
        ),
        (
            "com.countersign.dev.stepup", "Step-up sample",
            common.merging(["accessRestricted": "StepUpUserLogin", "transactions": "StepUpUserLogin"]) { $1 }
        ),
        (
            "com.countersign.dev.enrollment", "Enrolment sample",
            common.merging(
                ["accessRestricted": "IsEnrolled", "transactions": "EnrollmentPinCode IsEnrolled"]) { $1 }
        ),
    ]
}
