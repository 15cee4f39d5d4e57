import CountersignCore
import Testing

@Suite("Pictures of users")
struct UserPictureTests {
    @Test(
        arguments: [
            ("https://pictures.example.com/ada.png", true), ("https://lh3.example.com:8443/a/b=s96-c?x=1#y", true),
            ("https://[2001:db8::1]/a.png", true), ("http://pictures.example.com/ada.png", false),
            ("HTTPS://pictures.example.com/ada.png", false), ("//pictures.example.com/ada.png", false),
            ("javascript:alert(1)", false), ("data:image/svg+xml,<svg/>", false), ("https://", false),
            ("https:///ada.png", false), ("https://ada@pictures.example.com/", false),
            ("https://ada:secret@pictures.example.com/", false), ("https://pictures.example.com:0/", false),
            ("https://pictures.example.com:99999/", false), ("https://pictures.example.com/a b", false),
            ("https://pictures.example.com/\"><script>", false), ("https://bücher.example/a.png", false),
            ("https://pictures.example.com/a\n", false), ("", false),
            ("https://a.example/" + String(repeating: "x", count: 2048), false),
        ])
    func `A picture is an https address without credentials, and applications are told no other`(
        text: String, isAddress: Bool
    ) {
        #expect(UserProfile.isPictureAddress(text) == isAddress)
        #expect(UserProfile(photoURL: text).pictureClaim == (isAddress ? text : nil))
    }
}
