import { type Address, address, some } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { AccountState, type ExtensionArgs, TOKEN_2022_PROGRAM_ADDRESS } from '@solana-program/token-2022';
import { faucet } from '../../packages/sandbox/src/ledger/faucet.ts';
import { gatePrograms, type TokenAclPlan } from './token-acl.ts';
import { type HookPlan, hookPlans, hookProgramOf } from './token-hook-plans.ts';

/** One kind of mint: how it is made, by the real programs. */
export interface TokenMintKind {
  /** In words, for people. */
  words: string;
  tokenProgram: Address;
  decimals: number;
  /** For wrapped SOL, whose mint is there already. */
  nativeMint?: Address;
  extensions?: (mint: Address) => ExtensionArgs[];
  hook?: HookPlan;
  /** Its freeze authority is the Token ACL program, once its holders have their tokens. */
  tokenAcl?: TokenAclPlan;
  /** What a transfer of so many base units costs the recipient. */
  transferFee?: (amount: bigint) => bigint;
  freezesNewAccounts?: true;
  /** Its tokens cannot be minted in public: a balance is written into the account. */
  refusesMinting?: true;
  /** What is done to it once its holders have their tokens. */
  finish?: 'pause' | 'add_unknown_extension';
}

const authority = some(faucet.address);
const none = null;

/** A fee in hundredths of a percent, at most so many base units; rounded up, as the token program does. */
function feeOf(basisPoints: bigint, maximumFee: bigint): (amount: bigint) => bigint {
  return (amount) => {
    const fee = (amount * basisPoints + 9_999n) / 10_000n;
    return fee < maximumFee ? fee : maximumFee;
  };
}

function transferFeeConfig(transferFeeBasisPoints: number, maximumFee: bigint): ExtensionArgs {
  const fee = { epoch: 0n, maximumFee, transferFeeBasisPoints };
  return {
    __kind: 'TransferFeeConfig',
    transferFeeConfigAuthority: faucet.address,
    withdrawWithheldAuthority: faucet.address,
    withheldAmount: 0n,
    olderTransferFee: fee,
    newerTransferFee: fee,
  };
}

function metadata(mint: Address): ExtensionArgs {
  const texts = { name: 'A token', symbol: 'TOK', uri: 'https://example.org/token.json' };
  return { __kind: 'TokenMetadata', updateAuthority: authority, mint, ...texts, additionalMetadata: new Map() };
}

const pausable: ExtensionArgs = { __kind: 'PausableConfig', authority, paused: false };
const permanentDelegate: ExtensionArgs = { __kind: 'PermanentDelegate', delegate: faucet.address };
const mintCloseAuthority: ExtensionArgs = { __kind: 'MintCloseAuthority', closeAuthority: faucet.address };
const interestBearing: ExtensionArgs = {
  __kind: 'InterestBearingConfig',
  rateAuthority: faucet.address,
  initializationTimestamp: 0n,
  preUpdateAverageRate: 500,
  lastUpdateTimestamp: 0n,
  currentRate: 500,
};
const confidentialTransfer: ExtensionArgs = {
  __kind: 'ConfidentialTransferMint',
  authority,
  autoApproveNewAccounts: true,
  auditorElgamalPubkey: none,
};
const metadataPointer = (mint: Address): ExtensionArgs => ({
  __kind: 'MetadataPointer',
  authority,
  metadataAddress: some(mint),
});

function classic(words: string, decimals: number, more: Partial<TokenMintKind> = {}): TokenMintKind {
  return { words: `SPL Token, ${words}`, tokenProgram: TOKEN_PROGRAM_ADDRESS, decimals, ...more };
}

function token2022(
  words: string,
  extensions?: TokenMintKind['extensions'],
  more: Partial<TokenMintKind> = {},
): TokenMintKind {
  const made = extensions && { extensions };
  return { words: `Token-2022, ${words}`, tokenProgram: TOKEN_2022_PROGRAM_ADDRESS, decimals: 6, ...made, ...more };
}

function hooked(words: string, hook: HookPlan): TokenMintKind {
  const programId = hookProgramOf(hook);
  return token2022(words, () => [{ __kind: 'TransferHook', authority: faucet.address, programId }], { hook });
}

function gated(words: string, gate: keyof typeof gatePrograms, thaws = true): TokenMintKind {
  const tokenAcl = { gateProgram: gatePrograms[gate], thaws };
  const frozen = (): ExtensionArgs[] => [{ __kind: 'DefaultAccountState', state: AccountState.Frozen }];
  return token2022(`new accounts frozen, by Token ACL: ${words}`, frozen, { freezesNewAccounts: true, tokenAcl });
}

const nullHook: ExtensionArgs = {
  __kind: 'TransferHook',
  authority: faucet.address,
  // All zero bytes: no program.
  programId: address('11111111111111111111111111111111'),
};

/** Every kind of mint that decides, or might be thought to decide, whether a transfer lands. */
export const tokenMintKinds = {
  'classic-0': classic('0 decimals', 0),
  'classic-6': classic('6 decimals', 6),
  'classic-9': classic('9 decimals', 9),
  'classic-native': classic('wrapped SOL', 9, { nativeMint: address('So11111111111111111111111111111111111111112') }),
  '2022-native': token2022('wrapped SOL', undefined, {
    nativeMint: address('9pan9bMn5HatX4EJdBwg9VgCa7Uz5HL8N1m5D3NdXejP'),
    decimals: 9,
  }),
  '2022-plain': token2022('no extensions'),
  '2022-fee-1-percent': token2022('transfer fee of 1 %, at most 5,000', () => [transferFeeConfig(100, 5000n)], {
    transferFee: feeOf(100n, 5000n),
  }),
  '2022-fee-0': token2022('transfer fee of 0 %', () => [transferFeeConfig(0, 5000n)]),
  '2022-fee-100-percent': token2022('transfer fee of 100 %', () => [transferFeeConfig(10_000, 2n ** 64n - 1n)], {
    transferFee: (amount) => amount,
  }),
  '2022-non-transferable': token2022('non-transferable', () => [{ __kind: 'NonTransferable' }]),
  '2022-default-frozen': token2022(
    'new accounts frozen (and those of this row thawed)',
    () => [{ __kind: 'DefaultAccountState', state: AccountState.Frozen }],
    { freezesNewAccounts: true },
  ),
  '2022-acl-allow': gated('the gate program lets everyone in', 'always_allow'),
  '2022-acl-deps': gated('the gate program lets everyone in, and reads five accounts for it', 'always_allow_with_deps'),
  '2022-acl-block': gated('the gate program refuses everyone', 'always_block'),
  '2022-acl-off': gated('only the issuer thaws', 'always_allow', false),
  '2022-default-initialized': token2022('default account state set to initialized', () => [
    { __kind: 'DefaultAccountState', state: AccountState.Initialized },
  ]),
  '2022-pausable': token2022('pausable, running', () => [pausable]),
  '2022-paused': token2022('pausable, paused', () => [pausable], { finish: 'pause' }),
  '2022-permanent-delegate': token2022('permanent delegate', () => [permanentDelegate]),
  '2022-close-authority': token2022('mint close authority', () => [mintCloseAuthority]),
  '2022-interest-bearing': token2022('interest-bearing', () => [interestBearing]),
  '2022-scaled-ui-amount': token2022('scaled UI amount, twofold', () => [
    {
      __kind: 'ScaledUiAmountConfig',
      authority: faucet.address,
      multiplier: 2,
      newMultiplierEffectiveTimestamp: 0n,
      newMultiplier: 2,
    },
  ]),
  '2022-confidential': token2022('confidential transfers', () => [confidentialTransfer]),
  '2022-confidential-fee': token2022(
    'confidential transfers and transfer fee of 1 %',
    () => [
      transferFeeConfig(100, 5000n),
      confidentialTransfer,
      {
        __kind: 'ConfidentialTransferFee',
        authority,
        elgamalPubkey: faucet.address,
        harvestToMintEnabled: true,
        withheldAmount: new Uint8Array(64),
      },
    ],
    { transferFee: feeOf(100n, 5000n) },
  ),
  '2022-confidential-mint-burn': token2022(
    'confidential minting and burning',
    () => [
      confidentialTransfer,
      {
        __kind: 'ConfidentialMintBurn',
        confidentialSupply: new Uint8Array(64),
        decryptableSupply: new Uint8Array(36),
        supplyElgamalPubkey: faucet.address,
        pendingBurn: new Uint8Array(64),
      },
    ],
    { refusesMinting: true },
  ),
  '2022-metadata-pointer': token2022('metadata pointer', (mint) => [metadataPointer(mint)]),
  '2022-metadata': token2022('metadata pointer and metadata', (mint) => [metadataPointer(mint), metadata(mint)]),
  '2022-group': token2022('group pointer and group', (mint) => [
    { __kind: 'GroupPointer', authority, groupAddress: some(mint) },
    { __kind: 'TokenGroup', updateAuthority: authority, mint, size: 0n, maxSize: 9n },
  ]),
  '2022-group-member-pointer': token2022('group member pointer', (mint) => [
    { __kind: 'GroupMemberPointer', authority, memberAddress: some(mint) },
  ]),
  '2022-permissioned-burn': token2022('permissioned burn', () => [{ __kind: 'PermissionedBurn', authority }]),
  '2022-many-harmless': token2022('permanent delegate, close authority, interest and metadata', (mint) => [
    permanentDelegate,
    mintCloseAuthority,
    interestBearing,
    metadataPointer(mint),
    metadata(mint),
  ]),
  '2022-fee-hook-pausable': token2022(
    'transfer fee of 1 %, hook without a program, pausable',
    () => [transferFeeConfig(100, 5000n), nullHook, pausable],
    { transferFee: feeOf(100n, 5000n) },
  ),
  '2022-hook-null': token2022('transfer hook without a program', () => [nullHook]),
  '2022-hook-0': hooked('transfer hook with no extra accounts', hookPlans.noExtras),
  '2022-hook-2': hooked('transfer hook with two extra accounts', hookPlans.twoExtras),
  '2022-hook-reads-recipient': hooked(
    "transfer hook that reads the recipient's token account",
    hookPlans.readsRecipient,
  ),
  '2022-hook-signer': hooked('transfer hook that demands another signature', hookPlans.demandsSignature),
  '2022-hook-sender': hooked('transfer hook that asks for the sender', hookPlans.namesSender),
  '2022-hook-missing': hooked('transfer hook whose program does not exist', hookPlans.missingProgram),
  '2022-hook-without-list': hooked('transfer hook without an account list', hookPlans.withoutList),
  '2022-hook-15': hooked('transfer hook with 15 extra accounts', hookPlans.fifteenExtras),
  '2022-hook-16': hooked('transfer hook with 16 extra accounts', hookPlans.sixteenExtras),
  '2022-unknown-extension': token2022(
    'an extension of a type not known today (99), token account there',
    () => [mintCloseAuthority],
    {
      finish: 'add_unknown_extension',
    },
  ),
} as const satisfies Record<string, TokenMintKind>;

/** The stable name of a mint kind. */
export type TokenMintKindName = keyof typeof tokenMintKinds;
