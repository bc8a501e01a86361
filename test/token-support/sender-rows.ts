import {
  approve,
  close,
  forgetImmutableOwner,
  freeze,
  giveAway,
  giveAwayAndBorrow,
  guardAgainstPrograms,
  makeConfidential,
  makePermanentDelegate,
  requireMemo,
} from '../setup/token-account-states.ts';
import { type TokenMintKind, tokenMintKinds } from '../setup/token-mint-kinds.ts';
import { makeNonceAccount, makeStakeAccount } from '../setup/token-wallets.ts';
import type { Costs, SituationPlan } from './situation.ts';
import { type SupportRow, underBothPrograms, underEachProgram } from './support-row.ts';

const classic = { kind: tokenMintKinds['classic-6'] };
const permanentDelegate = { kind: tokenMintKinds['2022-permanent-delegate'] };
const token2022 = { kind: tokenMintKinds['2022-plain'] };

const balanceRows: readonly SupportRow[] = [
  ...underBothPrograms('sender-exact-balance', 'holds exactly the amount', { senderTokens: 1000n }),
  ...underBothPrograms('sender-one-too-few', 'holds one base unit too few', { senderTokens: 999n }),
  ...underEachProgram('sender-missing', 'has no token account, or closed it', { senderTokens: 'none' }),
  ...underEachProgram('sender-closed', 'has no token account, or closed it', { senderTokens: 0n, changeSender: close }),
];

const ownershipRows: readonly SupportRow[] = [
  ...underBothPrograms('sender-frozen', 'token account frozen', { changeSender: freeze }),
  {
    id: 'sender-frozen-acl',
    words:
      'token account frozen by the issuer, of a mint of Token ACL whose gate program lets everyone in (Token-2022)',
    plan: { kind: tokenMintKinds['2022-acl-allow'], changeSender: freeze },
  },
  {
    id: 'sender-given-away',
    words: 'token account given to another owner (SPL Token)',
    plan: { ...classic, changeSender: giveAway },
  },
  {
    id: 'sender-given-away-2022',
    words: 'token account without ImmutableOwner given to another owner (Token-2022)',
    plan: {
      ...token2022,
      changeSender: (account, stranger) => {
        forgetImmutableOwner(account);
        giveAway(account, stranger);
      },
    },
  },
  {
    id: 'sender-given-away-borrowed',
    words: 'token account given to another owner, who made the sender its delegate for enough (SPL Token)',
    plan: { ...classic, changeSender: (account, stranger) => giveAwayAndBorrow(account, stranger, 1000n) },
  },
];

const delegateRows: readonly SupportRow[] = [
  ...underBothPrograms('sender-delegate', 'has a delegate for less than the amount', {
    changeSender: (account, stranger) => approve(account, stranger.address, 500n),
  }),
  ...underBothPrograms('sender-own-delegate', 'is its own delegate for less than the amount', {
    changeSender: (account) => approve(account, account.owner.address, 999n),
  }),
  ...underBothPrograms('sender-own-delegate-enough', 'is its own delegate for exactly the amount', {
    changeSender: (account) => approve(account, account.owner.address, 1000n),
  }),
  {
    id: 'sender-permanent-delegate',
    words: "is the mint's permanent delegate (Token-2022)",
    plan: { ...permanentDelegate, changeSender: makePermanentDelegate },
  },
  {
    id: 'sender-permanent-delegate-and-own',
    words: "is the mint's permanent delegate, and its own for less than the amount (Token-2022)",
    plan: {
      ...permanentDelegate,
      changeSender: (account) => {
        approve(account, account.owner.address, 999n);
        makePermanentDelegate(account);
      },
    },
  },
  {
    id: 'sender-permanent-delegate-given-away',
    words: "is the mint's permanent delegate, token account without ImmutableOwner given to another owner (Token-2022)",
    plan: {
      ...permanentDelegate,
      changeSender: (account, stranger) => {
        forgetImmutableOwner(account);
        giveAway(account, stranger);
        makePermanentDelegate(account);
      },
    },
  },
];

const extensionRows: readonly SupportRow[] = [
  {
    id: 'sender-requires-memo',
    words: 'token account requires memos on incoming transfers (Token-2022)',
    plan: { ...token2022, changeSender: requireMemo },
  },
  {
    id: 'sender-cpi-guard',
    words: 'token account with CPI guard (Token-2022)',
    plan: { ...token2022, changeSender: guardAgainstPrograms },
  },
  {
    id: 'sender-confidential-only',
    words: 'token account refuses public credits (Token-2022)',
    plan: { kind: tokenMintKinds['2022-confidential'], changeSender: (account) => makeConfidential(account, false) },
  },
];

function lamports(id: string, words: string, senderLamports: SituationPlan['senderLamports']): SupportRow {
  return {
    id: `sender-sol-${id}`,
    words: `SOL: ${words}`,
    plan: { ...classic, ...(senderLamports && { senderLamports }) },
  };
}

const belowMinimum = lamports(
  'below-minimum',
  'already less than the minimum, and more than the fee',
  ({ fee, rent }) => (rent > 0n ? 0n : fee + 1n),
);

/** "Costs" are the network fee and, where an account is created, its rent; "minimum" is that of an empty account. */
const lamportRows: readonly SupportRow[] = [
  lamports('none', 'nothing', () => 0n),
  lamports('fee-less-one', 'one lamport less than the fee', ({ fee }) => fee - 1n),
  lamports('fee', 'exactly the fee', ({ fee }) => fee),
  lamports('costs-less-one', 'one lamport less than the costs', ({ fee, rent }) => fee + rent - 1n),
  lamports('costs', 'exactly the costs', ({ fee, rent }) => fee + rent),
  lamports(
    'minimum-less-one',
    'the costs, and one lamport less than the minimum',
    ({ fee, rent, minimum }) => fee + rent + minimum - 1n,
  ),
  lamports('minimum', 'the costs, and exactly the minimum', ({ fee, rent, minimum }) => fee + rent + minimum),
  belowMinimum,
];

/** Bytes of a new account, by the extensions that its mint brings (observed, not computed). */
const newAccountLengths = {
  '2022-plain': 170n,
  '2022-pausable': 174n,
  '2022-hook-null': 175n,
  '2022-fee-1-percent': 182n,
  '2022-fee-hook-pausable': 191n,
} as const;

/** The rent of an account is that of its size: one lamport decides. */
const rentRows: readonly SupportRow[] = Object.entries(newAccountLengths).flatMap(([name, newAccountLength]) => {
  const found = Object.entries<TokenMintKind>(tokenMintKinds).find(([each]) => each === name);
  if (!found) throw new Error(`no mint kind ${name}`);
  const [, kind] = found;
  return (
    [
      ['costs', 0n],
      ['costs-less-one', 1n],
    ] as const
  ).map(([id, less]) => ({
    id: `sender-sol-${id}-${name}`,
    words: `SOL: ${less === 0n ? 'exactly' : 'one lamport less than'} the costs`,
    plan: { kind, newAccountLength, senderLamports: ({ fee, rent }: Costs) => fee + rent - less },
  }));
});

const walletRows: readonly SupportRow[] = [
  {
    id: 'sender-nonce-account',
    words: 'the wallet is a durable nonce account',
    plan: { ...classic, changeSenderWallet: makeNonceAccount },
  },
  {
    id: 'sender-stake-account',
    words: 'the wallet is a stake account',
    plan: { ...classic, changeSenderWallet: makeStakeAccount },
  },
];

/** A row for every state of the sender. */
export const senderRows: readonly SupportRow[] = [
  ...balanceRows,
  ...ownershipRows,
  ...delegateRows,
  ...extensionRows,
  ...lamportRows,
  ...rentRows,
  ...walletRows,
];
