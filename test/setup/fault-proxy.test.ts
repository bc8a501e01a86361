import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { type Sandbox, startSandbox } from '../../packages/sandbox/src/index.ts';
import { type Fault, type FaultProxy, healthy, startFaultProxy } from './fault-proxy.ts';
import {
  delay,
  drip,
  dropConnection,
  freeze,
  htmlPage,
  httpError,
  hugeBody,
  lag,
  nodeError,
  onlyFor,
  otherGenesisHash,
  otherLedger,
  resetMidBody,
  tooManyRequests,
} from './faults.ts';
import { garbage } from './garbage.ts';
import { type LedgerMemory, rememberLedger } from './ledger-memory.ts';
import { named } from './wallets.ts';
import { createWorldTokenAccount } from './world-token-account.ts';

let sandbox: Sandbox;
let memory: LedgerMemory;
let proxy: FaultProxy;
const finishes: (() => Promise<void>)[] = [];

before(async () => {
  sandbox = await startSandbox({ rpcPort: 0, slotMs: 0 });
  finishes.push(() => sandbox.close());
  memory = rememberLedger(sandbox.ledger);
  proxy = await startFaultProxy({ after: (finish) => finishes.push(finish) }, { ledger: sandbox.ledger, name: 'one' });
});
after(async () => {
  for (const finish of finishes.reverse()) await finish();
});

interface Reply {
  status: number | undefined;
  headers: NodeJS.Dict<string | string[]>;
  text: string;
}

/** Posts a body on a connection of its own. Rejects when the answer breaks off, or does not end within the limit. */
function post(body: unknown, limitMs = 5000): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(limitMs);
    const request = httpRequest(proxy.url, { method: 'POST', agent: false, signal }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(JSON.stringify(body));
  });
}

const call = (method: string, params: readonly unknown[] = []) => ({ jsonrpc: '2.0', id: 1, method, params });

/** The parsed answer of a node that fails so. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads replies of every shape, and fails where it misreads one
async function answerUnder(fault: Fault, body: unknown): Promise<any> {
  proxy.fault = fault;
  return JSON.parse((await post(body)).text);
}

const readClock = call('getMultipleAccounts', [
  ['SysvarC1ock11111111111111111111111111111111'],
  { encoding: 'base64' },
]);

/** The slot that the clock sysvar of an answer says. */
function clockSlot({ value }: { value: readonly { data: readonly string[] }[] }): bigint {
  return Buffer.from(value[0]?.data[0] ?? '', 'base64').readBigUInt64LE();
}

const confirmed = { commitment: 'confirmed', encoding: 'base64' };

describe('the fault proxy', () => {
  it('answers as the sandbox does, one call and a batch of them', async () => {
    const expected = await fetch(sandbox.rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(call('getLatestBlockhash')),
    });
    assert.deepEqual(await answerUnder(healthy, call('getLatestBlockhash')), await expected.json());
    const batch = await answerUnder(healthy, [call('getHealth'), { ...call('getSlot'), id: 2 }]);
    assert.deepEqual(
      batch.map(({ id }: { id: number }) => id),
      [1, 2],
    );
  });

  it('tells the present, though it remembers what it answered within a slot', async () => {
    const bob = named(sandbox.world.wallets, 'bob').address;
    const before = await answerUnder(healthy, call('getBalance', [bob, confirmed]));
    sandbox.ledger.airdrop(bob, 1000n);
    const later = await answerUnder(healthy, call('getBalance', [bob, confirmed]));
    assert.equal(later.result.value - before.result.value, 1000);
  });

  it('counts requests by time, calls by method, and connections', async () => {
    proxy.fault = healthy;
    const from = performance.now();
    const callsBefore = proxy.callsByMethod.get('getHealth') ?? 0;
    await Promise.all([post(call('getHealth')), post([call('getHealth'), call('getHealth')])]);
    const to = performance.now();
    await post(call('getHealth'));
    assert.equal(proxy.requestsBetween(from, to), 2);
    assert.equal((proxy.callsByMethod.get('getHealth') ?? 0) - callsBefore, 4);
    assert.ok(proxy.peakConnections >= 2);
  });

  it('can be killed and revived on the same port', async () => {
    const arrived = Promise.withResolvers<void>();
    proxy.fault = () => arrived.resolve();
    const broken = assert.rejects(post(call('getHealth')), { code: 'ECONNRESET' });
    await arrived.promise;
    await proxy.kill();
    await broken;
    await assert.rejects(post(call('getHealth')), { code: 'ECONNREFUSED' });
    await proxy.revive();
    assert.equal((await answerUnder(healthy, call('getHealth'))).result, 'ok');
  });

  it('delays, drops, resets, freezes and drips', async () => {
    const startedAt = performance.now();
    assert.equal((await answerUnder(delay(100), call('getHealth'))).result, 'ok');
    assert.ok(performance.now() - startedAt >= 99);
    for (const fault of [dropConnection, resetMidBody]) {
      proxy.fault = fault;
      await assert.rejects(post(call('getHealth')), { code: 'ECONNRESET' });
    }
    for (const fault of [freeze, drip]) {
      proxy.fault = fault;
      await assert.rejects(post(call('getHealth'), 200), { name: 'AbortError' });
    }
  });

  it('refuses in HTTP and in JSON-RPC, and quotes its URL like a careless gateway', async () => {
    const faults: readonly [Fault, number][] = [
      [tooManyRequests('7'), 429],
      [httpError(500), 500],
      [htmlPage(502), 502],
      [nodeError(-32_005, 'behind'), 200],
    ];
    for (const [fault, status] of faults) {
      proxy.fault = fault;
      const reply = await post(call('getHealth'));
      assert.equal(reply.status, status);
      assert.equal(reply.headers['retry-after'], status === 429 ? '7' : undefined);
      assert.ok(reply.text.includes(proxy.url));
    }
  });

  it('sends 100 MB on request', async () => {
    for (const tellsLength of [true, false]) {
      proxy.fault = hugeBody({ tellsLength });
      const { headers, text } = await post(call('getHealth'), 20_000);
      assert.deepEqual([text.length, headers['content-length']], [104_857_600, tellsLength ? '104857600' : undefined]);
    }
  });

  it('can fail in one method alone', async () => {
    const fault = onlyFor('getSlot', httpError(500));
    assert.equal((await answerUnder(fault, call('getHealth'))).result, 'ok');
    assert.equal((await post(call('getSlot'))).status, 500);
  });

  it('lags: with the slot, the blockhash and the accounts of then, whatever slot it claims to have reached', async () => {
    const { ledger, world } = sandbox;
    const mint = named(world.mints, 'USDC').address;
    const dave = named(world.wallets, 'dave').address;
    const slot = ledger.slot();
    const { blockhash } = ledger.latestBlockhash();
    ledger.advanceSlots(5);
    ledger.airdrop(dave, 1_000_000_000n);
    const account = await createWorldTokenAccount(sandbox, 'dave', 'USDC');
    const behind = lag({ memory, slot: () => ledger.slot() - 5n, isHonest: false });
    const wanted = { ...confirmed, minContextSlot: Number(ledger.slot()) };

    const accounts = await answerUnder(behind, call('getMultipleAccounts', [[dave, account, mint], wanted]));
    assert.equal(accounts.result.context.slot, Number(slot));
    assert.deepEqual(
      accounts.result.value.map((value: unknown) => value !== null),
      [false, false, true],
    );
    assert.equal(clockSlot((await answerUnder(behind, readClock)).result), slot);
    const latest = await answerUnder(behind, call('getLatestBlockhash', [wanted]));
    assert.equal(latest.result.value.blockhash, blockhash);
    assert.equal(memory.slotOf(blockhash), slot);
    assert.equal((await answerUnder(behind, call('getHealth'))).result, 'ok');

    const honest = lag({ memory, slot: () => slot, isHonest: true });
    assert.equal((await answerUnder(honest, call('getMultipleAccounts', [[dave], wanted]))).error.code, -32_016);
    const present = await answerUnder(healthy, call('getMultipleAccounts', [[dave, account], wanted]));
    assert.ok(present.result.value.every((value: unknown) => value !== null));
  });

  it('can be a node of another cluster', async () => {
    const { ledger, world } = sandbox;
    const alice = named(world.wallets, 'alice').address;
    const foreign = otherLedger(ledger);
    assert.equal((await answerUnder(foreign, call('getGenesisHash'))).result, otherGenesisHash);
    const read = call('getMultipleAccounts', [[alice, 'SysvarRent111111111111111111111111111111111'], confirmed]);
    const { context, value } = (await answerUnder(foreign, read)).result;
    assert.equal(clockSlot((await answerUnder(foreign, readClock)).result), BigInt(context.slot));
    assert.ok(context.slot > ledger.slot());
    assert.deepEqual([value[0], value[1] !== null], [null, true]);
  });
});

describe('every kind of garbage', () => {
  const blockhashKinds = /blockhash|last valid/;
  for (const [kind, fault] of Object.entries(garbage)) {
    it(`is not the healthy answer: ${kind}`, async () => {
      const mint = named(sandbox.world.mints, 'USDC').address;
      const body = blockhashKinds.test(kind)
        ? call('getLatestBlockhash', [confirmed])
        : call('getMultipleAccounts', [[mint], confirmed]);
      proxy.fault = healthy;
      const expected = await post(body);
      proxy.fault = fault;
      const limit = kind === 'slow drip' ? 200 : 20_000;
      const reply = await post(body, limit).catch(() => undefined);
      assert.notDeepEqual([reply?.status, reply?.text], [expected.status, expected.text]);
      assert.equal(reply === undefined, kind === 'slow drip' || kind === 'reset in mid-body');
    });
  }
});
