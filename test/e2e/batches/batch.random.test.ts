import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import {
  address,
  getAddressEncoder,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getTransactionDecoder,
  getTransactionEncoder,
} from '@solana/kit';
import { toAddress } from '../../../packages/core/src/addresses/address.ts';
import { findAssociatedTokenAddress } from '../../../packages/core/src/addresses/derived-addresses.ts';
import { tokenProgram } from '../../../packages/core/src/addresses/programs.ts';
import { freshWallet } from '../../../packages/core/test/fixtures.ts';
import { openKeyStore } from '../../../packages/server/src/serve/store/open-key-store.ts';
import { alice, bob, usdc } from '../../../packages/server/test/app/sample-bodies.ts';
import { sqliteFile } from '../../../packages/server/test/store/databases.ts';
import { Random } from '../../judge/random.ts';
import type { Json } from '../../setup/json.ts';
import { startTestSandbox } from '../../setup/sandbox.ts';
import { startTestService } from '../../setup/service.ts';
import { land, slotsUntilDead, tokensOf } from '../idempotency/keyed-client.ts';

const seed = Number(process.env.BATCH_SEED ?? Math.floor(Math.random() * 2 ** 32));
const batches = Number(process.env.BATCHES ?? 8);
const lifetimeSlots = 150;
const frozenCode = 'recipient_token_account_frozen';
/** What must have happened at least once. */
const wanted = [
  'whole',
  'landed before',
  'may still land',
  'built again',
  'refused',
  'already_landed',
  'previous_may_land',
  'landed',
  frozenCode,
];

/** Two services on one database and one ledger, whose time passes only by hand. */
async function start(t: TestContext, databaseUrl: string) {
  const sandbox = await startTestSandbox(t, { slotMs: 0 });
  const environment = { SOLANA_RPC_URLS: sandbox.rpcUrl, DATABASE_URL: databaseUrl };
  const store = await openKeyStore(databaseUrl);
  t.after(() => store.close());
  const { key } = await store.create({ name: 'payroll', expiresAt: null });
  const services = [await startTestService(t, environment), await startTestService(t, environment)];
  const post = async (service: number, body: object, idempotencyKey: string): Promise<Json> => {
    const headers = { authorization: `Bearer ${key}`, 'idempotency-key': idempotencyKey };
    return (await services[service]?.post('/v1/transfers/batch', body, headers))?.json();
  };
  return { sandbox, post };
}

/** What a wallet sends for a transaction that it was given: always the same, once it has decided. */
class Wallet {
  readonly #sent = new Map<string, string>();

  sends(transaction: string, replacedBlockhash: string | undefined): string {
    const sent = this.#sent.get(transaction) ?? replaceBlockhash(transaction, replacedBlockhash);
    this.#sent.set(transaction, sent);
    return sent;
  }
}

function replaceBlockhash(transaction: string, blockhash: string | undefined): string {
  if (blockhash === undefined) return transaction;
  const decoded = getTransactionDecoder().decode(Buffer.from(transaction, 'base64'));
  const message = getCompiledTransactionMessageDecoder().decode(decoded.messageBytes);
  const messageBytes = getCompiledTransactionMessageEncoder().encode({ ...message, lifetimeToken: blockhash });
  const changed = { ...decoded, messageBytes } as typeof decoded;
  return Buffer.from(getTransactionEncoder().encode(changed)).toString('base64');
}

function tokenAccountOf(owner: string): string {
  return findAssociatedTokenAddress({ owner: toAddress(owner), mint: toAddress(usdc), tokenProgram }).address;
}

/** Freezes the token account of a recipient, which is made where it is missing, or thaws it where there is one. */
function setFrozen(
  { ledger }: Awaited<ReturnType<typeof start>>['sandbox'],
  { owner, account }: { owner: string; account: string },
  isFrozen: boolean,
): void {
  const found = ledger.getAccount(address(account));
  const template = found ?? (isFrozen ? ledger.getAccount(address(tokenAccountOf(bob))) : undefined);
  if (!template) return;
  const data = Uint8Array.from(template.data);
  if (!found) {
    data.set(getAddressEncoder().encode(address(owner)), ownerOffset);
    data.fill(0, amountOffset, amountOffset + 8);
  }
  data[stateOffset] = isFrozen ? 2 : 1;
  ledger.setAccount({ ...template, address: address(account), data });
}

const [ownerOffset, amountOffset, stateOffset] = [32, 64, 108];

/** Lives through one batch under one key, from its first request until all of it has landed; returns what was seen. */
async function payOne({ sandbox, post }: Awaited<ReturnType<typeof start>>, number: number): Promise<Set<string>> {
  const random = new Random(`batch ${number} of seed ${seed}`);
  const recipients = Array.from({ length: random.integer(1, 25) }, freshWallet);
  const length = random.integer(1, 45);
  const transfers = Array.from({ length }, () => {
    // Few amounts and memos, so that some transactions pay the same.
    const transfer = { to_address: random.pick(recipients), amount: `${random.integer(1, 2)}` };
    return random.chance(0.2) ? { ...transfer, memo: 'pay '.repeat(random.integer(1, 100)) } : transfer;
  });
  const body = { from_address: alice, token_mint_address: usdc, transfers };
  const wallet = new Wallet();
  const seen = new Set<string>();
  const accounts = new Map(recipients.map((each) => [each, tokenAccountOf(each)]));
  const frozen = new Set<string>();
  let handedOut: { transaction: string; transfers: readonly number[]; at: bigint }[] = [];
  const height = (): bigint => sandbox.ledger.latestBlockhash('processed').lastValidBlockHeight - 150n;
  for (let step = 0; ; step++) {
    assert.ok(step < 300, 'it is not paid in 300 steps');
    const isPatient = step > 20;
    const what = isPatient
      ? (['ask', 'land', 'pass'] as const)[step % 3]
      : random.pick(['ask', 'ask', 'land', 'pass', 'race'] as const);
    const change = isPatient ? 'thaw' : random.pick(['freeze', 'thaw', 'none', 'none', 'none'] as const);
    if (change === 'thaw') frozen.clear();
    if (change === 'freeze') frozen.add(random.pick(recipients));
    for (const [owner, account] of accounts) setFrozen(sandbox, { owner, account }, frozen.has(owner));
    if (what === 'pass')
      sandbox.ledger.advanceSlots(isPatient ? slotsUntilDead : random.pick([1, 33, 151, 310, slotsUntilDead]));
    if (what === 'race')
      await Promise.all(
        [0, 1, 0].map((service) => post(service, { ...body, skip_refused: service === 1 }, `${number}`)),
      );
    if (what === 'ask') {
      const skips = random.chance(0.5);
      const reply = await post(random.integer(0, 1), { ...body, skip_refused: skips }, `${number}`);
      const { code, data = reply } = reply;
      const {
        transactions = [],
        landed_transactions: landed = [],
        pending_transactions: pending = [],
        refused = [],
      } = data;
      seen.add(code ?? (landed.length + pending.length + refused.length === 0 ? 'whole' : 'part'));
      const named = { 'landed before': landed, 'may still land': pending, refused };
      for (const [name, list] of Object.entries(named)) if (list.length > 0) seen.add(name);
      if (transactions.length > 0 && step > 0) seen.add('built again');
      const made = [...landed, ...pending, ...transactions].flatMap((each: Json) => each.transfers);
      const indices = [...made, ...refused.map(({ index }: Json) => index)];
      assert.equal(new Set(indices).size, indices.length, 'each transfer is named once');
      const known = new Map(handedOut.map(({ transaction, transfers }) => [transaction, transfers]));
      for (const { signature } of landed) assert.equal(sandbox.ledger.transactionRecord(signature)?.error, null);
      for (const { index } of refused) assert.ok(frozen.has(transfers[index]?.to_address ?? ''), 'it is frozen');
      const isFrozen = (index: number): boolean => frozen.has(transfers[index]?.to_address ?? '');
      const left = [...transfers.keys()].filter((index) => !indices.includes(index));
      if (code === frozenCode)
        assert.ok(left.some(isFrozen) && (!skips || left.every(isFrozen)), 'something is refused');
      else
        assert.deepEqual(
          left.filter(() => code !== 'previous_may_land'),
          [],
          'each transfer is named',
        );
      if (code === 'already_landed') break;
      assert.ok(code === undefined || code === 'previous_may_land' || code === frozenCode, code);
      // What is given out again is known already.
      const given = [...pending, ...transactions].filter(
        ({ transaction }: Json) => transaction && !known.has(transaction),
      );
      handedOut = [...handedOut, ...given.map((each: Json) => ({ ...each, at: height() }))];
    }
    if (what !== 'land') continue;
    for (const { transaction, at } of handedOut) {
      if (!random.chance(isPatient ? 0.8 : 0.3)) continue;
      // A wallet takes another blockhash only while the one that was built with is alive.
      const isAlive = height() <= at + BigInt(lifetimeSlots);
      const replaces = isAlive && random.chance(0.4);
      const { blockhash } = sandbox.ledger.latestBlockhash('processed');
      const result = await land(sandbox, wallet.sends(transaction, replaces ? blockhash : undefined));
      seen.add('error' in result && result.error === null ? 'landed' : 'not landed');
    }
    sandbox.ledger.advanceSlots(1);
  }
  for (const recipient of recipients) {
    const paid = transfers.filter(({ to_address }) => to_address === recipient);
    if (paid.length === 0) continue;
    const wanted = paid.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
    assert.equal(tokensOf(sandbox, tokenAccountOf(recipient)), wanted, recipient);
  }
  return seen;
}

it(`Random batches under a key pay everybody once, whatever lands and whenever a retry comes (BATCH_SEED=${seed})`, async (t) => {
  const services = await start(t, await sqliteFile.newUrl(t));
  const seen = new Set<string>();
  const isMissing = (each: string): boolean => !seen.has(each);
  // Every second batch has no rest: some more follow where all of the first ones have none.
  for (let number = 0; number < batches || wanted.some(isMissing); number++) {
    assert.ok(number < 10 * batches, `never: ${wanted.filter(isMissing).join()}`);
    for (const each of await payOne(services, number)) seen.add(each);
  }
});
