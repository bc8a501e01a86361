/**
 * What the sandbox uses of the Token-2022 client, and the only module that imports it: the published package holds these few
 * functions itself, because the client's range of peers excludes the `@solana/kit` that it works with here.
 */
export {
  type ExtensionArgs,
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getInitializeMint2Instruction,
  getInitializeTransferFeeConfigInstruction,
  getMintSize,
  getMintToInstruction,
  TOKEN_2022_PROGRAM_ADDRESS,
} from '@solana-program/token-2022';
