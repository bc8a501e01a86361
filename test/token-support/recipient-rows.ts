import type { Address } from '@solana/kit';
import {
  close,
  forgetImmutableOwner,
  freeze,
  giveAway,
  guardAgainstPrograms,
  letClose,
  makeConfidential,
  noLongerRequireMemo,
  requireMemo,
} from '../setup/token-account-states.ts';
import { tokenMintKinds } from '../setup/token-mint-kinds.ts';
import {
  createMultisig,
  createMultisigOfOtherProgram,
  createNonceAccountWallet,
  createProgramDerivedAddress,
  createSomebodysTokenAccount,
  createStakeAccount,
  createSystemOwnedVault,
  memoProgramAddress,
  rentSysvarAddress,
} from '../setup/token-recipients.ts';
import { setLamports } from '../setup/token-wallets.ts';
import type { SituationPlan } from './situation.ts';
import { type SupportRow, underBothPrograms, underEachProgram } from './support-row.ts';

const classic = { kind: tokenMintKinds['classic-6'] };
const token2022 = { kind: tokenMintKinds['2022-plain'] };
const confidential = { kind: tokenMintKinds['2022-confidential'] };

/** The recipient's token account is there for every operation, changed in this way. */
const there = (changeRecipient: SituationPlan['changeRecipient']) =>
  ({ recipientHasTokenAccount: true, ...(changeRecipient && { changeRecipient }) }) as const;

const prefunded = (lamports: bigint): Omit<SituationPlan, 'kind'> => ({
  recipientHasTokenAccount: false,
  changeRecipient: ({ ledger, address }) => setLamports(ledger, address, lamports),
});

const missing = 'has no token account, closed it, or has only SOL at its address';

const accountRows: readonly SupportRow[] = [
  ...underBothPrograms('recipient-there', 'has a token account', { recipientHasTokenAccount: true }),
  ...underEachProgram('recipient-missing', missing, { recipientHasTokenAccount: false }),
  ...underEachProgram('recipient-closed', missing, there(close)),
  ...underEachProgram('recipient-prefunded-little', missing, prefunded(890_880n)),
  ...underEachProgram('recipient-prefunded-much', missing, prefunded(5_000_000n)),
  ...underBothPrograms('recipient-frozen', 'token account frozen', there(freeze)),
  {
    id: 'recipient-frozen-from-the-start',
    words: 'token account of a mint that freezes new ones, not thawed (Token-2022)',
    plan: { kind: tokenMintKinds['2022-default-frozen'], ...there(freeze) },
  },
  {
    id: 'recipient-frozen-acl',
    words: 'token account frozen, of a mint of Token ACL whose gate program lets everyone in (Token-2022)',
    plan: { kind: tokenMintKinds['2022-acl-deps'], ...there(freeze) },
  },
  {
    id: 'recipient-given-away',
    words: 'token account given to another owner (SPL Token)',
    plan: { ...classic, ...there(giveAway) },
  },
  {
    id: 'recipient-given-away-2022',
    words: 'token account without ImmutableOwner given to another owner (Token-2022)',
    plan: {
      ...token2022,
      ...there((account, stranger) => {
        forgetImmutableOwner(account);
        giveAway(account, stranger);
      }),
    },
  },
  ...(['classic-native', '2022-native'] as const).map((name) => ({
    id: `recipient-close-authority-${name}`,
    words: `token account that another wallet may close, which then gets the SOL (${tokenMintKinds[name].words}); the summary warns`,
    plan: { kind: tokenMintKinds[name], ...there(letClose) },
  })),
  {
    id: 'recipient-without-immutable-owner',
    words: 'token account without ImmutableOwner (Token-2022)',
    plan: { ...token2022, ...there(forgetImmutableOwner) },
  },
];

const extensionRows: readonly SupportRow[] = [
  {
    id: 'recipient-requires-memo',
    words: 'token account requires a memo (Token-2022)',
    plan: { ...token2022, ...there(requireMemo) },
  },
  {
    id: 'recipient-requires-memo-no-longer',
    words: 'token account required a memo before, and no longer does (Token-2022)',
    plan: { ...token2022, ...there(noLongerRequireMemo) },
  },
  {
    id: 'recipient-cpi-guard',
    words: 'token account with CPI guard (Token-2022)',
    plan: { ...token2022, ...there(guardAgainstPrograms) },
  },
  {
    id: 'recipient-confidential-only',
    words: 'token account refuses public credits (Token-2022)',
    plan: { ...confidential, ...there((account) => makeConfidential(account, false)) },
  },
  {
    id: 'recipient-confidential',
    words: 'token account takes confidential and public credits (Token-2022)',
    plan: { ...confidential, ...there((account) => makeConfidential(account, true)) },
  },
];

/** Two rows: an address that is paid where it has a token account, and what becomes of it where it has none. */
function withAndWithout(id: string, words: string, recipient: NonNullable<SituationPlan['recipient']>): SupportRow[] {
  return [
    {
      id: `recipient-${id}-there`,
      words: `${words}, with a token account`,
      plan: { ...classic, recipient, recipientHasTokenAccount: true },
    },
    {
      id: `recipient-${id}-missing`,
      words: `${words}, without a token account`,
      plan: { ...classic, recipient, recipientHasTokenAccount: false },
    },
  ];
}

const always = (address: Address) => (): Address => address;

const addressRows: readonly SupportRow[] = [
  ...withAndWithout('token-account', 'address is a token account', createSomebodysTokenAccount),
  ...withAndWithout('mint', 'address is the mint', (_ledger, mint) => mint.address),
  ...withAndWithout('program', 'address is a program', always(memoProgramAddress)),
  ...withAndWithout('sysvar', 'address is a sysvar', always(rentSysvarAddress)),
  ...withAndWithout('stake-account', 'address is a stake account', createStakeAccount),
  ...withAndWithout('multisig', 'address is a multisig of SPL Token', createMultisig),
  ...withAndWithout('other-multisig', 'address is a multisig of Token-2022', createMultisigOfOtherProgram),
  {
    id: 'recipient-classic-multisig-2022',
    words: 'address is a multisig of SPL Token, without a token account (Token-2022)',
    plan: { ...token2022, recipient: createMultisigOfOtherProgram, recipientHasTokenAccount: false },
  },
  ...withAndWithout('nonce-account', 'address is a durable nonce account', createNonceAccountWallet),
  ...withAndWithout('off-curve', 'address off the curve, without an account', createProgramDerivedAddress),
  ...withAndWithout('vault', 'address off the curve, with SOL', createSystemOwnedVault),
];

/** A row for every state of the recipient. */
export const recipientRows: readonly SupportRow[] = [...accountRows, ...extensionRows, ...addressRows];
