/**
 * The well-known key of the sandbox, the same everywhere, so that examples work when pasted.
 *
 * It is accepted by a sandbox only, and there only from the machine itself.
 */
export const sandboxApiKey = 'swk_SplwrightSandboxLoopbackOnly000000qSPrF';

/** What the sandbox key is called where keys have ids; it is stored nowhere, so that nothing is kept of its use. */
export const sandboxKeyId = 'sandbox';
