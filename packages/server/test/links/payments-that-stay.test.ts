import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { type Address, createNoopSigner, type Instruction, lamports } from '@solana/kit';
import {
  AuthorityType,
  getSetAuthorityInstruction,
  getSyncNativeInstruction,
  getUnwrapLamportsInstruction,
} from '@solana-program/token-2022';
import {
  atDepth,
  type FormedPayment,
  memoOf,
  paymentBetween,
  paymentIn,
  withReferences,
} from '../../../../test/setup/payment-forms.ts';
import { throughProxy } from '../../../../test/setup/proxy-program.ts';
import { createTokenAccounts } from '../../../../test/setup/token-accounts.ts';
import { tokenMintKinds } from '../../../../test/setup/token-mint-kinds.ts';
import { createTokenMint, type TokenMint } from '../../../../test/setup/token-mints.ts';
import { faucet } from '../../../sandbox/src/ledger/faucet.ts';
import type { Keypair } from '../../../sandbox/src/ledger/keypair.ts';
import {
  amount,
  type Case,
  isPaid,
  lamportsTo,
  nothingStayed,
  PaymentCases,
  paid,
  payer,
  recipient,
  type Said,
  sends,
  stranger,
  tooLittle,
} from './payment-cases.ts';

const scene = await PaymentCases.open();
const fromEpoch = 1_000_000n;
const taxedOf = (name: string, now: number, later?: number): Promise<TokenMint> =>
  scene.mintOf('2022-fee-1-percent', name, {
    now: { basisPoints: now },
    ...(later !== undefined && { later: { basisPoints: later, fromEpoch } }),
  });
const classic = await scene.mintOf('classic-6', 'stays classic');
const taxed = await taxedOf('stays taxed', 100);
const free = await taxedOf('stays free', 0, 9_000);
const halved = await taxedOf('stays halved', 100, 5_000);
const delegated = await scene.mintOf('2022-permanent-delegate', 'stays delegated');
const wrapped = [await scene.mintOf('classic-native', 'SPL Token'), await scene.mintOf('2022-native', 'Token-2022')];

/** The same way back, by the authority of somebody. */
function back({ source, destination, ...payment }: FormedPayment, authority: Keypair, taken: bigint): FormedPayment {
  return { ...payment, source: destination, destination: source, authority: authority.address, amount: taken };
}

/** A payment that carries the references, and what somebody else signs after it. */
const sendsAndThen =
  (then: (payment: FormedPayment) => Instruction): Case['does'] =>
  (references, payment) => [...sends(amount)(references, payment), then(payment)];

/** Lamports that lie in the recipient's token account without being tokens. */
function leaveLamports(account: Address): void {
  const found = scene.ledger.getAccount(account) ?? assert.fail(account);
  scene.ledger.setAccount({ ...found, lamports: lamports(found.lamports + 5n * amount) });
}

const synced = ({ destination, tokenProgram }: FormedPayment): Instruction =>
  getSyncNativeInstruction({ account: destination }, { programAddress: tokenProgram });

const wraps = wrapped.flatMap((mint): Case[] =>
  ([0, 1] as const).map((depth) => ({
    name: `SOL that it wraps there, ${depth} programs deep, by ${mint.tokenProgram}`,
    mint,
    does: (references, payment) => [
      atDepth(depth, withReferences(lamportsTo(payment.destination, amount), references)),
      synced(payment),
    ],
    says: [paid],
  })),
);

/** Lamports that lay in the account before, and what is sent beside them. */
const found = wrapped.flatMap((mint): Case[] => {
  const cases: readonly [name: string, does: Case['does'], said: Said][] = [
    [
      'which are only synced',
      (references, payment) => [
        withReferences(synced(payment), references),
        throughProxy([memoOf('nothing')], references),
      ],
      { flaw: 'no_transfer', received: 0n },
    ],
    [
      'and a lamport less than the amount',
      (references, payment) => [
        withReferences(lamportsTo(payment.destination, amount - 1n), references),
        synced(payment),
      ],
      tooLittle(amount - 1n),
    ],
    [
      'and a transfer of a lamport',
      (references, payment) => [...sends(1n)(references, payment), synced(payment)],
      tooLittle(1n),
    ],
  ];
  return cases.map(([name, does, said]) => ({
    name: `lamports that lay in the account, ${name}, by ${mint.tokenProgram}`,
    mint,
    does: (references, payment) => {
      leaveLamports(payment.destination);
      return does(references, payment);
    },
    says: [said],
  }));
});

/** `unwrapLamports`, of p-token and of Token-2022 from version 11 on: tokens become SOL without a closed account. */
const unwraps = wrapped.flatMap((mint) =>
  [0n, 1n].map(
    (left): Case => ({
      name: `a recipient that unwraps all but ${left} lamports of it, by ${mint.tokenProgram}`,
      mint,
      signers: [recipient],
      does: sendsAndThen((payment) =>
        getUnwrapLamportsInstruction(
          {
            source: payment.destination,
            destination: stranger.address,
            authority: createNoopSigner(recipient.address),
            amount: amount - left,
          },
          { programAddress: mint.tokenProgram },
        ),
      ),
      says: [left === 0n ? nothingStayed : tooLittle(left)],
    }),
  ),
);

const returned: readonly Case[] = [
  ...(
    [
      ['all of it', amount, nothingStayed],
      ['a part', 1n, tooLittle(amount - 1n)],
      ['more than it paid', amount + 1n, { flaw: 'nothing_stayed' }],
    ] as const
  ).map(
    ([part, taken, said]): Case => ({
      name: `an issuer that pays and takes ${part} back`,
      mint: delegated,
      signers: [faucet],
      does: sendsAndThen((payment) => atDepth(1, paymentIn('checked', back(payment, faucet, taken)))),
      says: [said],
    }),
  ),
  {
    name: 'a recipient that signs the money back',
    mint: classic,
    signers: [recipient],
    does: sendsAndThen((payment) => paymentIn('unchecked', back(payment, recipient, amount))),
    says: [nothingStayed],
  },
  {
    name: 'a recipient whose account pays itself',
    mint: classic,
    signers: [recipient],
    does: (references, payment) =>
      sends(amount)(references, { ...payment, source: payment.destination, authority: recipient.address }),
    says: [{ flaw: 'no_transfer', received: 0n }],
  },
  {
    name: 'a mint that withholds everything since the link was made',
    mint: await taxedOf('forms confiscated', 0),
    fees: { now: { basisPoints: 10_000 } },
    does: sends(amount),
    says: [nothingStayed],
  },
  {
    name: "a recipient that hands its account over, with what was paid in it, in the link's own transaction",
    mint: await scene.mintOf('classic-0', 'stays handed over'),
    signers: [recipient],
    does: sendsAndThen(({ destination, tokenProgram }) =>
      getSetAuthorityInstruction(
        {
          owned: destination,
          owner: createNoopSigner(recipient.address),
          authorityType: AuthorityType.AccountOwner,
          newAuthority: stranger.address,
        },
        { programAddress: tokenProgram },
      ),
    ),
    says: [{ flaw: true }],
  },
];

const worthless = await createTokenMint(scene.ledger, tokenMintKinds['classic-0'], 'stays worthless');
await createTokenAccounts(scene.ledger, worthless, [
  { owner: payer.address, amount: 2n ** 64n - 1n },
  { owner: stranger.address, amount: 0n },
]);
const toAndFro = await paymentBetween(payer.address, stranger.address, worthless, 2n ** 64n - 1n);

const strangers: readonly Case[] = [
  {
    name: 'a worthless token that goes to and fro until its transfers add up to more than a balance can be',
    mint: classic,
    signers: [stranger],
    does: (references) =>
      [1, 2, 3, 4, 5, 6].flatMap(() => [
        paymentIn('checked', { ...toAndFro, references }),
        paymentIn('unchecked', back(toAndFro, stranger, toAndFro.amount)),
      ]),
    says: [{ flaw: 'other_mint' }],
  },
];

const withFees: readonly Case[] = (
  [
    ['a tenth of the amount, where 0 % is withheld and 90 % is scheduled', free, amount / 10n, [tooLittle(100_000n)]],
    ['all of the amount, where 0 % is withheld and 90 % is scheduled', free, amount, [paid]],
    ['half, and the fee, where 1 % is withheld and 50 % is scheduled', halved, 510_000n, [tooLittle(504_900n)]],
    [
      'two amounts but for a base unit, for two links, where 0 % is withheld and 90 % is scheduled',
      free,
      2n * amount - 1n,
      [paid, tooLittle(amount - 1n)],
    ],
    ['two amounts, for two, where 1 % is withheld and 50 % is scheduled', halved, 2n * amount, [isPaid, isPaid]],
    ['a base unit less than the amount, where a fee is withheld', taxed, amount - 101n, [{ flaw: 'too_little' }]],
  ] as const
).map(([name, mint, sum, says]) => ({ name, mint, does: sends(sum), says }));

const withOtherFees: readonly Case[] = [
  {
    name: 'a tenth of the amount, where 90 % was withheld when the link was made, and nothing now',
    mint: await taxedOf('forms lowered', 9_000),
    fees: { now: { basisPoints: 0 } },
    does: sends(amount / 10n),
    says: [tooLittle(amount / 10n)],
  },
  {
    name: 'less than the amount by the fee that was scheduled when the link was made',
    mint: await taxedOf('forms scheduled', 100, 300),
    fees: { now: { basisPoints: 300 } },
    does: sends(amount),
    says: [{ received: 970_000n }],
  },
  {
    name: 'less than the amount by a fee that nobody knew of when the link was made',
    mint: await taxedOf('forms raised', 100),
    fees: { now: { basisPoints: 101 } },
    does: sends(amount),
    says: [tooLittle(989_900n)],
  },
];

describe('a payment link, of which what was paid must stay,', () => {
  scene.test([
    ['is paid by', wraps],
    ['is not paid by', [...returned, ...unwraps, ...found, ...strangers]],
    ['takes what the mint withholds into account, with', [...withFees, ...withOtherFees]],
  ]);
});
