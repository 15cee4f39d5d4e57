import Foundation

/// What an app's developer should know, but no caller gets: a line in the system's log.
func notice(_ text: String) {
    NSLog("%@", "[FirebaseAuth] " + text)
}
