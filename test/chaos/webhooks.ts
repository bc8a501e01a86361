import { setTimeout as sleep } from 'node:timers/promises';
import type { Sandbox } from '../../packages/sandbox/src/index.ts';
import { openKeyStore } from '../../packages/server/src/serve/store/open-key-store.ts';
import type { Store } from '../../packages/server/src/serve/store/store.ts';
import { sharedPostgres } from '../setup/postgres.ts';
import { startTestSandbox } from '../setup/sandbox.ts';
import type { Cleanup } from '../setup/service.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { readUntil } from '../setup/wait-until.ts';
import { named, signWith } from '../setup/wallets.ts';
import { check, type Measured } from './measured.ts';
import { MortalReplicas } from './mortal-replicas.ts';
import { type Receiver, startReceiver, type Told } from './webhook-receivers.ts';

/** How a service is killed. */
export interface KillPlan {
  database: 'SQLite' | 'PostgreSQL';
  kills: number;
  /**
   * Whether the times until deliveries are tried again are waited for, up to two minutes; after that the database is made to believe that
   * they passed, since what a flaky receiver has refused three times waits half an hour.
   */
  isPatient: boolean;
}

/** A payment that landed, of which its owner must be told. */
interface Paid {
  owner: Owner;
  signature: string;
  amount: string;
  slot: bigint;
}

/** A client of the service with its receivers. */
interface Owner {
  apiKey: string;
  id: string;
  receivers: Receiver[];
  /** The endpoint that tests are sent to. */
  endpointId: string;
  /** The events of tests that the service has promised. */
  tests: Set<string>;
}

const maxLifeMs = 600;
const maxUnderWay = 8;
const linkTypes = ['payment_link.paid', 'payment_link.final'];

/** Kills the processes of a service at random moments while links are paid and test events are made, and asks what receivers were told. */
export async function killWhileTelling(t: Cleanup, plan: KillPlan): Promise<Measured> {
  const sandbox = await startTestSandbox(t, { slotMs: 50, slotsToFinalize: 32 });
  const isShared = plan.database === 'PostgreSQL';
  const databaseUrl = isShared ? await (await sharedPostgres(t)).createStore() : `sqlite:${temporaryFolder(t)}/keys.db`;
  const store = await openKeyStore(databaseUrl);
  t.after(() => store.close());
  const paid = new Map<string, Paid>();
  const owners = [await newOwner(t, store, sandbox, paid), await newOwner(t, store, sandbox, paid)];
  const replicas = new MortalReplicas(t, isShared ? 2 : 1, {
    DATABASE_URL: databaseUrl,
    SOLANA_RPC_URLS: sandbox.rpcUrl,
    PUBLIC_URL: 'https://pay.example',
  });
  const client = new Client(sandbox, replicas, paid);
  const underWay = new Set<Promise<void>>();
  const begin = (work: Promise<void>): void => {
    const ended = work.finally(() => underWay.delete(ended));
    underWay.add(ended);
  };
  while (replicas.kills < plan.kills) {
    const starting = replicas.start();
    if (Math.random() < 0.9) await starting;
    for (const owner of underWay.size < maxUnderWay ? owners : []) {
      begin(client.pay(owner));
      begin(client.test(owner));
    }
    await sleep(Math.random() * maxLifeMs);
    await replicas.kill(Math.floor(Math.random() * (isShared ? 2 : 1)));
    // With the other one, now and then.
    if (Math.random() < 0.2 && replicas.kills < plan.kills) await replicas.kill(1);
  }
  const { kills } = replicas;
  if (!plan.isPatient) {
    await replicas.killAll();
    await letTimePass(store, 'all');
  }
  await replicas.start();
  await Promise.all(underWay);
  const toldWithin = (timeoutMs: number, look: () => Promise<void>): Promise<readonly string[]> =>
    readUntil(
      async () => {
        await look();
        return missingOf(owners, paid);
      },
      ({ length }) => length === 0,
      timeoutMs,
    ).catch(() => missingOf(owners, paid));
  if (plan.isPatient) await toldWithin(120_000, async () => undefined);
  // PostgreSQL ends it where the service locks the same rows in another order: the next look does it.
  const missing = await toldWithin(60_000, () => letTimePass(store, 'waiting').catch(() => undefined));
  await replicas.killAll();
  return judge(plan, { owners, paid, missing, kills, stored: await storedEvents(store, owners) });
}

async function newOwner(t: Cleanup, store: Store, sandbox: Sandbox, paid: ReadonlyMap<string, Paid>): Promise<Owner> {
  const { key, record } = await store.create({ name: 'shop', expiresAt: null });
  const owner: Owner = { apiKey: key, id: record.rootId, receivers: [], endpointId: '', tests: new Set() };
  for (const manner of ['good', 'flaky', 'silent'] as const) {
    const receiver = await startReceiver(t, manner, (told) => faultOf(told, owner, paid, sandbox));
    const asked = { owner_id: owner.id, url: receiver.url, types: null, description: null };
    const endpoint = await store.webhooks.endpoints.insert(asked, new Date());
    receiver.secret = endpoint?.secret ?? '';
    if (manner === 'good') owner.endpointId = endpoint?.id ?? '';
    owner.receivers.push(receiver);
  }
  return owner;
}

/** What is not true of what an owner is told. */
function faultOf(
  { type, data }: Told,
  owner: Owner,
  paid: ReadonlyMap<string, Paid>,
  { ledger }: Sandbox,
): string | undefined {
  if (type === 'webhook.test') return data.endpoint_id === owner.endpointId ? undefined : 'a test of another endpoint';
  const known = paid.get(data.id ?? '');
  if (!known) return `${type} of a link that nobody paid`;
  if (known.owner !== owner) return `${type} of a link of another owner`;
  const isRight = data.state === 'paid' && data.signature === known.signature && data.received_amount === known.amount;
  if (!isRight) return `${type} of a link that is ${JSON.stringify(data)}`;
  const isFinal = ledger.slot('finalized') >= known.slot;
  return (type === 'payment_link.final' || data.is_final === true) && !isFinal
    ? `${type} of what is not final`
    : undefined;
}

/** A caller that tries until it is answered. */
class Client {
  readonly #sandbox: Sandbox;
  readonly #replicas: MortalReplicas;
  readonly #paid: Map<string, Paid>;
  #amount = 1_000;

  constructor(sandbox: Sandbox, replicas: MortalReplicas, paid: Map<string, Paid>) {
    this.#sandbox = sandbox;
    this.#replicas = replicas;
    this.#paid = paid;
  }

  /** Makes a link of an owner, and pays it. */
  async pay(owner: Owner): Promise<void> {
    const { world, ledger } = this.#sandbox;
    const alice = named(world.wallets, 'alice');
    this.#amount += 1;
    const amount = String(this.#amount);
    const recipient = named(world.wallets, Math.random() < 0.5 ? 'bob' : 'carol').address;
    const tokenMintAddress = named(world.mints, 'USDC').address;
    const asked = { to_address: recipient, token_mint_address: tokenMintAddress, amount, label: 'Tea house' };
    const { data: link } = await this.#post('/v1/payment-links', asked, owner.apiKey);
    const { transaction } = await this.#post(`/pay/${link.id}`, { account: alice.address });
    const signed = await signWith(Buffer.from(transaction, 'base64'), [alice.secret_key]);
    const { signature, error } = ledger.sendTransaction(signed);
    if (error !== null) throw new Error(`a payment did not land: ${JSON.stringify(error)}`);
    this.#paid.set(link.id, { owner, signature: String(signature), amount, slot: ledger.slot() });
  }

  /** Has a test event sent, if the service lives. */
  async test({ apiKey, endpointId, tests }: Owner): Promise<void> {
    const reply = await this.#try(`/v1/webhook-endpoints/${endpointId}/test`, {}, apiKey);
    if (reply) tests.add(reply.data.id);
  }

  async #post(path: string, body: object, apiKey?: string) {
    for (;;) {
      const reply = await this.#try(path, body, apiKey);
      if (reply) return reply;
      await sleep(30);
    }
  }

  async #try(path: string, body: object, apiKey?: string) {
    const { url } = this.#replicas;
    if (url === undefined) return undefined;
    const headers = { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) };
    try {
      const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      const reply = Object(await response.json());
      if (response.ok) return reply;
      if (response.status < 500 && response.status !== 429) throw new Error(`${path}: ${JSON.stringify(reply)}`);
    } catch (error) {
      // It was killed.
      if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error;
    }
    return undefined;
  }
}

/** Moves what is due later into the past, as if an hour had gone by; with `all` also what a process has taken, which must be dead. */
async function letTimePass({ database: { db, whenNotBusy } }: Store, which: 'all' | 'waiting'): Promise<void> {
  const past = { due_at: 0, taken_until: null };
  const deliveries = db.updateTable('event_deliveries').set(past).where('due_at', 'is not', null);
  await whenNotBusy(() => (which === 'all' ? deliveries : deliveries.where('taken_until', 'is', null)).execute());
  if (which === 'all') await whenNotBusy(() => db.updateTable('watched_accounts').set({ due_at: 0 }).execute());
}

/** What receivers that answer have not been told yet. */
function missingOf(owners: readonly Owner[], paid: ReadonlyMap<string, Paid>): readonly string[] {
  return owners.flatMap((owner) =>
    owner.receivers.flatMap(({ manner, told }) => {
      if (manner === 'silent') return [];
      const known = new Set(told.flatMap(({ eventId, type, data }) => [eventId, `${type} ${data.id}`]));
      const links = [...paid].filter(([, each]) => each.owner === owner).map(([id]) => id);
      const wanted = links.flatMap((id) => linkTypes.map((type) => `${type} ${id}`));
      // The service keeps the last 20 tests of an endpoint: those before may be gone before they were sent.
      const tests = manner === 'good' ? [...owner.tests].slice(-10) : [];
      return [...wanted, ...tests].filter((each) => !known.has(each));
    }),
  );
}

/** The ids of the stored events of links, by owner. */
async function storedEvents(store: Store, owners: readonly Owner[]): Promise<readonly (readonly string[])[]> {
  return Promise.all(
    owners.map(async ({ id }) => {
      const events = await store.webhooks.events.list(id, { limit: 30_000 });
      return events.filter(({ type }) => type !== 'webhook.test').map((event) => event.id);
    }),
  );
}

interface Outcome {
  owners: readonly Owner[];
  paid: ReadonlyMap<string, Paid>;
  missing: readonly string[];
  kills: number;
  stored: readonly (readonly string[])[];
}

function judge({ database }: KillPlan, { owners, paid, missing, kills, stored }: Outcome): Measured {
  const receivers = owners.flatMap((owner) => owner.receivers);
  const faults = receivers.flatMap((receiver) => receiver.faults);
  const answering = owners.map((owner) => owner.receivers.filter(({ manner }) => manner !== 'silent'));
  const untold = answering.flatMap((some, index) =>
    some.flatMap(({ told }) => {
      const known = new Set(told.map(({ eventId }) => eventId));
      return (stored[index] ?? []).filter((id) => !known.has(id));
    }),
  );
  // One that never answers is still to be told some, in any order.
  const disorder = receivers.flatMap(({ manner, told }) => (manner === 'silent' ? [] : disorderIn(told)));
  const deliveries = receivers.reduce((sum, { told }) => sum + told.length, 0);
  const events = new Set(receivers.flatMap(({ told }) => told.map(({ eventId }) => eventId))).size;
  const mostOpen = Math.max(...receivers.map(({ maxOpen }) => maxOpen));
  const what = database === 'SQLite' ? 'the only process, on SQLite' : 'one of two processes on PostgreSQL, or both';
  const counts = `${paid.size} paid links, ${events} events, ${deliveries} deliveries`;
  return {
    injected: `${what}, killed ${kills} times while links are paid and tests are sent`,
    checks: [
      check(
        'every event told at least once',
        `${missing.length + untold.length} missing; ${counts}`,
        missing.length + untold.length === 0 && paid.size > 0,
      ),
      check(
        'nothing told that is not true, or of another owner',
        faults.length === 0 ? '0 faults' : faults.slice(0, 3).join('; '),
        faults.length === 0,
      ),
      check(
        'each told as one event, in sequence',
        disorder.length === 0 ? '0 out of order' : disorder.slice(0, 3).join('; '),
        disorder.length === 0,
      ),
      check('at most 4 open deliveries an endpoint', mostOpen, mostOpen <= 4),
    ],
  };
}

/** What is told as two events of one sequence or type, or as final before it is told as paid. */
function disorderIn(told: readonly Told[]): readonly string[] {
  const events = [...new Map(told.map((each) => [each.eventId, each])).values()];
  const byObject = Map.groupBy(
    events.filter(({ type }) => type !== 'webhook.test'),
    ({ data }) => data.id,
  );
  const tests = events.filter(({ type }) => type === 'webhook.test').map(({ sequence }) => sequence);
  const wrong = [...byObject].flatMap(([id, some]) => {
    const types = some.toSorted((one, other) => one.sequence - other.sequence).map(({ type }) => type);
    return linkTypes.join() === types.join() || linkTypes.slice(0, 1).join() === types.join()
      ? []
      : [`${id}: ${types.join()}`];
  });
  return new Set(tests).size === tests.length ? wrong : [...wrong, 'two tests have one sequence'];
}
