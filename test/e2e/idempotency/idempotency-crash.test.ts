import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { alice, bob, usdc } from '../../../packages/server/test/app/sample-bodies.ts';
import { newKeyStore } from '../../../packages/server/test/store/databases.ts';
import { startTestSandbox } from '../../setup/sandbox.ts';
import { startServer } from '../program/cli-process.ts';
import { land, slotsUntilDead, tokensOf } from './keyed-client.ts';

const paymentCount = 40;
/** When this one is built for the first time, it dies before it is landed, and with it all that is under way. */
const unluckyPayment = 20;
const clientCount = 8;
const amount = 3n;
const minKills = 3;
/** Short, because a killed process keeps others out for as long and two seconds more. */
const requestDeadlineMs = '1500';
/** How many requests a server gets before it is killed, while it handles the last ones. */
const [minRequests, maxRequests] = [20, 60];
const maxLastMs = 10;
const repliesPerSlot = 5;
/** A client may come too early: it is told so again. */
const maxWaitSeconds = 1;

/** One server after the other, each of which is killed at a random moment under load. */
class MortalServer {
  kills = 0;
  readonly #start: () => ReturnType<typeof startServer>;
  #isEnding = false;
  #next = Promise.withResolvers<string>();
  #death = Promise.withResolvers<void>();
  #requestsLeft = 0;
  readonly #living: Promise<void>;

  constructor(start: () => ReturnType<typeof startServer>) {
    this.#start = start;
    this.#living = this.#live();
  }

  /** The URL of the server that lives, or of the next one. */
  get url(): Promise<string> {
    return this.#next.promise;
  }

  /** Notes that a request is sent to it: after the last one it lives for some milliseconds. */
  countRequest(): void {
    this.#requestsLeft -= 1;
    if (this.#requestsLeft === 0) setTimeout(this.#death.resolve, Math.random() * maxLastMs);
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    // One that is just dying has no successor.
    await Promise.race([this.url, this.#living]);
    this.#death.resolve();
    await this.#living;
  }

  async #live(): Promise<void> {
    while (!this.#isEnding) {
      const { server, url } = await this.#start();
      this.#requestsLeft = minRequests + Math.floor(Math.random() * (maxRequests - minRequests));
      this.#death = Promise.withResolvers();
      this.#next.resolve(url);
      await this.#death.promise;
      this.#next = Promise.withResolvers();
      server.kill('SIGKILL');
      this.kills += 1;
      await server.exited;
    }
  }
}

test('40 payments are each made once though both servers are killed again and again', async (t) => {
  const sandbox = await startTestSandbox(t, { slotMs: 0 });
  const { databaseUrl, store } = await newKeyStore(t);
  const { key: apiKey } = await store.create({ name: 'payroll', expiresAt: null });
  const environment = {
    SOLANA_RPC_URLS: sandbox.rpcUrl,
    DATABASE_URL: databaseUrl,
    REQUEST_DEADLINE_MS: requestDeadlineMs,
  };
  const servers = [1, 2].map(() => new MortalServer(() => startServer(t, environment)));
  const answers = new Map<string, number>();
  const count = (what: string): void => void answers.set(what, (answers.get(what) ?? 0) + 1);
  let replies = 0;
  const builtForUnlucky = new Set<string>();
  let accounts: { sender: string; recipient: string; before: readonly [bigint, bigint] } | undefined;

  const ask = async (number: number): Promise<Response | undefined> => {
    // One that lives, as behind a load balancer.
    const [server, url] = await Promise.race(inAnyOrder(servers).map(async (each) => [each, await each.url] as const));
    server.countRequest();
    try {
      const response = await fetch(`${url}/v1/transfers`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${apiKey}`,
          'content-type': 'application/json',
          'idempotency-key': `payment-${number}`,
        },
        body: JSON.stringify({
          from_address: alice,
          to_address: bob,
          token_mint_address: usdc,
          amount: String(amount),
          memo: `payment ${number}`,
        }),
      });
      // Whole or not at all.
      return new Response(await response.arrayBuffer(), response);
    } catch {
      return undefined;
    }
  };

  /** Asks until it is told that the payment landed; now and then it lands all that it has ever got, since one at most can land. */
  const pay = async (number: number): Promise<void> => {
    const received = new Set<string>();
    for (;;) {
      const response = await ask(number);
      if (response === undefined) {
        count('no reply');
        continue;
      }
      const { code, data } = Object(await response.json());
      if (response.status === 200) {
        const isReplay = response.headers.has('idempotency-replayed');
        count(isReplay ? 'replayed' : 'built');
        const { sender_token_account: sender, recipient_token_account: recipient } = data.summary;
        accounts ??= { sender, recipient, before: [tokensOf(sandbox, sender), tokensOf(sandbox, recipient)] };
        if (number === unluckyPayment) {
          builtForUnlucky.add(data.transaction);
          if (builtForUnlucky.size === 1) {
            sandbox.ledger.advanceSlots(slotsUntilDead);
            continue;
          }
        }
        received.add(data.transaction);
        // New blockhashes, and fewer slots in all than a transaction lives.
        if (++replies % repliesPerSlot === 0) sandbox.ledger.advanceSlots(1);
        if (isReplay || Math.random() < 0.3) for (const each of received) await land(sandbox, each);
        continue;
      }
      count(code);
      if (code === 'already_landed') break;
      const seconds = Number(response.headers.get('retry-after'));
      assert.ok(response.status >= 500 || response.status === 409, code);
      assert.ok(seconds >= 1 || response.status === 504, `${code} says when to come back`);
      await sleep(Math.min(seconds || 1, maxWaitSeconds) * 1000);
    }
  };

  const numbers = Array.from({ length: paymentCount }, (_, index) => index).values();
  const client = async (): Promise<void> => {
    for (const number of numbers) await pay(number);
  };
  await Promise.all(Array.from({ length: clientCount }, client));
  await Promise.all(servers.map((server) => server.end()));
  const kills = servers.reduce((sum, server) => sum + server.kills, 0);
  t.diagnostic(`${kills} kills; ${JSON.stringify(Object.fromEntries(answers))}`);

  assert.ok(accounts);
  const { sender, recipient, before } = accounts;
  const paid = amount * BigInt(paymentCount);
  assert.deepEqual([tokensOf(sandbox, sender), tokensOf(sandbox, recipient)], [before[0] - paid, before[1] + paid]);
  const memos = sandbox.ledger.transactionRecordsOf(recipient).flatMap(({ error, memo }) => (error ? [] : [memo]));
  assert.equal(new Set(memos).size, memos.length, 'none twice');
  assert.equal(memos.filter((memo) => memo?.includes('payment ')).length, paymentCount, 'none lost');
  assert.ok(kills >= minKills, `only ${kills} kills`);
  assert.ok((answers.get('no reply') ?? 0) > 0, 'the kills hit no requests');
  assert.ok((answers.get('replayed') ?? 0) > 0, 'nothing was replayed');
  assert.ok(builtForUnlucky.size > 1, 'nothing was built again');
});

function inAnyOrder<T>(items: readonly T[]): readonly T[] {
  return Math.random() < 0.5 ? items : items.toReversed();
}
