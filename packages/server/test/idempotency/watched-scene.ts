import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { hashMessage } from '../../src/app/message-hash.ts';
import { UpstreamFault } from '../../src/chain/upstream-faults.ts';
import { findChanges } from '../../src/idempotency/find-changes.ts';
import { OutcomeFinder } from '../../src/outcomes/outcome-finder.ts';
import { historyOf, LedgerNodeHistory } from '../outcomes/ledger-node-history.ts';
import { type BuiltItem, OutcomeScene } from '../outcomes/outcome-scene.ts';
import { type KeyDatabase, newKeyStore, sqliteFile } from '../store/databases.ts';
import { claimBy, requestOf, retentionMs, start } from './records/idempotent-requests.ts';

export const leaseMs = 15_000;
const path = '/v1/transfers';

/** A ledger, a store of a client with an endpoint, and requests whose transactions are watched; time passes only by hand. */
export class WatchedScene {
  readonly outcomes: OutcomeScene;
  readonly node: LedgerNodeHistory;
  readonly store: Awaited<ReturnType<typeof newKeyStore>>['store'];
  readonly ownerId: string;
  now = start;

  private constructor(outcomes: OutcomeScene, store: WatchedScene['store'], ownerId: string) {
    this.outcomes = outcomes;
    this.node = new LedgerNodeHistory(outcomes.ledger);
    this.store = store;
    this.ownerId = ownerId;
  }

  static async open(t: TestContext, database: KeyDatabase = sqliteFile): Promise<WatchedScene> {
    const { store } = await newKeyStore(t, database);
    const { record } = await store.create({ name: 'shop', expiresAt: null });
    const scene = new WatchedScene(await OutcomeScene.open(), store, record.rootId);
    await scene.addEndpoint();
    return scene;
  }

  /** Adds an endpoint for events of these types. */
  async addEndpoint(types: readonly string[] | null = null, ownerId = this.ownerId) {
    const endpoint = {
      owner_id: ownerId,
      url: 'https://shop.example/hook',
      types: types && JSON.stringify(types),
      description: null,
    };
    const made = await this.store.webhooks.endpoints.insert(endpoint, new Date(start));
    assert.ok(made);
    return made;
  }

  /** Stores a reply with these transactions under a key. */
  async reply(key: string, items: readonly BuiltItem[], scope = this.ownerId): Promise<void> {
    const { idempotency } = this.store;
    const id = requestOf(key, { scope, path });
    const { kind } = await idempotency.claim(id, claimBy(key, { now: this.now }));
    assert.equal(kind, 'claimed');
    const transactions = items.map(({ bytes, lastValidBlockHeight }, index) => {
      return { bytes, lastValidBlockHeight, ...(items.length > 1 && { transfers: [index] }) };
    });
    const sent = transactions.map((transaction, index) => {
      const intent = items[index]?.intent;
      assert.ok(intent);
      return { ...transaction, index, messageHash: hashMessage(intent.message), source: intent.source };
    });
    const built = { whole: { reply: '{}', headers: {} }, transactions, sent };
    assert.ok(await idempotency.complete(id, key, built, this.now, retentionMs));
  }

  /** Asks for all that is due after some time, as a process does that is killed before it stores what it found, or is not. */
  async look(laterMs = 2_000, { isKilled = false } = {}): Promise<number> {
    this.now += laterMs;
    const { watched } = this.store;
    const history = historyOf([this.node]);
    const taken = await watched.take(this.now, this.now + leaseMs, 100);
    for (const sender of taken) {
      const sources = { watched, history, outcomes: new OutcomeFinder(history), now: () => this.now };
      const changes = await findChanges(sender, sources).catch((error: unknown) => {
        if (!(error instanceof UpstreamFault)) throw error;
        return [];
      });
      if (!isKilled) await watched.save(sender, changes, this.now);
    }
    return taken.length;
  }

  /** What was told to a client, the oldest first: `order-1 landed`. */
  async told(ownerId = this.ownerId): Promise<readonly string[]> {
    return (await this.events(ownerId)).map(
      ({ type, data }) => `${data.idempotency_key} ${type.replace('transfer.', '')}`,
    );
  }

  /** The payloads of the events of a client, the oldest first. */
  async events(ownerId = this.ownerId) {
    const listed = await this.store.webhooks.events.list(ownerId, { limit: 1_000 });
    const payloads = listed.map(({ body }) => JSON.parse(body));
    return payloads.sort((one, other) => one.sequence - other.sequence);
  }

  /** Lets slots pass until all that is in a block is final. */
  finalize(): void {
    this.outcomes.ledger.advanceSlots(33);
  }

  /** Lets slots pass until a transaction can land no more, whatever a wallet changes, and that is final. */
  expire({ lastValidBlockHeight }: BuiltItem): void {
    this.outcomes.finalize((lastValidBlockHeight ?? 0n) + 152n);
  }

  /** How many transactions are watched. */
  async watchedCount(): Promise<number> {
    return (await this.store.database.db.selectFrom('watched_transactions').select('message_hash').execute()).length;
  }
}
