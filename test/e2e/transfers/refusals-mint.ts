import { type Address, address, lamports } from '@solana/kit';
import { tokenProgram as token, token2022Program as token2022 } from '../../../packages/core/src/addresses/programs.ts';
import type { Ledger } from '../../../packages/sandbox/src/index.ts';
import { keypairFromName } from '../../../packages/sandbox/src/ledger/keypair.ts';
import { validationAddressOf } from '../../setup/hook-extra-account-metas.ts';
import { hookPlans, hookProgramOf } from '../../setup/token-hook-plans.ts';
import { tokenMintKinds } from '../../setup/token-mint-kinds.ts';
import type { Situation } from '../../token-support/situation.ts';
import { type RefusalCase, refusalsAt } from './refusals-case.ts';

const classic = tokenMintKinds['classic-6'];
const tokenProgram = address(token);
const token2022Program = address(token2022);
const systemProgram = '11111111111111111111111111111111';

const longMemo = 'a'.repeat(900);
// 316 bytes without hook and memo text, 33 for each account of the hook (an address and its index in the instruction), and
// 40 for a compute limit, which a long memo before a hook brings.
const tooLargeByMemo =
  "The transaction would have 1348 bytes, with 4 accounts for the mint's transfer hook; the network takes 1232. " +
  'Shorten the memo by at least 116 bytes, or use transaction_version 1.';

const largeMint = keypairFromName('large mint').address;
const megabytes = keypairFromName('megabytes').address;

// Initialized, of the type of a mint, and no extension.
const largeMintData = Buffer.alloc(600_000);
largeMintData[45] = 1;
largeMintData[165] = 1;

function putAccount(ledger: Ledger, at: Address, programAddress: Address, data: Buffer): void {
  ledger.setAccount({
    address: at,
    programAddress,
    data,
    executable: false,
    lamports: lamports(100_000_000_000n),
    space: BigInt(data.length),
  });
}

const withMint = (situation: Situation, address: Situation['sender']['address']): Situation => ({
  ...situation,
  mint: { ...situation.mint, address },
});

/** Refusals because of the mint, or of the whole transaction. */
export const mintRefusals: readonly RefusalCase[] = refusalsAt('/token_mint_address', [
  {
    code: 'mint_not_found',
    operation: 'memo',
    plan: { kind: classic },
    alter: (situation) => withMint(situation, keypairFromName('no mint').address),
    detail: ({ mint }) =>
      `There is no account at ${mint.address} on the sandbox, the ledger that this service runs on. Its mints are at ` +
      '/sandbox/world; for a mint of mainnet, start the service with SOLANA_RPC_URLS.',
  },
  {
    code: 'not_a_mint',
    because: 'a token account',
    operation: 'create',
    plan: { kind: classic },
    alter: (situation) => withMint(situation, situation.senderTokenAccount),
    detail: ({ mint }) =>
      `${mint.address} is an account of SPL Token, but not an initialized mint. Send the address of the token's mint.`,
  },
  {
    code: 'not_a_mint',
    because: 'a wallet',
    operation: 'yid',
    plan: { kind: classic },
    alter: (situation) => withMint(situation, situation.sender.address),
    detail: ({ mint }) =>
      `${mint.address} is an account of the program ${systemProgram}, not of SPL Token or Token-2022. Send the address of ` +
      "the token's mint.",
  },
  {
    code: 'mint_too_large',
    operation: 'memo',
    plan: { kind: classic },
    prepare: (ledger) => void putAccount(ledger, largeMint, token2022Program, Buffer.from(largeMintData)),
    alter: (situation) => withMint(situation, largeMint),
    detail: ({ mint }) =>
      `The mint ${mint.address} holds ${largeMintData.length} bytes, of which this service reads 524288; the rest may hold ` +
      'rules for its transfers. Use another token, or ask its issuer to shorten its metadata.',
  },
  {
    code: 'not_a_mint',
    because: 'megabytes that the token program owns',
    operation: 'create',
    plan: { kind: classic },
    prepare: (ledger) => void putAccount(ledger, megabytes, tokenProgram, Buffer.alloc(9_000_000)),
    alter: (situation) => withMint(situation, megabytes),
    detail: ({ mint }) =>
      `${mint.address} is an account of SPL Token, but not an initialized mint. Send the address of the token's mint.`,
  },
  {
    code: 'mint_paused',
    operation: 'yid',
    plan: { kind: tokenMintKinds['2022-paused'] },
    detail: ({ mint }) =>
      `The issuer of the mint ${mint.address} has paused all transfers. Try again when it has resumed them.`,
  },
  {
    code: 'mint_non_transferable',
    operation: 'memo',
    plan: { kind: tokenMintKinds['2022-non-transferable'] },
    detail: ({ mint }) =>
      `Tokens of the mint ${mint.address} cannot be transferred, by its own rules. Use another token.`,
  },
  {
    code: 'transfer_hook_unresolvable',
    because: 'no program',
    operation: 'memo',
    plan: { kind: tokenMintKinds['2022-hook-missing'] },
    detail: ({ mint }) =>
      `The mint ${mint.address} calls a program on each transfer, and its hook program ` +
      `${hookProgramOf(hookPlans.missingProgram)} does not exist. Ask the issuer of the token.`,
  },
  {
    code: 'transfer_hook_unresolvable',
    because: 'no account list',
    operation: 'yid',
    plan: { kind: tokenMintKinds['2022-hook-without-list'] },
    detail: async ({ mint }) => {
      const program = hookProgramOf(hookPlans.withoutList);
      const list = await validationAddressOf(mint.address, program);
      return (
        `The mint ${mint.address} calls a program on each transfer, and its hook program ${program} has no account list ` +
        `at ${list}. Ask the issuer of the token.`
      );
    },
  },
  {
    code: 'transfer_hook_unresolvable',
    because: 'an account that does not exist yet',
    operation: 'create',
    plan: { kind: tokenMintKinds['2022-hook-reads-recipient'] },
    detail: ({ mint, recipientTokenAccount }) =>
      `The mint ${mint.address} calls a program on each transfer, and its hook needs the account ${recipientTokenAccount}, ` +
      'which does not exist yet. Ask the issuer of the token.',
  },
  {
    code: 'transfer_hook_unresolvable',
    because: 'another signature',
    operation: 'memo',
    plan: { kind: tokenMintKinds['2022-hook-signer'] },
    detail: ({ mint }) =>
      `The mint ${mint.address} calls a program on each transfer, and its hook demands the signature of ` +
      `${keypairFromName('hook cosigner').address}. Ask the issuer of the token.`,
  },
  {
    code: 'transfer_hook_names_signer',
    operation: 'memo',
    plan: { kind: tokenMintKinds['2022-hook-sender'] },
    detail: ({ mint, sender }) =>
      `The mint ${mint.address} calls a program on each transfer, which would be handed the account ${sender.address}. That account ` +
      'signs this transaction, and the program could act with its signature. Leave it out of references, or ask the issuer of the token.',
  },
  {
    code: 'transfer_hook_unresolvable',
    because: 'too many accounts',
    operation: 'create',
    plan: { kind: tokenMintKinds['2022-hook-16'] },
    detail: ({ mint }) =>
      `The mint ${mint.address} calls a program on each transfer, and its hook demands 16 extra accounts, and Token-2022 ` +
      'runs out of memory beyond 15. Ask the issuer of the token.',
  },
  {
    code: 'transaction_too_large',
    because: 'with a memo',
    operation: 'memo',
    plan: { kind: tokenMintKinds['2022-hook-2'], memo: longMemo },
    pointer: '/memo',
    detail: () => tooLargeByMemo,
  },
  {
    code: 'transaction_too_large',
    because: 'with a yid',
    operation: 'yid',
    plan: { kind: tokenMintKinds['2022-hook-2'], memo: longMemo },
    pointer: '/yid',
    detail: () => tooLargeByMemo,
  },
]);
