#if !canImport(Security)
    import Foundation

    // The keys and values of query dictionaries, with the strings that they have on Apple's systems, so that dumps and
    // stored dictionaries agree (Security framework, `SecItemConstants.c`). `NSString` is not `Sendable`; these are constant literals that
    // nothing can change, which is why they may be `nonisolated(unsafe)`.

    // Classes
    /// The key of the item's class. Every query has it, unless ``kSecValuePersistentRef`` says the class.
    nonisolated(unsafe) public let kSecClass: CFString = "class"
    /// Class: a secret for an account of a service. ``kSecAttrAccount`` and ``kSecAttrService`` make it unique.
    nonisolated(unsafe) public let kSecClassGenericPassword: CFString = "genp"
    /// Class: a secret for an account of a server. Its account, security domain, server, protocol, authentication type,
    /// port and path make it unique.
    nonisolated(unsafe) public let kSecClassInternetPassword: CFString = "inet"
    /// Class: a certificate. Not offered here: `errSecUnimplemented`.
    nonisolated(unsafe) public let kSecClassCertificate: CFString = "cert"
    /// Class: a cryptographic key, public or private.
    nonisolated(unsafe) public let kSecClassKey: CFString = "keys"
    /// Class: a private key with its certificate. Not offered here: `errSecUnimplemented`.
    nonisolated(unsafe) public let kSecClassIdentity: CFString = "idnt"

    // Attributes of every class
    /// When an item can be read at all: one of the `kSecAttrAccessible…` values. ``kSecAttrAccessibleWhenUnlocked``
    /// where neither this nor ``kSecAttrAccessControl`` is given.
    nonisolated(unsafe) public let kSecAttrAccessible: CFString = "pdmn"
    /// What must be shown before an item is given out: a ``SecAccessControl``. It excludes another
    /// ``kSecAttrAccessible``.
    nonisolated(unsafe) public let kSecAttrAccessControl: CFString = "accc"
    /// The access group. There is one, the application's name; another is `errSecMissingEntitlement`.
    nonisolated(unsafe) public let kSecAttrAccessGroup: CFString = "agrp"
    /// Whether the item is synchronised. True is `errSecParam` in additions and changes, and finds nothing.
    nonisolated(unsafe) public let kSecAttrSynchronizable: CFString = "sync"
    /// Value of ``kSecAttrSynchronizable`` in searches: items are found whether they are synchronised or not.
    nonisolated(unsafe) public let kSecAttrSynchronizableAny: CFString = "syna"
    /// When the item was added; a `CFDate`.
    nonisolated(unsafe) public let kSecAttrCreationDate: CFString = "cdat"
    /// When the item was last changed; a `CFDate`.
    nonisolated(unsafe) public let kSecAttrModificationDate: CFString = "mdat"
    /// What people call the item. It is no part of what makes an item unique.
    nonisolated(unsafe) public let kSecAttrLabel: CFString = "labl"
    /// Where a key is made that stays in hardware, for ``SecKeyCreateRandomKey(_:_:)``. ``SecItemAdd(_:_:)`` refuses it
    /// with `errSecUnimplemented`.
    nonisolated(unsafe) public let kSecAttrTokenID: CFString = "tkid"

    // Attributes of passwords
    /// What kind of secret it is, for people.
    nonisolated(unsafe) public let kSecAttrDescription: CFString = "desc"
    /// A comment of the user's.
    nonisolated(unsafe) public let kSecAttrComment: CFString = "icmt"
    /// The item's creator, as a number of four characters. Of keys it is a part of what makes them unique.
    nonisolated(unsafe) public let kSecAttrCreator: CFString = "crtr"
    /// The item's type, as a number of four characters.
    nonisolated(unsafe) public let kSecAttrType: CFString = "type"
    /// Whether lists are to leave the item out. It is kept; nothing here goes by it.
    nonisolated(unsafe) public let kSecAttrIsInvisible: CFString = "invi"
    /// Whether the item stands for a password that is not stored. It is kept; nothing here goes by it.
    nonisolated(unsafe) public let kSecAttrIsNegative: CFString = "nega"
    /// Whose secret it is. A part of what makes a password unique.
    nonisolated(unsafe) public let kSecAttrAccount: CFString = "acct"
    /// What a generic password is for. A part of what makes it unique.
    nonisolated(unsafe) public let kSecAttrService: CFString = "svce"
    /// Data of the application's own on a generic password.
    nonisolated(unsafe) public let kSecAttrGeneric: CFString = "gena"
    /// The security domain of an internet password. A part of what makes it unique.
    nonisolated(unsafe) public let kSecAttrSecurityDomain: CFString = "sdmn"
    /// The server of an internet password: a host name or an address. A part of what makes it unique.
    nonisolated(unsafe) public let kSecAttrServer: CFString = "srvr"
    /// The protocol of an internet password: one of the `kSecAttrProtocol…` values. A part of what makes it unique.
    nonisolated(unsafe) public let kSecAttrProtocol: CFString = "ptcl"
    /// How one authenticates at the server: one of the `kSecAttrAuthenticationType…` values. A part of what makes an
    /// internet password unique.
    nonisolated(unsafe) public let kSecAttrAuthenticationType: CFString = "atyp"
    /// The port of an internet password, a number. A part of what makes it unique.
    nonisolated(unsafe) public let kSecAttrPort: CFString = "port"
    /// The path of an internet password. A part of what makes it unique.
    nonisolated(unsafe) public let kSecAttrPath: CFString = "path"

    // Attributes of keys
    /// Whether a key is public or private: ``kSecAttrKeyClassPublic`` or ``kSecAttrKeyClassPrivate``.
    nonisolated(unsafe) public let kSecAttrKeyClass: CFString = "kcls"
    /// SHA-1 of the key's public half, which finds the two halves of a pair. It is set from the key where it is added
    /// by reference.
    nonisolated(unsafe) public let kSecAttrApplicationLabel: CFString = "klbl"
    /// Whether ``SecKeyCreateRandomKey(_:_:)`` keeps the key in the vault. False where it is not given.
    nonisolated(unsafe) public let kSecAttrIsPermanent: CFString = "perm"
    /// Whether the key is marked as sensitive. It is kept; nothing here goes by it.
    nonisolated(unsafe) public let kSecAttrIsSensitive: CFString = "sens"
    /// Whether the key is marked as extractable. It is kept; an access control with
    /// ``SecAccessControlCreateFlags/privateKeyUsage`` is what keeps a key's bytes in the vault.
    nonisolated(unsafe) public let kSecAttrIsExtractable: CFString = "extr"
    /// The application's name for a key, text or data. Two keys may have the same.
    nonisolated(unsafe) public let kSecAttrApplicationTag: CFString = "atag"
    /// The key's algorithm: ``kSecAttrKeyTypeRSA`` or ``kSecAttrKeyTypeECSECPrimeRandom``.
    nonisolated(unsafe) public let kSecAttrKeyType: CFString = "type"
    /// The key's size: RSA of 2048 to 4096 bits, elliptic curves of 256, 384 or 521.
    nonisolated(unsafe) public let kSecAttrKeySizeInBits: CFString = "bsiz"
    /// The key's effective size in bits. For the keys here it is ``kSecAttrKeySizeInBits``.
    nonisolated(unsafe) public let kSecAttrEffectiveKeySize: CFString = "esiz"
    /// Whether the key encrypts: false for every key that is added by reference.
    nonisolated(unsafe) public let kSecAttrCanEncrypt: CFString = "encr"
    /// Whether the key decrypts: false for every key that is added by reference.
    nonisolated(unsafe) public let kSecAttrCanDecrypt: CFString = "decr"
    /// Whether other keys are derived from the key: false for every key that is added by reference.
    nonisolated(unsafe) public let kSecAttrCanDerive: CFString = "drve"
    /// Whether the key makes signatures: true for private keys that are added by reference.
    nonisolated(unsafe) public let kSecAttrCanSign: CFString = "sign"
    /// Whether the key verifies signatures: true for public keys that are added by reference.
    nonisolated(unsafe) public let kSecAttrCanVerify: CFString = "vrfy"
    /// Whether the key wraps other keys: false for every key that is added by reference.
    nonisolated(unsafe) public let kSecAttrCanWrap: CFString = "wrap"
    /// Whether the key unwraps other keys: false for every key that is added by reference.
    nonisolated(unsafe) public let kSecAttrCanUnwrap: CFString = "unwp"
    /// Parameters of ``SecKeyCreateRandomKey(_:_:)`` for the private half alone: a dictionary.
    nonisolated(unsafe) public let kSecPrivateKeyAttrs: CFString = "private"
    /// Parameters of ``SecKeyCreateRandomKey(_:_:)`` for the public half alone: a dictionary.
    nonisolated(unsafe) public let kSecPublicKeyAttrs: CFString = "public"

    // Values of key attributes
    /// Value of ``kSecAttrKeyClass``: a public key.
    nonisolated(unsafe) public let kSecAttrKeyClassPublic: CFString = "0"
    /// Value of ``kSecAttrKeyClass``: a private key.
    nonisolated(unsafe) public let kSecAttrKeyClassPrivate: CFString = "1"
    /// Value of ``kSecAttrKeyClass``: a symmetric key. ``SecKeyCreateWithData(_:_:_:)`` refuses it with
    /// `errSecUnimplemented`.
    nonisolated(unsafe) public let kSecAttrKeyClassSymmetric: CFString = "2"
    /// Value of ``kSecAttrKeyType``: RSA.
    nonisolated(unsafe) public let kSecAttrKeyTypeRSA: CFString = "42"
    /// Value of ``kSecAttrKeyType``: the earlier name of ``kSecAttrKeyTypeECSECPrimeRandom``.
    nonisolated(unsafe) public let kSecAttrKeyTypeEC: CFString = "73"
    /// Value of ``kSecAttrKeyType``: an elliptic curve over a prime field, P-256, P-384 or P-521.
    nonisolated(unsafe) public let kSecAttrKeyTypeECSECPrimeRandom: CFString = "73"
    /// Value of ``kSecAttrTokenID``: the chip that the vault was configured with, in the place of the Secure Enclave.
    nonisolated(unsafe) public let kSecAttrTokenIDSecureEnclave: CFString = "com.apple.setoken"

    // Accessibility (Apple, "Restricting keychain item accessibility"). `Always` and `AlwaysThisDeviceOnly` are deprecated on Apple's systems and
    // left out here: an item that is readable while locked is what this keychain is there to prevent.
    /// While unlocked.
    nonisolated(unsafe) public let kSecAttrAccessibleWhenUnlocked: CFString = "ak"
    /// From the first unlock until the process ends.
    nonisolated(unsafe) public let kSecAttrAccessibleAfterFirstUnlock: CFString = "ck"
    /// While unlocked; the item never leaves this machine in a backup.
    nonisolated(unsafe) public let kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString = "aku"
    /// From the first unlock until the process ends; the item never leaves this machine in a backup.
    nonisolated(unsafe) public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = "cku"
    /// While unlocked, and only as long as a passcode is set: removing the passcode destroys the item.
    nonisolated(unsafe) public let kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString = "akpu"

    // What to match
    /// How many items a search gives: ``kSecMatchLimitOne``, ``kSecMatchLimitAll``, or a number from 1. One where it is
    /// not given.
    nonisolated(unsafe) public let kSecMatchLimit: CFString = "m_Limit"
    /// Value of ``kSecMatchLimit``: the first item.
    nonisolated(unsafe) public let kSecMatchLimitOne: CFString = "m_LimitOne"
    /// Value of ``kSecMatchLimit``: all items, as an array.
    nonisolated(unsafe) public let kSecMatchLimitAll: CFString = "m_LimitAll"
    /// Only items of a list. Not offered here: `errSecUnimplemented`.
    nonisolated(unsafe) public let kSecMatchItemList: CFString = "m_ItemList"
    /// Only certain keychains. Not offered here: `errSecUnimplemented`.
    nonisolated(unsafe) public let kSecMatchSearchList: CFString = "m_SearchList"
    /// Only certificates of these issuers. Not offered here: `errSecUnimplemented`.
    nonisolated(unsafe) public let kSecMatchIssuers: CFString = "m_Issuers"
    /// Only certificates with this address. Not offered here: `errSecUnimplemented`.
    nonisolated(unsafe) public let kSecMatchEmailAddressIfPresent: CFString = "m_EmailAddressIfPresent"
    /// Only certificates whose subject contains a text. Not offered here: `errSecUnimplemented`.
    nonisolated(unsafe) public let kSecMatchSubjectContains: CFString = "m_SubjectContains"
    /// Whether a search ignores case. False is accepted, since matches are exact; true is `errSecUnimplemented`.
    nonisolated(unsafe) public let kSecMatchCaseInsensitive: CFString = "m_CaseInsensitive"
    /// Only certificates with a trusted root. Not offered here: `errSecUnimplemented`.
    nonisolated(unsafe) public let kSecMatchTrustedOnly: CFString = "m_TrustedOnly"
    /// Only certificates valid on a date. Not offered here: `errSecUnimplemented`.
    nonisolated(unsafe) public let kSecMatchValidOnDate: CFString = "m_ValidOnDate"
    /// Only certificates that a policy accepts. Not offered here: `errSecUnimplemented`.
    nonisolated(unsafe) public let kSecMatchPolicy: CFString = "m_Policy"

    // What to return
    /// Whether the secret's bytes are returned.
    nonisolated(unsafe) public let kSecReturnData: CFString = "r_Data"
    /// Whether the attributes are returned, as a dictionary.
    nonisolated(unsafe) public let kSecReturnAttributes: CFString = "r_Attributes"
    /// Whether a ``SecKey`` is returned. Of a password it is `errSecUnimplemented`.
    nonisolated(unsafe) public let kSecReturnRef: CFString = "r_Ref"
    /// Whether data is returned that finds this one item again: ``kSecValuePersistentRef``.
    nonisolated(unsafe) public let kSecReturnPersistentRef: CFString = "r_PersistentRef"

    // Values
    /// The secret's bytes, in additions and changes.
    nonisolated(unsafe) public let kSecValueData: CFString = "v_Data"
    /// The ``SecKey`` to add or to look for, with ``kSecClassKey``.
    nonisolated(unsafe) public let kSecValueRef: CFString = "v_Ref"
    /// A persistent reference, as ``kSecReturnPersistentRef`` gave it: the query is for that item.
    nonisolated(unsafe) public let kSecValuePersistentRef: CFString = "v_PersistentRef"

    // How to ask. `kSecUseOperationPrompt` and `kSecUseNoAuthenticationUI` are deprecated on Apple's systems in favour of a
    // context; they work.
    /// The text of the prompt. That of a context takes its place.
    nonisolated(unsafe) public let kSecUseOperationPrompt: CFString = "u_OpPrompt"
    /// Whether prompts are forbidden, as with ``kSecUseAuthenticationUIFail``.
    nonisolated(unsafe) public let kSecUseNoAuthenticationUI: CFString = "u_NoAuthUI"
    /// Whether a call may prompt: one of the three values below. ``kSecUseAuthenticationUIAllow`` where it is not
    /// given.
    nonisolated(unsafe) public let kSecUseAuthenticationUI: CFString = "u_AuthUI"
    /// Value of ``kSecUseAuthenticationUI``: the call may prompt.
    nonisolated(unsafe) public let kSecUseAuthenticationUIAllow: CFString = "u_AuthUIA"
    /// Value of ``kSecUseAuthenticationUI``: a call that would prompt answers `errSecInteractionNotAllowed`.
    nonisolated(unsafe) public let kSecUseAuthenticationUIFail: CFString = "u_AuthUIF"
    /// Value of ``kSecUseAuthenticationUI``: a search leaves protected items out. Other calls refuse it with
    /// `errSecParam`.
    nonisolated(unsafe) public let kSecUseAuthenticationUISkip: CFString = "u_AuthUIS"
    /// The ``LAContext`` that authenticates the call, and keeps the authentication for calls that follow.
    nonisolated(unsafe) public let kSecUseAuthenticationContext: CFString = "u_AuthCtx"
    /// Which keychain is meant on macOS. It is accepted and ignored: there is one.
    nonisolated(unsafe) public let kSecUseDataProtectionKeychain: CFString = "nleg"

    // Protocols of internet passwords
    /// Protocol: FTP.
    nonisolated(unsafe) public let kSecAttrProtocolFTP: CFString = "ftp "
    /// Protocol: an account for FTP on the client's side.
    nonisolated(unsafe) public let kSecAttrProtocolFTPAccount: CFString = "ftpa"
    /// Protocol: HTTP.
    nonisolated(unsafe) public let kSecAttrProtocolHTTP: CFString = "http"
    /// Protocol: IRC.
    nonisolated(unsafe) public let kSecAttrProtocolIRC: CFString = "irc "
    /// Protocol: NNTP.
    nonisolated(unsafe) public let kSecAttrProtocolNNTP: CFString = "nntp"
    /// Protocol: POP3.
    nonisolated(unsafe) public let kSecAttrProtocolPOP3: CFString = "pop3"
    /// Protocol: SMTP.
    nonisolated(unsafe) public let kSecAttrProtocolSMTP: CFString = "smtp"
    /// Protocol: SOCKS.
    nonisolated(unsafe) public let kSecAttrProtocolSOCKS: CFString = "sox "
    /// Protocol: IMAP.
    nonisolated(unsafe) public let kSecAttrProtocolIMAP: CFString = "imap"
    /// Protocol: LDAP.
    nonisolated(unsafe) public let kSecAttrProtocolLDAP: CFString = "ldap"
    /// Protocol: AFP over AppleTalk.
    nonisolated(unsafe) public let kSecAttrProtocolAppleTalk: CFString = "atlk"
    /// Protocol: AFP over TCP.
    nonisolated(unsafe) public let kSecAttrProtocolAFP: CFString = "afp "
    /// Protocol: Telnet.
    nonisolated(unsafe) public let kSecAttrProtocolTelnet: CFString = "teln"
    /// Protocol: SSH.
    nonisolated(unsafe) public let kSecAttrProtocolSSH: CFString = "ssh "
    /// Protocol: FTP over TLS.
    nonisolated(unsafe) public let kSecAttrProtocolFTPS: CFString = "ftps"
    /// Protocol: HTTP over TLS.
    nonisolated(unsafe) public let kSecAttrProtocolHTTPS: CFString = "htps"
    /// Protocol: a proxy for HTTP.
    nonisolated(unsafe) public let kSecAttrProtocolHTTPProxy: CFString = "htpx"
    /// Protocol: a proxy for HTTP over TLS.
    nonisolated(unsafe) public let kSecAttrProtocolHTTPSProxy: CFString = "htsx"
    /// Protocol: a proxy for FTP.
    nonisolated(unsafe) public let kSecAttrProtocolFTPProxy: CFString = "ftpx"
    /// Protocol: SMB.
    nonisolated(unsafe) public let kSecAttrProtocolSMB: CFString = "smb "
    /// Protocol: RTSP.
    nonisolated(unsafe) public let kSecAttrProtocolRTSP: CFString = "rtsp"
    /// Protocol: a proxy for RTSP.
    nonisolated(unsafe) public let kSecAttrProtocolRTSPProxy: CFString = "rtsx"
    /// Protocol: DAAP.
    nonisolated(unsafe) public let kSecAttrProtocolDAAP: CFString = "daap"
    /// Protocol: remote Apple events.
    nonisolated(unsafe) public let kSecAttrProtocolEPPC: CFString = "eppc"
    /// Protocol: IPP.
    nonisolated(unsafe) public let kSecAttrProtocolIPP: CFString = "ipp "
    /// Protocol: NNTP over TLS.
    nonisolated(unsafe) public let kSecAttrProtocolNNTPS: CFString = "ntps"
    /// Protocol: LDAP over TLS.
    nonisolated(unsafe) public let kSecAttrProtocolLDAPS: CFString = "ldps"
    /// Protocol: Telnet over TLS.
    nonisolated(unsafe) public let kSecAttrProtocolTelnetS: CFString = "tels"
    /// Protocol: IMAP over TLS.
    nonisolated(unsafe) public let kSecAttrProtocolIMAPS: CFString = "imps"
    /// Protocol: IRC over TLS.
    nonisolated(unsafe) public let kSecAttrProtocolIRCS: CFString = "ircs"
    /// Protocol: POP3 over TLS.
    nonisolated(unsafe) public let kSecAttrProtocolPOP3S: CFString = "pops"

    // Authentication types of internet passwords
    /// Authentication at the server: Windows NT LAN Manager.
    nonisolated(unsafe) public let kSecAttrAuthenticationTypeNTLM: CFString = "ntlm"
    /// Authentication at the server: Microsoft Network.
    nonisolated(unsafe) public let kSecAttrAuthenticationTypeMSN: CFString = "msna"
    /// Authentication at the server: distributed password authentication.
    nonisolated(unsafe) public let kSecAttrAuthenticationTypeDPA: CFString = "dpaa"
    /// Authentication at the server: remote password authentication.
    nonisolated(unsafe) public let kSecAttrAuthenticationTypeRPA: CFString = "rpaa"
    /// Authentication at the server: HTTP Basic (RFC 7617).
    nonisolated(unsafe) public let kSecAttrAuthenticationTypeHTTPBasic: CFString = "http"
    /// Authentication at the server: HTTP Digest (RFC 7616).
    nonisolated(unsafe) public let kSecAttrAuthenticationTypeHTTPDigest: CFString = "httd"
    /// Authentication at the server: an HTML form.
    nonisolated(unsafe) public let kSecAttrAuthenticationTypeHTMLForm: CFString = "form"
    /// Authentication at the server: the protocol's own.
    nonisolated(unsafe) public let kSecAttrAuthenticationTypeDefault: CFString = "dflt"
#endif
