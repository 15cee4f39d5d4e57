/// The passwords that attackers try first. A blocklist as NIST SP 800-63B-4, section 3.1.1.2, asks for: what is short
/// of the minimum length is not in it, as it is refused anyway.
enum CommonPasswords {
    /// Whether the password, in lower case, is one of the commonest, or one with the digits and signs around it that
    /// users commonly add.
    static func contains(_ password: String) -> Bool {
        if words.contains(password) || isMonotonous(password) || isSequence(password) { return true }
        let (before, core, after) = parts(of: password)
        let decoration = before + after
        // "12345678!", "abc12345", "123456a".
        let digits = decoration.filter(\.isNumber)
        if core.count <= 3, decoration.count - digits.count <= 1, digits.count >= 5 {
            return isMonotonous(digits) || isSequence(digits)
        }
        // "password1", "qwerty123!", "summer2024!" and their like are as common as the words themselves.
        guard words.contains(core) || isMonotonous(core) || isSequence(core) else { return false }
        return decoration.count <= 4 || isWorn(before) && isWorn(after)
    }

    /// A year, a row of digits, a sign: what is put around a word to satisfy a rule.
    private static func isWorn(_ decoration: String) -> Bool {
        let digits = decoration.filter(\.isNumber)
        return decoration.count - digits.count <= 1
            && (digits.count <= 4 || isMonotonous(digits) || isSequence(digits))
    }

    /// "aaaaaaaa", "11111111", "abababab".
    private static func isMonotonous(_ text: String) -> Bool { text.count >= 4 && Set(text).count <= 2 }

    /// "12345678", "87654321", "0123456789", "abcdefgh".
    private static func isSequence(_ text: String) -> Bool {
        guard text.count >= 4 else { return false }
        let values = text.unicodeScalars.map { Int($0.value) }
        let steps = zip(values, values.dropFirst()).map { $1 - $0 }
        let wraps: Set<Int> = [1, -9]
        let falls: Set<Int> = [-1, 9]
        return steps.allSatisfy(wraps.contains) || steps.allSatisfy(falls.contains)
    }

    /// The digits and ASCII signs at both ends, and what is between.
    private static func parts(of text: String) -> (before: String, core: String, after: String) {
        func isDecoration(_ character: Character) -> Bool { character.isASCII && !character.isLetter }
        let before = text.prefix(while: isDecoration)
        let rest = text[before.endIndex...]
        guard let last = rest.lastIndex(where: { !isDecoration($0) }) else { return (text, "", "") }
        let end = rest.index(after: last)
        return (String(before), String(rest[..<end]), String(rest[end...]))
    }

    private static let words: Set<String> = Set(
        """
        password passwort passw0rd p@ssw0rd p@ssword pa$$w0rd pa$$word pass admin pa55word passord motdepasse
        contrasena contraseña senha parola haslo wachtwoord salasana adminadmin administrator administrador rootroot
        changeme changeit letmein letmeinnow welcome welcomeback willkommen bienvenue iloveyou iloveu ichliebedich
        jetaime tequiero qwerty qwer qwertyui qwertyuiop qwertz qwertzui qwertzuiop azerty azertyuiop asdf asdfgh
        asdfghjkl asdfasdf asdf1234 zxcvbn zxcvbnm 1q2w3e4r 1q2w3e4r5t 1q2w3e 1qaz2wsx qazwsx qazwsxedc q1w2e3r4
        q1w2e3r4t5 zaq12wsx 1qazxsw2 abc123 abcd1234 abcdefgh abcdefg1 a1b2c3d4 aa123456 abcabc 123abc 123qwe qwe123
        qweasd qweasdzxc 123123 12341234 123454321 11223344 112233 121212 123321 654321 696969 159753 147258369
        147852369 987654321 1234567890 12345678910 0987654321 sunshine princess princesse prinzessin football baseball
        basketball superman batman spiderman pokemon starwars dragon monkey shadow master michael jennifer jordan
        jessica ashley charlie daniel andrew matthew thomas robert nicole michelle anthony joshua hunter hunter2
        killer trustno1 whatever computer internet samsung google facebook linkedin twitter instagram youtube amazon
        microsoft windows apple iphone android linkin chelsea liverpool arsenal barcelona realmadrid juventus bayern
        schalke manchester cheese chocolate cookie banana pepper ginger summer winter spring autumn sommer january
        february december november october september monday friday freedom forever family friends lovely loveme lovers
        babygirl angel angels butterfly flower flowers purple orange yellow silver golden diamond hannah sophie maggie
        buster tigger soccer hockey yankees steelers cowboys eagles lakers rangers mustang ferrari porsche mercedes
        corvette harley toyota honda yamaha guitar guitare music metallica nirvana slipknot eminem blink182 matrix
        phoenix merlin gandalf hobbit zelda mario minecraft fortnite warcraft counter secret secrets geheim topsecret
        default guest test testtest tester testing testpass user username login access system server oracle mysql
        postgres database cisco router network backup temp temppass temporary example sample demo demodemo blahblah
        foobar foobarbaz asshole fuckyou fuckyou1 biteme bitchass pussycat sexy sexygirl playboy hello helloworld
        hellokitty hallo hallohallo bonjour nothing something anything everyone nobody jesus jesuschrist jesus1 christ
        blessed heaven godisgood gratitude success money moneymoney million lucky lucky7 winner victory champion
        number1 ncc1701 thx1138 bond007 killer123 correcthorse correcthorsebatterystaple startrek enterprise scooter
        scooby snoopy garfield mickey mickeymouse donald donaldduck tinkerbell cinderella peanut pumpkin sweety
        sweetheart honey honeybee darling dearest beautiful gorgeous handsome newyork london paris berlin hamburg
        muenchen münchen tokyo moscow madrid lisbon dublin chicago boston dallas houston phoenix1 california florida
        texas america canada germany deutschland france espana italia brasil nippon sakura doraemon naruto pikachu
        dragonball onepiece password1234 passwordpassword passwort123 secret123
        """.split(whereSeparator: \.isWhitespace).map(String.init))
}
