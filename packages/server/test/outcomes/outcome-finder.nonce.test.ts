import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { address } from '@solana/kit';
import { addressToBytes, toAddress } from '../../../core/src/addresses/address.ts';
import { systemProgram } from '../../../core/src/addresses/programs.ts';
import { decodeTransaction } from '../../../core/src/transaction/decode-transaction.ts';
import { encodeTransaction } from '../../../core/src/transaction/encode-transaction.ts';
import { type Instruction, role } from '../../../core/src/transaction/instruction.ts';
import { assertOutcome, verdictOn } from './find-outcome.ts';
import { LedgerNodeHistory } from './ledger-node-history.ts';
import { addressOf, type BuiltItem, memoOf, OutcomeScene } from './outcome-scene.ts';

const scene = await OutcomeScene.open();
const { ledger } = scene;
const { nonceAccount } = scene;

const untilFinal = 32;
const replacementBlocks = 151;

/** A transfer that lives by the nonce that the account has now. */
function build(text: string, amount = 1_000n): Promise<BuiltItem> {
  return scene.build({ nonceAccount, memo: memoOf(text), amount });
}

/** The instruction that advances the nonce, as it stands first in a transfer. */
async function advance(): Promise<Instruction> {
  const [first] = decodeTransaction((await build('any')).bytes).instructions;
  assert.ok(first);
  return first;
}

/** Sends a transaction of alice's that lives by a blockhash, with only these instructions. */
function sendOrdinary(instructions: readonly Instruction[], at = scene): string {
  const lifetimeToken = at.ledger.latestBlockhash().blockhash;
  const feePayer = addressOf('alice');
  at.ledger.advanceSlots(1);
  return at.land({
    bytes: encodeTransaction({ version: 'legacy', feePayer, instructions, lifetimeToken, config: undefined }),
  });
}

describe('a transaction with a durable nonce', () => {
  test('is pending for ever while the nonce is unused', async () => {
    const item = await build('unused');
    for (const slots of [0, 400, 4_000]) {
      ledger.advanceSlots(slots);
      assertOutcome(await verdictOn(scene, item), 'pending', 'nonce_unused');
      assertOutcome(await verdictOn(scene, scene.signed(item)), 'pending', 'nonce_unused');
    }
  });

  test('has landed when it used the nonce itself: signed, unsigned, and changed by a wallet', async () => {
    for (const change of ['none', 'guard'] as const) {
      const item = await build(`landed, ${change}`);
      const nonce = 'nonce' in item.intent.lifetime ? item.intent.lifetime.nonce : '';
      const signed = scene.signed(item);
      const signature =
        change === 'none'
          ? scene.send(signed.bytes)
          : scene.landChanged(item, { blockhash: nonce, prepended: [], feePayer: 'bob' });
      const verdict = assertOutcome(await verdictOn(scene, item), 'landed');
      assert.equal(verdict.signature, signature);
      assert.equal(verdict.matchedBy, change === 'none' ? 'message' : 'content');
      if (change === 'none')
        assert.equal(assertOutcome(await verdictOn(scene, signed), 'landed').matchedBy, 'signature');
      ledger.advanceSlots(1);
    }
  });

  test('has failed when it used the nonce and failed', async () => {
    const item = await build('failed', 900_000_000_000n);
    scene.land(await scene.build({ amount: 900_000_000_000n, to: addressOf('carol') }));
    const signature = scene.land(item);
    assert.equal(assertOutcome(await verdictOn(scene, scene.signed(item)), 'failed').signature, signature);
    assertOutcome(await verdictOn(scene, item), 'pending', 'failed_but_alive');
    ledger.advanceSlots(untilFinal + replacementBlocks + 1);
    assert.equal(assertOutcome(await verdictOn(scene, item), 'failed').signature, signature);
  });

  test('has failed when a wallet changed it, it used the nonce and failed', async () => {
    const item = await build('changed and failed', 60_000_000_000n);
    scene.land(await scene.build({ amount: 60_000_000_000n, to: addressOf('carol') }));
    const { lifetime } = item.intent;
    const nonce = 'nonce' in lifetime ? lifetime.nonce : assert.fail();
    const signature = scene.landChanged(item, { blockhash: nonce, prepended: [], feePayer: 'bob' });
    ledger.advanceSlots(untilFinal + replacementBlocks + 1);
    assert.equal(assertOutcome(await verdictOn(scene, item), 'failed').signature, signature);
  });

  test('is unknown when it used the nonce and failed after a wallet had paid without the nonce', async () => {
    const fresh = await OutcomeScene.open();
    const item = await fresh.build({ nonceAccount: fresh.nonceAccount, amount: 900_000_000_000n });
    const changed = (instructions: readonly Instruction[]) =>
      instructions.filter(({ program }) => program !== systemProgram);
    const paid = fresh.landChanged(item, { prepended: [], changed });
    fresh.land(item);
    fresh.ledger.advanceSlots(untilFinal + replacementBlocks + 1);
    assert.deepEqual(assertOutcome(await verdictOn(fresh, item), 'unknown', 'similar_payment').similar, [paid]);
  });

  test('that is signed has expired once another transaction that used the nonce is final', async () => {
    const item = scene.signed(await build('signed'));
    const user = scene.land(await build('another'));
    assertOutcome(await verdictOn(scene, item), 'pending', 'nonce_used_not_final');
    ledger.advanceSlots(untilFinal - 1);
    assertOutcome(await verdictOn(scene, item), 'pending', 'nonce_used_not_final');
    ledger.advanceSlots(1);
    const verdict = assertOutcome(await verdictOn(scene, item), 'expired');
    assert.equal(verdict.nonceUsedBy, user);
    assert.equal(verdict.lastValidBlockHeight, undefined);
  });

  test('that is signed is not the equal payment that used its nonce', async () => {
    const item = await build('equal');
    const { lifetime } = item.intent;
    const nonce = 'nonce' in lifetime ? lifetime.nonce : assert.fail();
    const user = scene.landChanged(item, { blockhash: nonce, prepended: [], feePayer: 'bob' });
    ledger.advanceSlots(untilFinal);
    assert.equal(assertOutcome(await verdictOn(scene, item), 'landed').signature, user);
    assert.equal(assertOutcome(await verdictOn(scene, scene.signed(item)), 'expired').nonceUsedBy, user);
  });

  test('that nobody signed has expired 151 blocks later: a wallet may have taken a blockhash instead', async () => {
    const item = await build('unsigned');
    const user = scene.land(await build('another one'));
    ledger.advanceSlots(untilFinal + replacementBlocks);
    assertOutcome(await verdictOn(scene, item), 'pending', 'nonce_used_not_final');
    ledger.advanceSlots(1);
    assert.equal(assertOutcome(await verdictOn(scene, item), 'expired').nonceUsedBy, user);
  });

  test('whose nonce a wallet replaced by a blockhash is similar, because nothing used the nonce', async () => {
    const item = await build('replaced');
    const signature = scene.landChanged(item, { prepended: [] });
    ledger.advanceSlots(400);
    const verdict = assertOutcome(await verdictOn(scene, item), 'unknown', 'history_pruned');
    assert.deepEqual(verdict.similar, [signature]);
  });

  test('as a wallet signed it with a blockhash lives as long as that', async () => {
    const item = await build('signed with a blockhash');
    const { blockhash } = ledger.latestBlockhash();
    ledger.advanceSlots(1);
    const decoded = decodeTransaction(item.bytes);
    const bytes = encodeTransaction({ ...decoded, feePayer: decoded.signers[0], lifetimeToken: blockhash });
    const signed = scene.signed({ ...item, bytes });
    assertOutcome(await verdictOn(scene, signed), 'pending', 'blockhash_alive');
    const signature = scene.send(signed.bytes);
    assert.equal(assertOutcome(await verdictOn(scene, signed), 'landed').signature, signature);
    ledger.advanceSlots(1);
  });

  test('has expired when its nonce was advanced by an ordinary transaction and the history is whole', async () => {
    const item = scene.signed(await build('advanced'));
    ledger.advanceSlots(1);
    sendOrdinary([await advance()]);
    assertOutcome(await verdictOn(scene, item), 'pending', 'nonce_used_not_final');
    ledger.advanceSlots(untilFinal);
    assert.equal(assertOutcome(await verdictOn(scene, item), 'expired').nonceUsedBy, undefined);
    // What nobody has signed has no status that would be there before a list is.
    const unsigned = { ...item.intent, signature: undefined, isSigned: false };
    assertOutcome(await verdictOn(scene, { ...item, intent: unsigned }), 'unknown', 'history_pruned');
    const behind = new LedgerNodeHistory(ledger);
    const read = behind.readStatuses.bind(behind);
    behind.readStatuses = async (signatures) => ({ ...(await read(signatures)), slot: ledger.slot() - 1n });
    assertOutcome(await verdictOn(scene, item, [behind]), 'unknown', 'history_pruned');
    const node = new LedgerNodeHistory(ledger, 'upstream_1', { firstSlot: ledger.slot() - 400n });
    assertOutcome(await verdictOn(scene, item, [node]), 'unknown', 'history_pruned');
  });

  test('is unknown when the oldest transaction that a node has kept only tried to create the account', async () => {
    const item = scene.signed(await build('forgotten'));
    scene.send(item.bytes);
    ledger.advanceSlots(1);
    sendOrdinary([initialization()]);
    assert.notEqual(ledger.transactionRecordsOf(nonceAccount)[0]?.error, null);
    const node = new LedgerNodeHistory(ledger, 'upstream_1', { firstSlot: ledger.slot() });
    ledger.advanceSlots(untilFinal);
    assertOutcome(await verdictOn(scene, item, [node]), 'unknown', 'history_pruned');
    assertOutcome(await verdictOn(scene, item), 'landed');
  });

  test('is unknown when the account was created again, and the node has forgotten what happened before', async () => {
    const fresh = await OutcomeScene.open();
    const { nonceAccount } = fresh;
    const item = fresh.signed(await fresh.build({ nonceAccount }));
    const signature = fresh.send(item.bytes);
    fresh.ledger.advanceSlots(1);
    const account = fresh.ledger.getAccount(address(nonceAccount));
    assert.ok(account);
    sendOrdinary([withdrawal(account.lamports)], fresh);
    const firstSlot = fresh.ledger.slot() + 1n;
    fresh.ledger.setAccount({ ...account, data: new Uint8Array(account.data.length) });
    sendOrdinary([initialization()], fresh);
    const oldest = fresh.ledger.transactionRecordsOf(nonceAccount).find(({ slot }) => slot >= firstSlot);
    assert.equal(oldest?.error, null);
    fresh.ledger.advanceSlots(untilFinal);
    const node = new LedgerNodeHistory(fresh.ledger, 'upstream_1', { firstSlot });
    assertOutcome(await verdictOn(fresh, item, [node]), 'unknown', 'history_pruned');
    assert.equal(assertOutcome(await verdictOn(fresh, item), 'landed').signature, signature);
  });

  test('is unknown when its nonce was used so often since that the transaction that used it is too far back', async () => {
    const item = scene.signed(await build('often'));
    for (let count = 0; count < 50; count++) {
      scene.land(await build(`use ${count}`));
      ledger.advanceSlots(1);
    }
    ledger.advanceSlots(untilFinal);
    assertOutcome(await verdictOn(scene, item), 'expired');
    scene.land(await build('one use more'));
    assertOutcome(await verdictOn(scene, item), 'unknown', 'too_many_transactions');
  });

  test('is unknown while a node lists a transaction of the account that it cannot show', async () => {
    const item = scene.signed(await build('hidden'));
    const user = scene.land(await build('hidden user'));
    ledger.advanceSlots(untilFinal);
    const node = new LedgerNodeHistory(ledger, 'upstream_1', { lost: new Set([user]) });
    assertOutcome(await verdictOn(scene, item, [node]), 'unknown', 'history_not_available');
  });

  test('has expired when the account was closed, which only a used nonce allows', async () => {
    const item = scene.signed(await build('closed'));
    const user = scene.land(await build('closed user'));
    ledger.advanceSlots(1);
    const lamports = ledger.getAccount(address(nonceAccount))?.lamports ?? 0n;
    sendOrdinary([withdrawal(lamports)]);
    assert.equal(ledger.getAccount(address(nonceAccount)), undefined);
    ledger.advanceSlots(untilFinal);
    assert.equal(assertOutcome(await verdictOn(scene, item), 'expired').nonceUsedBy, user);
  });
});

const recentBlockhashes = role.readonly(toAddress('SysvarRecentB1ockHashes11111111111111111111'));
const rent = role.readonly(toAddress('SysvarRent111111111111111111111111111111111'));

/** System `InitializeNonceAccount` of the nonce account, with alice as its authority. */
function initialization(): Instruction {
  const data = Uint8Array.of(6, 0, 0, 0, ...addressToBytes(addressOf('alice')));
  return { program: systemProgram, accounts: [role.writable(nonceAccount), recentBlockhashes, rent], data };
}

/** System `WithdrawNonceAccount`: nonce account, recipient, two sysvars, authority. */
function withdrawal(lamports: bigint): Instruction {
  const data = new Uint8Array(12);
  data[0] = 5;
  new DataView(data.buffer).setBigUint64(4, lamports, true);
  return {
    program: systemProgram,
    accounts: [
      role.writable(nonceAccount),
      role.writableSigner(addressOf('alice')),
      recentBlockhashes,
      rent,
      role.writableSigner(addressOf('alice')),
    ],
    data,
  };
}
