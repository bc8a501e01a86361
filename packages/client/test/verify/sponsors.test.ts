import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { ed25519 } from '@noble/curves/ed25519.js';
import { allRules, openCourt } from '../../../../test/judge/court.ts';
import { plainTransfer, plainWorld } from '../../../../test/judge/world.ts';
import { addressFromBytes, toAddress } from '../../../core/src/addresses/address.ts';
import { findAssociatedTokenAddress } from '../../../core/src/addresses/derived-addresses.ts';
import { planInstructions } from '../../../core/src/plan/plan-message.ts';
import { legacyTransaction, planWith, recipientOf } from '../../../core/test/fixtures.ts';
import { SplwrightClient } from '../../src/index.ts';
import {
  type LinkTerms,
  type VerificationError,
  verifyBatch,
  verifyLink,
  verifyTransfer,
} from '../../src/verify/index.ts';
import { dataOf, thief, thiefsAccount, transferOf } from './mutations.ts';
import { type InstructionParts, type Parts, putTogether, takeApart } from './parts.ts';
import { thefts } from './thefts.ts';
import { answerWorld, replyWith } from './worlds.ts';

const [rules] = allRules;
if (!rules) throw new Error('there are no rules');
const answered = await answerWorld(openCourt(rules), {
  ...plainWorld,
  ...{ operation: 'transfer', transfer: plainTransfer, seed: 5, number: 5 },
  options: { feePayer: { wallet: 'wallet', lamports: 'plenty' }, references: [0] },
});
if (!answered) throw new Error('the world is refused');
const { bytes: plain, situation, request: asked, lifetimeToken } = answered;
const payee = toAddress('7Py7JWKDDJfk9u78BBRYCdNXbdS5sMpZfp1GMveQriFu');
const request = { ...asked, fee_payer: 'sponsor', max_sponsor_fee: '500' };
const { from_address: account, to_address, token_mint_address, amount, references } = Object(asked);
/** What a payer of the same payment has agreed to. */
const terms = { account, to_address, token_mint_address, amount, reference: references[0] };
const { mint } = transferOf(takeApart(plain));

/** A payment of the sender before all others. */
function payment(parts: Parts, amount: bigint, owner = payee): InstructionParts {
  const { instruction } = transferOf(parts);
  const { program, accounts, data } = instruction;
  const to = findAssociatedTokenAddress({ owner, tokenProgram: program, mint }).address;
  const own = accounts.slice(0, 4).map((meta, index) => (index === 2 ? { ...meta, address: to } : { ...meta }));
  return { program, accounts: own, data: dataOf(12, amount, data[9] ?? 0) };
}

/** The transaction with a fee in it, changed and then signed. */
function signed(change: (parts: Parts) => void = () => undefined, fee = 500n): Uint8Array {
  const parts = takeApart(plain);
  parts.instructions.unshift(payment(parts, fee));
  change(parts);
  const bytes = putTogether(parts);
  bytes.set(situation.signers[0]?.sign(bytes.subarray(1 + 64 * (bytes[0] ?? 0))) ?? [], 1);
  return bytes;
}

const claimed = (recipient: string = payee, amount = '500', token: string = mint) => ({
  token_mint_address: token,
  recipient,
  recipient_token_account: recipient,
  amount: { base_units: amount, decimal: '0' },
});

function replied(bytes: Uint8Array, fee: object | undefined): Reply {
  const reply = Object(replyWith(answered ?? assert.fail(), bytes));
  return { ...reply, data: { ...reply.data, summary: { ...reply.data.summary, sponsor_fee: fee } } };
}

interface Reply {
  data: { transaction: string; summary: { sponsor_fee: object | undefined } };
}

interface Verification {
  verifyTransferReply(request: object, reply: { body: Reply; headers: Headers }, path: string): Promise<Verdict>;
  verifyPayment(terms: LinkTerms, reply: object, known: { decimals: number; headers: Headers }): Promise<Verdict>;
}

interface Verdict {
  difference?: VerificationError;
}

const pages: Verification = await import(
  new URL('../../../server/src/pages/browser/verification.ts', import.meta.url).href
);
const headers = new Headers({ 'solana-blockhash': lifetimeToken });

function throwDifference({ difference }: Verdict): void {
  if (difference) throw difference;
}

/** Those who verify a reply before a wallet is asked to sign it. Each rejects with what differs from the request. */
const takers: Readonly<Record<string, (request: object, reply: Reply) => Promise<unknown>>> = {
  'the client': (sent, reply) => {
    const fetch = async () => new Response(JSON.stringify(reply), { headers });
    return new SplwrightClient({ url: 'https://service.example', apiKey: 'swk_test', fetch }).buildTransfer(
      Object(sent),
    );
  },
  'the console': async (sent, reply) =>
    throwDifference(await pages.verifyTransferReply(sent, { body: reply, headers }, '/v1/transfers')),
  'the checkout': async (sent, { data: { transaction, summary } }) => {
    const { fee_payer, max_sponsor_fee } = Object(sent);
    const paying = { transaction, sponsor_fee: summary.sponsor_fee };
    const { decimals } = situation;
    throwDifference(await pages.verifyPayment({ ...terms, fee_payer, max_sponsor_fee }, paying, { decimals, headers }));
  },
};

/** What a sponsor signs in place of what it was asked to sign, where the service passes it on. */
const signedInstead = [
  ...[
    'takes ten times the amount',
    "pays the thief's token account",
    'pays the thief before',
    'pays the thief afterwards',
  ],
  ...['makes the thief a delegate', 'gives the token account away', 'closes the token account', 'burns tokens'],
  ...['sends SOL of the sender', 'calls a program of the thief', 'has a token account of the thief paid for'],
  ...['advances a nonce of the thief, so that it can be kept', 'sets another price'],
];

/** What a service that was broken into answers to take more, and the code of the refusal. */
const lies: readonly [name: string, code: string, reply: Reply, request?: object][] = [
  ['a fee above the bound', 'sponsor_fee_not_allowed', replied(signed(undefined, 501n), claimed(payee, '501'))],
  [
    'a fee where none is allowed',
    'sponsor_fee_not_allowed',
    replied(signed(), claimed()),
    { max_sponsor_fee: undefined },
  ],
  ['a fee in another token', 'sponsor_fee_not_allowed', replied(signed(), claimed(payee, '500', thief))],
  ['more than it claims', 'wrong_amount', replied(signed(undefined, 900n), claimed(payee, '500'))],
  ['another recipient of the fee than it claims', 'wrong_account', replied(signed(), claimed(thief))],
  ['a fee that it does not claim', 'wrong_amount', replied(signed(), undefined)],
  [
    'two fees',
    'wrong_amount',
    replied(
      signed((parts) => parts.instructions.unshift(payment(parts, 500n))),
      claimed(),
    ),
  ],
  [
    'the payment to the thief',
    'wrong_account',
    replied(
      signed((parts) => {
        const { instruction } = transferOf(parts);
        const [source, ofMint, , authority] = instruction.accounts;
        const to = { address: thiefsAccount(transferOf(parts)), signer: false, writable: true };
        instruction.accounts = [source, ofMint, to, authority].filter((meta) => meta !== undefined);
      }),
      claimed(),
    ),
  ],
  ['no signature of the sponsor', 'wrong_signature', replied(signed().fill(0, 1, 65), claimed())],
  ['a signature of other bytes', 'wrong_signature', replied(withSlot(signed(), signed(undefined, 499n)), claimed())],
  [
    'the sender as its own sponsor',
    'wrong_signers',
    replied(
      signed((parts) => {
        parts.feePayer = toAddress(situation.sender);
      }),
      claimed(),
    ),
  ],
];

function withSlot(bytes: Uint8Array, other: Uint8Array): Uint8Array {
  bytes.set(other.subarray(1, 65), 1);
  return bytes;
}

describe('a sponsored transfer', () => {
  it('is verified with the signature of its sponsor, and with a fee within the bound, which are named', async () => {
    const {
      sponsorFee,
      signed: signers,
      sentence,
      payments,
    } = await verifyTransfer(request, replied(signed(), claimed()));
    assert.deepEqual(sponsorFee, { recipient: payee, mint, amount: 500n });
    assert.deepEqual([signers, payments.length], [[situation.feePayer], 1]);
    assert.match(
      sentence,
      new RegExp(`500 base units of the mint ${mint} to ${payee} are the sponsor's fee; ${situation.feePayer} pays`),
    );
  });

  it('pays a link within the bound of its terms, which is 0 where they name none', async () => {
    const sponsored = { ...terms, fee_payer: 'sponsor' };
    const reply = { transaction: Buffer.from(signed()).toString('base64'), sponsor_fee: claimed() };
    const { sponsorFee, signed: signers } = await verifyLink({ ...sponsored, max_sponsor_fee: '500' }, reply);
    assert.deepEqual([sponsorFee?.amount, signers], [500n, [situation.feePayer]]);
    for (const [code, asks, answer] of [
      ['sponsor_fee_not_allowed', sponsored, reply],
      ['sponsor_fee_not_allowed', { ...sponsored, max_sponsor_fee: '499' }, reply],
      ['wrong_account', { ...sponsored, max_sponsor_fee: '500' }, { ...reply, sponsor_fee: claimed(thief) }],
      ['wrong_signers', { ...sponsored, fee_payer: account }, reply],
    ] as const) {
      await assert.rejects(verifyLink(asks, answer), { code });
    }
  });

  for (const [taker, take] of Object.entries(takers)) {
    it(`is taken by ${taker} as it was asked for`, async () => {
      await take(request, replied(signed(), claimed()));
    });

    it(`is not signed by ${taker} where the service lies`, async () => {
      assert.ok(lies.length > 10);
      for (const [name, code, reply, change] of lies) {
        await assert.rejects(take({ ...request, ...change }, reply), { name: 'VerificationError', code }, name);
      }
    });

    it(`is not signed by ${taker} where the sponsor has signed what it was not asked for`, async () => {
      for (const name of signedInstead) {
        const bytes = signed(thefts[name] ?? assert.fail(name));
        await assert.rejects(take(request, replied(bytes, claimed())), { name: 'VerificationError' }, name);
      }
    });
  }

  it('has the sponsor that the caller names, if it names one', async () => {
    const reply = replied(signed(), claimed());
    await verifyTransfer(request, reply, { sponsor: situation.feePayer });
    await assert.rejects(verifyTransfer(request, reply, { sponsor: thief }), { code: 'wrong_signers' });
  });
});

describe('a sponsored batch', () => {
  // One of the many signatures that are valid for a message: the nonce of Ed25519 is for its signer to choose.
  const secret = ed25519.utils.randomSecretKey();
  const { scalar, pointBytes: key } = ed25519.utils.getExtendedPublicKey(secret);
  const signWith = (nonce: bigint, message: Uint8Array): Uint8Array => {
    const point = ed25519.Point.BASE.multiply(nonce).toBytes();
    const digest = createHash('sha512').update(point).update(key).update(message).digest().reverse();
    const { Fn } = ed25519.Point;
    return Uint8Array.of(...point, ...Fn.toBytes(Fn.create(nonce + BigInt(`0x${digest.toString('hex')}`) * scalar)));
  };

  it('is not the same message twice, which lands once whatever its signatures are', async () => {
    const plan = planWith({ feePayer: addressFromBytes(key) });
    const { feePayer: payer, sender } = plan;
    const unsigned = legacyTransaction(payer, planInstructions(plan), lifetimeToken);
    const batch = { from_address: sender, token_mint_address: plan.mint, fee_payer: 'sponsor' };
    const transfers = [plan, plan].map((each) => {
      const { recipient, amount: units } = recipientOf(each);
      return { to_address: recipient, amount: `${units}` };
    });
    const transactions = [3n, 5n].map((nonce, transfer) => {
      const bytes = Buffer.from(unsigned);
      bytes.set(signWith(nonce, unsigned.subarray(129)), 1);
      return { transaction: bytes.toString('base64'), transfers: [transfer], signers: [payer, sender] };
    });
    const lifetime = { blockhash: lifetimeToken, last_valid_block_height: '1000' };
    const replyOf = (count: number) => ({ data: { lifetime, transactions: transactions.slice(0, count) } });
    await verifyBatch({ ...batch, transfers: transfers.slice(1) }, replyOf(1));
    const expected = { code: 'wrong_transfers', part: 'transactions that can all land' };
    const twice = verifyBatch({ ...batch, transfers }, replyOf(2), { allowMoreTransactions: true });
    await assert.rejects(twice, expected);
  });
});
