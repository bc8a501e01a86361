/**
 * The well-known key of the sandbox, the same everywhere, so that examples work when pasted.
 *
 * It is accepted by a sandbox only, and there only from the machine itself.
 */
export const sandboxApiKey = 'swk_SplwrightSandboxLoopbackOnly000000qSPrF';

/** The id of the sandbox key. The key is not stored, so its usage is not recorded. */
export const sandboxKeyId = 'sandbox';
