import CountersignCore
import Testing

@Suite("Settings of second factors")
struct SecondFactorSettingsTests {
    @Test
    func `A window that a document says is beyond what protocols allow is cut`() {
        var settings = SecondFactorSettings()
        settings.totp = TOTPSettings(state: .enabled, adjacentIntervals: 90)
        #expect(settings.totpWindow == 10)
        settings.totp = TOTPSettings(state: .enabled, adjacentIntervals: -1)
        #expect(settings.totpWindow == 0)
    }
}
