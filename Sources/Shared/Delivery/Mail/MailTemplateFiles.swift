/// The templates that are built into the program, by the names of their files.
enum MailTemplateFiles {
    static let layout = "layout.html.mustache"

    /// What the texts are rendered in for the HTML part.
    static let layoutBytes = PackageResources.layout_html_mustache

    /// `NAME.LANGUAGE.mustache`.
    static let texts: [String: [UInt8]] = [
        "change-email.de.mustache": PackageResources.change_email_de_mustache,
        "change-email.en.mustache": PackageResources.change_email_en_mustache,
        "change-email.ja.mustache": PackageResources.change_email_ja_mustache,
        "code.de.mustache": PackageResources.code_de_mustache,
        "code.en.mustache": PackageResources.code_en_mustache,
        "code.ja.mustache": PackageResources.code_ja_mustache,
        "email-changed.de.mustache": PackageResources.email_changed_de_mustache,
        "email-changed.en.mustache": PackageResources.email_changed_en_mustache,
        "email-changed.ja.mustache": PackageResources.email_changed_ja_mustache,
        "enrollment-invitation.de.mustache": PackageResources.enrollment_invitation_de_mustache,
        "enrollment-invitation.en.mustache": PackageResources.enrollment_invitation_en_mustache,
        "enrollment-invitation.ja.mustache": PackageResources.enrollment_invitation_ja_mustache,
        "factor-added.de.mustache": PackageResources.factor_added_de_mustache,
        "factor-added.en.mustache": PackageResources.factor_added_en_mustache,
        "factor-added.ja.mustache": PackageResources.factor_added_ja_mustache,
        "factor-removed.de.mustache": PackageResources.factor_removed_de_mustache,
        "factor-removed.en.mustache": PackageResources.factor_removed_en_mustache,
        "factor-removed.ja.mustache": PackageResources.factor_removed_ja_mustache,
        "factors-removed.de.mustache": PackageResources.factors_removed_de_mustache,
        "factors-removed.en.mustache": PackageResources.factors_removed_en_mustache,
        "factors-removed.ja.mustache": PackageResources.factors_removed_ja_mustache,
        "passkey-copied.de.mustache": PackageResources.passkey_copied_de_mustache,
        "passkey-copied.en.mustache": PackageResources.passkey_copied_en_mustache,
        "passkey-copied.ja.mustache": PackageResources.passkey_copied_ja_mustache,
        "password-changed.de.mustache": PackageResources.password_changed_de_mustache,
        "password-changed.en.mustache": PackageResources.password_changed_en_mustache,
        "password-changed.ja.mustache": PackageResources.password_changed_ja_mustache,
        "password-removed.de.mustache": PackageResources.password_removed_de_mustache,
        "password-removed.en.mustache": PackageResources.password_removed_en_mustache,
        "password-removed.ja.mustache": PackageResources.password_removed_ja_mustache,
        "recovery-code-made.de.mustache": PackageResources.recovery_code_made_de_mustache,
        "recovery-code-made.en.mustache": PackageResources.recovery_code_made_en_mustache,
        "recovery-code-made.ja.mustache": PackageResources.recovery_code_made_ja_mustache,
        "recovery-code-used.de.mustache": PackageResources.recovery_code_used_de_mustache,
        "recovery-code-used.en.mustache": PackageResources.recovery_code_used_en_mustache,
        "recovery-code-used.ja.mustache": PackageResources.recovery_code_used_ja_mustache,
        "reset-password.de.mustache": PackageResources.reset_password_de_mustache,
        "reset-password.en.mustache": PackageResources.reset_password_en_mustache,
        "reset-password.ja.mustache": PackageResources.reset_password_ja_mustache,
        "sign-in.de.mustache": PackageResources.sign_in_de_mustache,
        "sign-in.en.mustache": PackageResources.sign_in_en_mustache,
        "sign-in.ja.mustache": PackageResources.sign_in_ja_mustache,
        "verify-email.de.mustache": PackageResources.verify_email_de_mustache,
        "verify-email.en.mustache": PackageResources.verify_email_en_mustache,
        "verify-email.ja.mustache": PackageResources.verify_email_ja_mustache,
    ]
}
