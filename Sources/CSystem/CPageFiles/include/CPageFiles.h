#ifndef COUNTERSIGN_PAGE_FILES_H
#define COUNTERSIGN_PAGE_FILES_H

#include <stddef.h>

/// A file of the pages that the program has in it.
struct PageFile {
    const unsigned char *start;
    size_t count;
};

/// A member of `PageFile` in Swift, of the same name.
#define PAGE_FILE(name) \
    struct PageFile page_file_##name(void) __attribute__((swift_name("getter:PageFile." #name "()")))

// Templates.
PAGE_FILE(frameTemplate);
PAGE_FILE(blockTemplate);
PAGE_FILE(formTemplate);
PAGE_FILE(fieldTemplate);
PAGE_FILE(listingTemplate);
PAGE_FILE(cellTemplate);
PAGE_FILE(enrollTemplate);
PAGE_FILE(mailedLinkTemplate);
PAGE_FILE(inboxTemplate);

// Style sheets.
PAGE_FILE(countersignStyles);
PAGE_FILE(consoleStyles);

// Scripts.
PAGE_FILE(waitScript);
PAGE_FILE(postScript);
PAGE_FILE(formScript);
PAGE_FILE(passkeyScript);

// The words of pages.
PAGE_FILE(messagesAccountActivity);
PAGE_FILE(messagesAccountFactors);
PAGE_FILE(messagesAccount);
PAGE_FILE(messagesConsoleApplications);
PAGE_FILE(messagesConsoleRights);
PAGE_FILE(messagesConsoleServer);
PAGE_FILE(messagesConsoleUsers);
PAGE_FILE(messagesEvents);
PAGE_FILE(messagesLists);
PAGE_FILE(messagesSignIn);
PAGE_FILE(messagesSignUp);

// What the server says in English, in every language.
PAGE_FILE(saidDoctorAuthentication);
PAGE_FILE(saidDoctorNist);
PAGE_FILE(saidDoctorTokens);
PAGE_FILE(saidExtensions);
PAGE_FILE(saidImport);
PAGE_FILE(saidReasons);
PAGE_FILE(saidSettings);
PAGE_FILE(saidWarnings);

/// A template of mails that the program has in it: `NAME.LANGUAGE.mustache`, or the layout of all.
struct MailTemplateFile {
    const char *name;
    const unsigned char *start;
    size_t count;
};

/// How many there are.
size_t mail_template_file_count(void) __attribute__((swift_name("getter:MailTemplateFile.allCount()")));

/// One of them; `index` is below their count.
struct MailTemplateFile mail_template_file(size_t index) __attribute__((swift_name("MailTemplateFile.init(at:)")));

#endif
