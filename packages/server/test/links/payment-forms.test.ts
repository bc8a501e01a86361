import { describe } from 'node:test';
import type { Address, Instruction } from '@solana/kit';
import {
  atDepth,
  batchOf,
  everyForm,
  memoOf,
  paymentIn,
  withReferences,
} from '../../../../test/setup/payment-forms.ts';
import { throughProxy } from '../../../../test/setup/proxy-program.ts';
import { associatedTokenAccountOf } from '../../../../test/setup/token-accounts.ts';
import {
  amount,
  type Case,
  isPaid,
  lamportsTo,
  otherLink,
  PaymentCases,
  paid,
  payer,
  sends,
  stranger,
  tooLittle,
} from './payment-cases.ts';

const scene = await PaymentCases.open();
const classic = await scene.mintOf('classic-6', 'forms classic');
const token2022 = await scene.mintOf('2022-plain', 'forms 2022');
const taxed = await scene.mintOf('2022-fee-1-percent', 'forms taxed');
const strangersAccount = await associatedTokenAccountOf(classic, stranger.address);
const token2022Payment = await scene.paymentFor(token2022);

/** Something that moves no tokens, and names an address. */
const naming = (named: readonly Address[]): Instruction => throughProxy([memoOf('nothing')], named);

const forms = everyForm([classic, token2022], taxed).map(
  ({ mint, form, depth, name }): Case => ({
    name,
    mint,
    does: (references, payment) => [atDepth(depth, paymentIn(form, { ...payment, references }))],
    says: [{ received: amount - (mint.transferFee?.(amount) ?? 0n) }],
  }),
);

const named: readonly Case[] = [
  {
    name: 'a transfer by a program, of which only the outer instruction names the reference',
    mint: classic,
    does: (references, payment) => [atDepth(2, paymentIn('checked', payment), references)],
    says: [paid],
  },
  {
    name: 'a batch that is handed the reference after the accounts of its transfers',
    mint: classic,
    does: (references, payment) => [
      withReferences(batchOf(payment.tokenProgram, [paymentIn('unchecked', payment)]), references),
    ],
    says: [paid],
  },
  {
    name: 'one of several transfers in a batch',
    mint: classic,
    does: (references, payment) => [
      batchOf(payment.tokenProgram, [
        paymentIn('unchecked', { ...payment, amount: 7n, destination: payment.source }),
        paymentIn('unchecked', { ...payment, references }),
      ]),
    ],
    says: [paid],
  },
  {
    name: 'two halves, in two forms, among transfers to others and of other tokens',
    mint: classic,
    does: (references, payment) => [
      atDepth(1, paymentIn('unchecked', { ...payment, amount: amount / 2n, references })),
      paymentIn('checked', { ...payment, amount: 3n, destination: strangersAccount, references }),
      paymentIn('checked', { ...token2022Payment, amount: 5n, references }),
      paymentIn('checked', { ...payment, amount: amount / 2n, references }),
    ],
    says: [paid],
  },
];

/** What pays for something else, beside or around something that names the reference. */
const elsewhere: readonly Case[] = [
  {
    name: 'a transfer without references beside an instruction that names it',
    mint: token2022,
    does: (references, payment) => [paymentIn('unchecked', payment), naming(references)],
    says: [otherLink],
  },
  {
    name: 'a transfer that a smart wallet makes, beside a call of it that uses the reference',
    mint: classic,
    does: ([reference = payer.address], payment) => [
      throughProxy([paymentIn('checked', payment), lamportsTo(reference, amount)]),
    ],
    says: [otherLink],
  },
  {
    name: 'a transfer without references beside one of a base unit that carries it',
    mint: classic,
    does: (references, payment) => [paymentIn('checked', payment), ...sends(1n)(references, payment)],
    says: [tooLittle(1n)],
  },
  {
    name: 'a transfer without references in a batch with one of a base unit that carries it',
    mint: token2022,
    does: (references, payment) => [
      batchOf(payment.tokenProgram, [...sends(1n)(references, payment), paymentIn('checked', payment)]),
    ],
    says: [tooLittle(1n)],
  },
];

const other: readonly Case[] = [
  {
    name: 'a base unit less than the amount',
    mint: classic,
    does: (references, payment) => sends(amount - 1n)(references, payment).map((each) => atDepth(1, each)),
    says: [tooLittle(amount - 1n)],
  },
  {
    name: 'transfers to the token account of somebody else and of another mint: the first and those like it',
    mint: classic,
    does: (references, payment) => {
      const away = paymentIn('unchecked', { ...payment, destination: strangersAccount, references });
      return [atDepth(1, away), paymentIn('checked', { ...token2022Payment, references }), away];
    },
    says: [{ flaw: 'elsewhere', received: 2n * amount }],
  },
  {
    name: 'another mint',
    mint: classic,
    does: (references) => [atDepth(1, paymentIn('checked', { ...token2022Payment, references }))],
    says: [{ flaw: 'other_mint' }],
  },
  {
    name: 'a transaction that names the reference and moves no tokens',
    mint: classic,
    does: ([reference = payer.address]) => [lamportsTo(reference, amount)],
    says: [{ flaw: 'no_transfer', received: 0n }],
  },
];

const shared: readonly Case[] = [
  {
    name: 'a transfer that carries the reference of one, beside an instruction that names the other',
    mint: classic,
    does: ([one = payer.address, second = payer.address], payment) => [
      naming([second]),
      ...sends(2n * amount)([one], payment),
    ],
    says: [{ received: 2n * amount }, otherLink],
  },
  {
    name: 'one transfer that is enough for both, and names both',
    mint: classic,
    does: sends(2n * amount),
    says: [isPaid, isPaid],
  },
  {
    name: 'one transfer that is enough for one, and names both',
    mint: classic,
    does: sends(2n * amount - 1n),
    says: [isPaid, { flaw: true }],
  },
  {
    name: 'one transfer that is enough for one, and names both, the second one first',
    mint: token2022,
    does: (references, payment) => sends(amount)(references.toReversed(), payment).map((each) => atDepth(1, each)),
    says: [{ flaw: 'other_link' }, isPaid],
  },
  {
    name: 'a transfer each, by one program',
    mint: classic,
    does: (references, payment) => [
      throughProxy(references.map((each) => withReferences(paymentIn('unchecked', payment), [each]))),
    ],
    says: [isPaid, isPaid],
  },
];

describe('a payment link', () => {
  scene.test([
    ['is paid by', forms],
    ['is paid, with its reference where the payment is, by', named],
    ['is not paid, with its reference elsewhere, by', elsewhere],
    ['is not paid, and lists it, with', other],
    ['shares what arrives with another one, with', shared],
  ]);
});
