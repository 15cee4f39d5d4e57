#include "CPageFiles.h"

// The files, by C's `#embed` (C23), which takes no time: the same bytes as an array of Swift took the compiler minutes (decision 564).
#define EMBEDDED(name)                                                  \
    struct PageFile page_file_##name(void) {                            \
        return (struct PageFile){.start = name, .count = sizeof name}; \
    }

#pragma clang diagnostic ignored "-Wc23-extensions"

// Templates.

static const unsigned char frameTemplate[] = {
#embed "../../Shared/WebPages/Templates/frame.mustache"
};
EMBEDDED(frameTemplate)

static const unsigned char blockTemplate[] = {
#embed "../../Shared/WebPages/Templates/block.mustache"
};
EMBEDDED(blockTemplate)

static const unsigned char formTemplate[] = {
#embed "../../Shared/WebPages/Templates/form.mustache"
};
EMBEDDED(formTemplate)

static const unsigned char fieldTemplate[] = {
#embed "../../Shared/WebPages/Templates/field.mustache"
};
EMBEDDED(fieldTemplate)

static const unsigned char listingTemplate[] = {
#embed "../../Shared/WebPages/Templates/listing.mustache"
};
EMBEDDED(listingTemplate)

static const unsigned char cellTemplate[] = {
#embed "../../Shared/WebPages/Templates/cell.mustache"
};
EMBEDDED(cellTemplate)

static const unsigned char enrollTemplate[] = {
#embed "../../Dialects/Guardian/Server/Templates/enroll.mustache"
};
EMBEDDED(enrollTemplate)

static const unsigned char mailedLinkTemplate[] = {
#embed "../../Dialects/Account/Templates/mailed-link.mustache"
};
EMBEDDED(mailedLinkTemplate)

static const unsigned char inboxTemplate[] = {
#embed "../../Apps/CountersignServer/Development/Templates/inbox.mustache"
};
EMBEDDED(inboxTemplate)

// Style sheets.

static const unsigned char countersignStyles[] = {
#embed "../../Shared/WebPages/Templates/countersign.css"
};
EMBEDDED(countersignStyles)

static const unsigned char consoleStyles[] = {
#embed "../../Shared/WebPages/Templates/console.css"
};
EMBEDDED(consoleStyles)

// Scripts.

static const unsigned char waitScript[] = {
#embed "../../Shared/WebPages/Templates/wait.js"
};
EMBEDDED(waitScript)

static const unsigned char postScript[] = {
#embed "../../Shared/WebPages/Templates/post.js"
};
EMBEDDED(postScript)

static const unsigned char formScript[] = {
#embed "../../Shared/WebPages/Templates/form.js"
};
EMBEDDED(formScript)

static const unsigned char passkeyScript[] = {
#embed "../../Shared/WebPages/Templates/passkey.js"
};
EMBEDDED(passkeyScript)

// The words of pages.

static const unsigned char messagesAccountActivity[] = {
#embed "../../Shared/WebPages/Words/messages-account-activity.json"
};
EMBEDDED(messagesAccountActivity)

static const unsigned char messagesAccountFactors[] = {
#embed "../../Shared/WebPages/Words/messages-account-factors.json"
};
EMBEDDED(messagesAccountFactors)

static const unsigned char messagesAccount[] = {
#embed "../../Shared/WebPages/Words/messages-account.json"
};
EMBEDDED(messagesAccount)

static const unsigned char messagesConsoleApplications[] = {
#embed "../../Shared/WebPages/Words/messages-console-applications.json"
};
EMBEDDED(messagesConsoleApplications)

static const unsigned char messagesConsoleRights[] = {
#embed "../../Shared/WebPages/Words/messages-console-rights.json"
};
EMBEDDED(messagesConsoleRights)

static const unsigned char messagesConsoleServer[] = {
#embed "../../Shared/WebPages/Words/messages-console-server.json"
};
EMBEDDED(messagesConsoleServer)

static const unsigned char messagesConsoleUsers[] = {
#embed "../../Shared/WebPages/Words/messages-console-users.json"
};
EMBEDDED(messagesConsoleUsers)

static const unsigned char messagesEvents[] = {
#embed "../../Shared/WebPages/Words/messages-events.json"
};
EMBEDDED(messagesEvents)

static const unsigned char messagesLists[] = {
#embed "../../Shared/WebPages/Words/messages-lists.json"
};
EMBEDDED(messagesLists)

static const unsigned char messagesSignIn[] = {
#embed "../../Shared/WebPages/Words/messages-sign-in.json"
};
EMBEDDED(messagesSignIn)

static const unsigned char messagesSignUp[] = {
#embed "../../Shared/WebPages/Words/messages-sign-up.json"
};
EMBEDDED(messagesSignUp)

// What the server says in English, in every language.

static const unsigned char saidDoctorAuthentication[] = {
#embed "../../Shared/WebPages/Words/said-doctor-authentication.json"
};
EMBEDDED(saidDoctorAuthentication)

static const unsigned char saidDoctorNist[] = {
#embed "../../Shared/WebPages/Words/said-doctor-nist.json"
};
EMBEDDED(saidDoctorNist)

static const unsigned char saidDoctorTokens[] = {
#embed "../../Shared/WebPages/Words/said-doctor-tokens.json"
};
EMBEDDED(saidDoctorTokens)

static const unsigned char saidExtensions[] = {
#embed "../../Shared/WebPages/Words/said-extensions.json"
};
EMBEDDED(saidExtensions)

static const unsigned char saidImport[] = {
#embed "../../Shared/WebPages/Words/said-import.json"
};
EMBEDDED(saidImport)

static const unsigned char saidReasons[] = {
#embed "../../Shared/WebPages/Words/said-reasons.json"
};
EMBEDDED(saidReasons)

static const unsigned char saidSettings[] = {
#embed "../../Shared/WebPages/Words/said-settings.json"
};
EMBEDDED(saidSettings)

static const unsigned char saidWarnings[] = {
#embed "../../Shared/WebPages/Words/said-warnings.json"
};
EMBEDDED(saidWarnings)
