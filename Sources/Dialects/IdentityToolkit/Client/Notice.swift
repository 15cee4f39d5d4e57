import Foundation

/// What an app's developer should know and no caller can be told: a line in the system's log.
func notice(_ text: String) {
    NSLog("%@", "[FirebaseAuth] " + text)
}
