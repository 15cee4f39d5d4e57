#include "CPageFiles.h"

// The templates of mails, by the names of their files.

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char application_revoked_de[] = {
#embed "../../Shared/Delivery/Mail/Templates/application-revoked.de.mustache"
};
static const unsigned char application_revoked_en[] = {
#embed "../../Shared/Delivery/Mail/Templates/application-revoked.en.mustache"
};
static const unsigned char application_revoked_ja[] = {
#embed "../../Shared/Delivery/Mail/Templates/application-revoked.ja.mustache"
};
static const unsigned char change_email_de[] = {
#embed "../../Shared/Delivery/Mail/Templates/change-email.de.mustache"
};
static const unsigned char change_email_en[] = {
#embed "../../Shared/Delivery/Mail/Templates/change-email.en.mustache"
};
static const unsigned char change_email_ja[] = {
#embed "../../Shared/Delivery/Mail/Templates/change-email.ja.mustache"
};
static const unsigned char code_de[] = {
#embed "../../Shared/Delivery/Mail/Templates/code.de.mustache"
};
static const unsigned char code_en[] = {
#embed "../../Shared/Delivery/Mail/Templates/code.en.mustache"
};
static const unsigned char code_ja[] = {
#embed "../../Shared/Delivery/Mail/Templates/code.ja.mustache"
};
static const unsigned char deletion_requested_de[] = {
#embed "../../Shared/Delivery/Mail/Templates/deletion-requested.de.mustache"
};
static const unsigned char deletion_requested_en[] = {
#embed "../../Shared/Delivery/Mail/Templates/deletion-requested.en.mustache"
};
static const unsigned char deletion_requested_ja[] = {
#embed "../../Shared/Delivery/Mail/Templates/deletion-requested.ja.mustache"
};
static const unsigned char deletion_withdrawn_de[] = {
#embed "../../Shared/Delivery/Mail/Templates/deletion-withdrawn.de.mustache"
};
static const unsigned char deletion_withdrawn_en[] = {
#embed "../../Shared/Delivery/Mail/Templates/deletion-withdrawn.en.mustache"
};
static const unsigned char deletion_withdrawn_ja[] = {
#embed "../../Shared/Delivery/Mail/Templates/deletion-withdrawn.ja.mustache"
};
static const unsigned char email_changed_de[] = {
#embed "../../Shared/Delivery/Mail/Templates/email-changed.de.mustache"
};
static const unsigned char email_changed_en[] = {
#embed "../../Shared/Delivery/Mail/Templates/email-changed.en.mustache"
};
static const unsigned char email_changed_ja[] = {
#embed "../../Shared/Delivery/Mail/Templates/email-changed.ja.mustache"
};
static const unsigned char enrollment_invitation_de[] = {
#embed "../../Shared/Delivery/Mail/Templates/enrollment-invitation.de.mustache"
};
static const unsigned char enrollment_invitation_en[] = {
#embed "../../Shared/Delivery/Mail/Templates/enrollment-invitation.en.mustache"
};
static const unsigned char enrollment_invitation_ja[] = {
#embed "../../Shared/Delivery/Mail/Templates/enrollment-invitation.ja.mustache"
};
static const unsigned char factor_added_de[] = {
#embed "../../Shared/Delivery/Mail/Templates/factor-added.de.mustache"
};
static const unsigned char factor_added_en[] = {
#embed "../../Shared/Delivery/Mail/Templates/factor-added.en.mustache"
};
static const unsigned char factor_added_ja[] = {
#embed "../../Shared/Delivery/Mail/Templates/factor-added.ja.mustache"
};
static const unsigned char factor_frozen_de[] = {
#embed "../../Shared/Delivery/Mail/Templates/factor-frozen.de.mustache"
};
static const unsigned char factor_frozen_en[] = {
#embed "../../Shared/Delivery/Mail/Templates/factor-frozen.en.mustache"
};
static const unsigned char factor_frozen_ja[] = {
#embed "../../Shared/Delivery/Mail/Templates/factor-frozen.ja.mustache"
};
static const unsigned char factor_removed_de[] = {
#embed "../../Shared/Delivery/Mail/Templates/factor-removed.de.mustache"
};
static const unsigned char factor_removed_en[] = {
#embed "../../Shared/Delivery/Mail/Templates/factor-removed.en.mustache"
};
static const unsigned char factor_removed_ja[] = {
#embed "../../Shared/Delivery/Mail/Templates/factor-removed.ja.mustache"
};
static const unsigned char factor_renamed_de[] = {
#embed "../../Shared/Delivery/Mail/Templates/factor-renamed.de.mustache"
};
static const unsigned char factor_renamed_en[] = {
#embed "../../Shared/Delivery/Mail/Templates/factor-renamed.en.mustache"
};
static const unsigned char factor_renamed_ja[] = {
#embed "../../Shared/Delivery/Mail/Templates/factor-renamed.ja.mustache"
};
static const unsigned char factor_unfrozen_de[] = {
#embed "../../Shared/Delivery/Mail/Templates/factor-unfrozen.de.mustache"
};
static const unsigned char factor_unfrozen_en[] = {
#embed "../../Shared/Delivery/Mail/Templates/factor-unfrozen.en.mustache"
};
static const unsigned char factor_unfrozen_ja[] = {
#embed "../../Shared/Delivery/Mail/Templates/factor-unfrozen.ja.mustache"
};
static const unsigned char factors_removed_de[] = {
#embed "../../Shared/Delivery/Mail/Templates/factors-removed.de.mustache"
};
static const unsigned char factors_removed_en[] = {
#embed "../../Shared/Delivery/Mail/Templates/factors-removed.en.mustache"
};
static const unsigned char factors_removed_ja[] = {
#embed "../../Shared/Delivery/Mail/Templates/factors-removed.ja.mustache"
};
static const unsigned char invitation_de[] = {
#embed "../../Shared/Delivery/Mail/Templates/invitation.de.mustache"
};
static const unsigned char invitation_en[] = {
#embed "../../Shared/Delivery/Mail/Templates/invitation.en.mustache"
};
static const unsigned char invitation_ja[] = {
#embed "../../Shared/Delivery/Mail/Templates/invitation.ja.mustache"
};
static const unsigned char layout_html[] = {
#embed "../../Shared/Delivery/Mail/Templates/layout.html.mustache"
};
static const unsigned char passkey_added_de[] = {
#embed "../../Shared/Delivery/Mail/Templates/passkey-added.de.mustache"
};
static const unsigned char passkey_added_en[] = {
#embed "../../Shared/Delivery/Mail/Templates/passkey-added.en.mustache"
};
static const unsigned char passkey_added_ja[] = {
#embed "../../Shared/Delivery/Mail/Templates/passkey-added.ja.mustache"
};
static const unsigned char passkey_copied_de[] = {
#embed "../../Shared/Delivery/Mail/Templates/passkey-copied.de.mustache"
};
static const unsigned char passkey_copied_en[] = {
#embed "../../Shared/Delivery/Mail/Templates/passkey-copied.en.mustache"
};
static const unsigned char passkey_copied_ja[] = {
#embed "../../Shared/Delivery/Mail/Templates/passkey-copied.ja.mustache"
};
static const unsigned char password_changed_de[] = {
#embed "../../Shared/Delivery/Mail/Templates/password-changed.de.mustache"
};
static const unsigned char password_changed_en[] = {
#embed "../../Shared/Delivery/Mail/Templates/password-changed.en.mustache"
};
static const unsigned char password_changed_ja[] = {
#embed "../../Shared/Delivery/Mail/Templates/password-changed.ja.mustache"
};
static const unsigned char password_removed_de[] = {
#embed "../../Shared/Delivery/Mail/Templates/password-removed.de.mustache"
};
static const unsigned char password_removed_en[] = {
#embed "../../Shared/Delivery/Mail/Templates/password-removed.en.mustache"
};
static const unsigned char password_removed_ja[] = {
#embed "../../Shared/Delivery/Mail/Templates/password-removed.ja.mustache"
};
static const unsigned char profile_changed_de[] = {
#embed "../../Shared/Delivery/Mail/Templates/profile-changed.de.mustache"
};
static const unsigned char profile_changed_en[] = {
#embed "../../Shared/Delivery/Mail/Templates/profile-changed.en.mustache"
};
static const unsigned char profile_changed_ja[] = {
#embed "../../Shared/Delivery/Mail/Templates/profile-changed.ja.mustache"
};
static const unsigned char recovery_code_held_de[] = {
#embed "../../Shared/Delivery/Mail/Templates/recovery-code-held.de.mustache"
};
static const unsigned char recovery_code_held_en[] = {
#embed "../../Shared/Delivery/Mail/Templates/recovery-code-held.en.mustache"
};
static const unsigned char recovery_code_held_ja[] = {
#embed "../../Shared/Delivery/Mail/Templates/recovery-code-held.ja.mustache"
};
static const unsigned char recovery_code_made_de[] = {
#embed "../../Shared/Delivery/Mail/Templates/recovery-code-made.de.mustache"
};
static const unsigned char recovery_code_made_en[] = {
#embed "../../Shared/Delivery/Mail/Templates/recovery-code-made.en.mustache"
};
static const unsigned char recovery_code_made_ja[] = {
#embed "../../Shared/Delivery/Mail/Templates/recovery-code-made.ja.mustache"
};
static const unsigned char recovery_code_used_de[] = {
#embed "../../Shared/Delivery/Mail/Templates/recovery-code-used.de.mustache"
};
static const unsigned char recovery_code_used_en[] = {
#embed "../../Shared/Delivery/Mail/Templates/recovery-code-used.en.mustache"
};
static const unsigned char recovery_code_used_ja[] = {
#embed "../../Shared/Delivery/Mail/Templates/recovery-code-used.ja.mustache"
};
static const unsigned char reset_password_de[] = {
#embed "../../Shared/Delivery/Mail/Templates/reset-password.de.mustache"
};
static const unsigned char reset_password_en[] = {
#embed "../../Shared/Delivery/Mail/Templates/reset-password.en.mustache"
};
static const unsigned char reset_password_ja[] = {
#embed "../../Shared/Delivery/Mail/Templates/reset-password.ja.mustache"
};
static const unsigned char role_granted_de[] = {
#embed "../../Shared/Delivery/Mail/Templates/role-granted.de.mustache"
};
static const unsigned char role_granted_en[] = {
#embed "../../Shared/Delivery/Mail/Templates/role-granted.en.mustache"
};
static const unsigned char role_granted_ja[] = {
#embed "../../Shared/Delivery/Mail/Templates/role-granted.ja.mustache"
};
static const unsigned char role_revoked_de[] = {
#embed "../../Shared/Delivery/Mail/Templates/role-revoked.de.mustache"
};
static const unsigned char role_revoked_en[] = {
#embed "../../Shared/Delivery/Mail/Templates/role-revoked.en.mustache"
};
static const unsigned char role_revoked_ja[] = {
#embed "../../Shared/Delivery/Mail/Templates/role-revoked.ja.mustache"
};
static const unsigned char sessions_ended_de[] = {
#embed "../../Shared/Delivery/Mail/Templates/sessions-ended.de.mustache"
};
static const unsigned char sessions_ended_en[] = {
#embed "../../Shared/Delivery/Mail/Templates/sessions-ended.en.mustache"
};
static const unsigned char sessions_ended_ja[] = {
#embed "../../Shared/Delivery/Mail/Templates/sessions-ended.ja.mustache"
};
static const unsigned char sign_in_de[] = {
#embed "../../Shared/Delivery/Mail/Templates/sign-in.de.mustache"
};
static const unsigned char sign_in_en[] = {
#embed "../../Shared/Delivery/Mail/Templates/sign-in.en.mustache"
};
static const unsigned char sign_in_ja[] = {
#embed "../../Shared/Delivery/Mail/Templates/sign-in.ja.mustache"
};
static const unsigned char test_mail_de[] = {
#embed "../../Shared/Delivery/Mail/Templates/test-mail.de.mustache"
};
static const unsigned char test_mail_en[] = {
#embed "../../Shared/Delivery/Mail/Templates/test-mail.en.mustache"
};
static const unsigned char test_mail_ja[] = {
#embed "../../Shared/Delivery/Mail/Templates/test-mail.ja.mustache"
};
static const unsigned char verify_email_de[] = {
#embed "../../Shared/Delivery/Mail/Templates/verify-email.de.mustache"
};
static const unsigned char verify_email_en[] = {
#embed "../../Shared/Delivery/Mail/Templates/verify-email.en.mustache"
};
static const unsigned char verify_email_ja[] = {
#embed "../../Shared/Delivery/Mail/Templates/verify-email.ja.mustache"
};

#define MAIL(file, bytes) {file ".mustache", bytes, sizeof bytes}

static const struct MailTemplateFile files[] = {
    MAIL("application-revoked.de", application_revoked_de),
    MAIL("application-revoked.en", application_revoked_en),
    MAIL("application-revoked.ja", application_revoked_ja),
    MAIL("change-email.de", change_email_de),
    MAIL("change-email.en", change_email_en),
    MAIL("change-email.ja", change_email_ja),
    MAIL("code.de", code_de),
    MAIL("code.en", code_en),
    MAIL("code.ja", code_ja),
    MAIL("deletion-requested.de", deletion_requested_de),
    MAIL("deletion-requested.en", deletion_requested_en),
    MAIL("deletion-requested.ja", deletion_requested_ja),
    MAIL("deletion-withdrawn.de", deletion_withdrawn_de),
    MAIL("deletion-withdrawn.en", deletion_withdrawn_en),
    MAIL("deletion-withdrawn.ja", deletion_withdrawn_ja),
    MAIL("email-changed.de", email_changed_de),
    MAIL("email-changed.en", email_changed_en),
    MAIL("email-changed.ja", email_changed_ja),
    MAIL("enrollment-invitation.de", enrollment_invitation_de),
    MAIL("enrollment-invitation.en", enrollment_invitation_en),
    MAIL("enrollment-invitation.ja", enrollment_invitation_ja),
    MAIL("factor-added.de", factor_added_de),
    MAIL("factor-added.en", factor_added_en),
    MAIL("factor-added.ja", factor_added_ja),
    MAIL("factor-frozen.de", factor_frozen_de),
    MAIL("factor-frozen.en", factor_frozen_en),
    MAIL("factor-frozen.ja", factor_frozen_ja),
    MAIL("factor-removed.de", factor_removed_de),
    MAIL("factor-removed.en", factor_removed_en),
    MAIL("factor-removed.ja", factor_removed_ja),
    MAIL("factor-renamed.de", factor_renamed_de),
    MAIL("factor-renamed.en", factor_renamed_en),
    MAIL("factor-renamed.ja", factor_renamed_ja),
    MAIL("factor-unfrozen.de", factor_unfrozen_de),
    MAIL("factor-unfrozen.en", factor_unfrozen_en),
    MAIL("factor-unfrozen.ja", factor_unfrozen_ja),
    MAIL("factors-removed.de", factors_removed_de),
    MAIL("factors-removed.en", factors_removed_en),
    MAIL("factors-removed.ja", factors_removed_ja),
    MAIL("invitation.de", invitation_de),
    MAIL("invitation.en", invitation_en),
    MAIL("invitation.ja", invitation_ja),
    MAIL("layout.html", layout_html),
    MAIL("passkey-added.de", passkey_added_de),
    MAIL("passkey-added.en", passkey_added_en),
    MAIL("passkey-added.ja", passkey_added_ja),
    MAIL("passkey-copied.de", passkey_copied_de),
    MAIL("passkey-copied.en", passkey_copied_en),
    MAIL("passkey-copied.ja", passkey_copied_ja),
    MAIL("password-changed.de", password_changed_de),
    MAIL("password-changed.en", password_changed_en),
    MAIL("password-changed.ja", password_changed_ja),
    MAIL("password-removed.de", password_removed_de),
    MAIL("password-removed.en", password_removed_en),
    MAIL("password-removed.ja", password_removed_ja),
    MAIL("profile-changed.de", profile_changed_de),
    MAIL("profile-changed.en", profile_changed_en),
    MAIL("profile-changed.ja", profile_changed_ja),
    MAIL("recovery-code-held.de", recovery_code_held_de),
    MAIL("recovery-code-held.en", recovery_code_held_en),
    MAIL("recovery-code-held.ja", recovery_code_held_ja),
    MAIL("recovery-code-made.de", recovery_code_made_de),
    MAIL("recovery-code-made.en", recovery_code_made_en),
    MAIL("recovery-code-made.ja", recovery_code_made_ja),
    MAIL("recovery-code-used.de", recovery_code_used_de),
    MAIL("recovery-code-used.en", recovery_code_used_en),
    MAIL("recovery-code-used.ja", recovery_code_used_ja),
    MAIL("reset-password.de", reset_password_de),
    MAIL("reset-password.en", reset_password_en),
    MAIL("reset-password.ja", reset_password_ja),
    MAIL("role-granted.de", role_granted_de),
    MAIL("role-granted.en", role_granted_en),
    MAIL("role-granted.ja", role_granted_ja),
    MAIL("role-revoked.de", role_revoked_de),
    MAIL("role-revoked.en", role_revoked_en),
    MAIL("role-revoked.ja", role_revoked_ja),
    MAIL("sessions-ended.de", sessions_ended_de),
    MAIL("sessions-ended.en", sessions_ended_en),
    MAIL("sessions-ended.ja", sessions_ended_ja),
    MAIL("sign-in.de", sign_in_de),
    MAIL("sign-in.en", sign_in_en),
    MAIL("sign-in.ja", sign_in_ja),
    MAIL("test-mail.de", test_mail_de),
    MAIL("test-mail.en", test_mail_en),
    MAIL("test-mail.ja", test_mail_ja),
    MAIL("verify-email.de", verify_email_de),
    MAIL("verify-email.en", verify_email_en),
    MAIL("verify-email.ja", verify_email_ja),
};

size_t mail_template_file_count(void) { return sizeof files / sizeof files[0]; }

struct MailTemplateFile mail_template_file(size_t index) { return files[index]; }
