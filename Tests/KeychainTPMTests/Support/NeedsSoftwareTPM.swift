import TPMTestSupport
import Testing

extension Trait where Self == ConditionTrait {
    /// Skips tests where swtpm or tpm2-tools are not installed, unless that is to be a failure.
    static var needsSoftwareTPM: Self { .enabled(if: SoftwareTPM.isWanted, Comment(rawValue: SoftwareTPM.hint)) }
}
