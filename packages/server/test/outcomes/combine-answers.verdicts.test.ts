import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toAddress } from 'splwright-core';
import { failedVerdict, landedVerdict } from '../../src/outcomes/combine-answers.ts';
import { alice, bob } from '../app/sample-bodies.ts';
import { holdsMore, intent, matchOf } from './sample-match.ts';

const item = { intent, lastValidBlockHeight: 150n };
const [payment] = intent.payments;
assert.ok(payment);
const { destination, amount } = payment;

const error = { InstructionError: [0, { Custom: 1 }] };

describe('what is said of a transaction on the chain', () => {
  it('is where it is, what it cost, how it was known, and what its signers signed', () => {
    const { outcome, payments: _, ambiguous, ...seen } = landedVerdict(item, matchOf('sig'), ['sig', 'twin']);
    assert.deepEqual([outcome, ambiguous], ['landed', ['sig', 'twin']]);
    assert.deepEqual(seen, {
      signature: 'sig',
      slot: 100n,
      blockTime: 1_700_000_000n,
      commitment: 'finalized',
      fee: 5_000n,
      matchedBy: 'content',
      message: intent.message,
    });
  });

  it('is the message as a wallet changed it, or the one asked for where that cannot be read', () => {
    const changed = Uint8Array.from(matchOf('sig').landed.bytes);
    // The last byte of the blockhash.
    const at = Buffer.from(changed).indexOf(intent.message) + 3 + 32;
    changed[at] = (changed[at] ?? 0) ^ 1;
    const verdict = landedVerdict(item, matchOf('sig', { bytes: changed }), undefined);
    assert.deepEqual(verdict.message, changed.subarray(changed.length - intent.message.length));
    assert.notDeepEqual(verdict.message, intent.message);
    const unreadable = matchOf('sig', { bytes: Uint8Array.of(1, 2, 3), content: undefined });
    assert.deepEqual(landedVerdict(item, unreadable, undefined).message, intent.message);
  });

  it('is known by its signature or its message, and otherwise by what it pays', () => {
    for (const [by, matchedBy] of [
      ['signature', 'signature'],
      ['message', 'message'],
      ['content', 'content'],
      ['similar', 'content'],
    ] as const) {
      assert.equal(landedVerdict(item, matchOf('sig', { by }), undefined).matchedBy, matchedBy);
    }
  });

  it('is what each payment brought to whom, as far as the node says it', () => {
    const known = { balances: new Map([[destination, holdsMore(amount - 3n, toAddress(bob))]]) };
    const { payments } = landedVerdict(item, matchOf('sig', known), undefined);
    assert.deepEqual(payments, [{ tokenAccount: destination, wallet: bob, amount, received: amount - 3n }]);
    assert.deepEqual(landedVerdict(item, matchOf('sig'), undefined).payments, [
      { tokenAccount: destination, wallet: undefined, amount, received: undefined },
    ]);
  });

  it('is that all of a payment arrived where an account pays itself', () => {
    const toItself = { ...intent, payments: [{ ...payment, destination: intent.source }] };
    const known = { balances: new Map([[intent.source, holdsMore(0n)]]) };
    const { payments } = landedVerdict({ ...item, intent: toItself }, matchOf('sig', known), undefined);
    assert.deepEqual(
      payments.map(({ received }) => received),
      [amount],
    );
  });

  it('is why it failed, with its instructions where all of their accounts are known', () => {
    const verdict = failedVerdict(item, matchOf('sig', { error }));
    assert.deepEqual([verdict.outcome, verdict.error, verdict.signature], ['failed', error, 'sig']);
    assert.ok(verdict.instructions.some(({ kind }) => kind === 'transfer_checked'));
    for (const loadedAddresses of [
      { writable: [intent.source], readonly: [] },
      { writable: [], readonly: [intent.mint] },
      { writable: [intent.source], readonly: [intent.mint] },
    ]) {
      const usingTables = failedVerdict(item, matchOf('sig', { error, loadedAddresses }));
      assert.deepEqual([usingTables.instructions, usingTables.slot], [[], 100n]);
    }
  });
});

describe('what several payments to several accounts received', () => {
  it('is counted for each account by itself', () => {
    const toAlice = { ...payment, destination: intent.authority, amount: 4n };
    const several = { ...intent, payments: [payment, toAlice, { ...payment, amount: amount * 3n }] };
    const known = {
      balances: new Map([
        [destination, holdsMore(amount * 2n)],
        [intent.authority, holdsMore(3n, toAddress(alice))],
      ]),
    };
    const { payments } = landedVerdict({ ...item, intent: several }, matchOf('sig', known), undefined);
    assert.deepEqual(
      payments.map(({ received, wallet }) => [received, wallet]),
      [
        [amount / 2n, undefined],
        [3n, alice],
        [(amount * 3n) / 2n, undefined],
      ],
    );
  });

  it('is not known where the node kept no balances', () => {
    const amounts = [5n, 7n, 11n, 13n];
    const several = { ...intent, payments: amounts.map((each) => ({ ...payment, amount: each })) };
    const { payments } = landedVerdict({ ...item, intent: several }, matchOf('sig'), undefined);
    assert.deepEqual(
      payments.map(({ received }) => received),
      amounts.map(() => undefined),
    );
  });

  it('is nothing where nothing was sent', () => {
    const none = { ...intent, payments: [{ ...payment, amount: 0n }] };
    const known = { balances: new Map([[destination, holdsMore(0n)]]) };
    const { payments } = landedVerdict({ ...item, intent: none }, matchOf('sig', known), undefined);
    assert.deepEqual(
      payments.map(({ received }) => received),
      [0n],
    );
  });
});
