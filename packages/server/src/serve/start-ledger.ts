import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { RpcChainReader } from '../chain/rpc-chain-reader.ts';
import type { RecordCounts, RecordLedger } from '../store/ledger-store.ts';
import type { Store } from './store/store.ts';

/** How a service finds which ledger it serves. */
interface ServedLedgerOptions {
  reader: Pick<RpcChainReader, 'readGenesisHash'>;
  store: Pick<Store, 'ledgers'>;
  /** That of the service's embedded sandbox; absent on a real network, where the upstreams are asked. */
  sandboxGenesisHash: string | undefined;
  /** How long the upstreams may take to say it. */
  timeoutMs: number;
  /** Called once, when it is found. */
  onFound: (ledger: RecordLedger) => void;
}

/** The ledger whose records a service serves: found once, at the start if the upstreams answer, otherwise when it is needed. */
export class ServedLedger {
  readonly #options: ServedLedgerOptions;
  #found: Promise<RecordLedger> | undefined;

  constructor(options: ServedLedgerOptions) {
    this.#options = options;
  }

  /**
   * Resolves with the ledger; concurrent calls share one query.
   *
   * Throws the fault of the upstream, or what the store throws; the next call asks again.
   */
  find(): Promise<RecordLedger> {
    this.#found ??= this.#ask().catch((error: unknown) => {
      this.#found = undefined;
      throw error;
    });
    return this.#found;
  }

  async #ask(): Promise<RecordLedger> {
    const { reader, store, sandboxGenesisHash, timeoutMs, onFound } = this.#options;
    const genesisHash = sandboxGenesisHash ?? (await reader.readGenesisHash(performance.now() + timeoutMs));
    const ledger = await store.ledgers.open(genesisHash, sandboxGenesisHash !== undefined, Date.now());
    onFound(ledger);
    return ledger;
  }
}

/** What a ledger is found with. */
interface LedgerParts extends Omit<ServedLedgerOptions, 'onFound'> {
  logger: Logger;
}

/** The ledger of a service that starts. */
interface StartedLedger {
  ledger: ServedLedger;
  /** What its database has of other ledgers. Zero when the upstreams take too long to name the ledger: the log says it later. */
  otherLedgers: Promise<RecordCounts>;
}

/** A service that starts without an upstream waits this long before it says that it listens. */
const maxWaitMs = 1_000;
const nothing: RecordCounts = { links: 0, requests: 0 };

/** Begins to find the ledger whose records are served. */
export function startLedger({ logger, ...parts }: LedgerParts): StartedLedger {
  const counted = Promise.withResolvers<RecordCounts>();
  let isLate = false;
  const ledger = new ServedLedger({
    ...parts,
    onFound: (found) => {
      const count = parts.store.ledgers.countRecordsOfOtherLedgers(found, Date.now());
      // The service starts without the count, too.
      void count
        .catch(() => nothing)
        .then((otherLedgers) => {
          const text = describeRecordsOfOtherLedgers(otherLedgers);
          if (isLate && text !== undefined) logger.warn({ ...otherLedgers, genesis_hash: found.genesisHash }, text);
          counted.resolve(otherLedgers);
        });
    },
  });
  const found = ledger.find().then(
    () => counted.promise,
    () => nothing,
  );
  const otherLedgers = Promise.race([found, sleep(maxWaitMs, nothing, { ref: false })]).finally(() => {
    isLate = true;
  });
  return { ledger, otherLedgers };
}

/** Returns a sentence of what a database has of other ledgers; undefined where there is nothing. */
export function describeRecordsOfOtherLedgers({ links, requests }: RecordCounts): string | undefined {
  const parts = [
    ...(links > 0 ? [`${links} payment ${links === 1 ? 'link' : 'links'}`] : []),
    ...(requests > 0 ? [`${requests} ${requests === 1 ? 'request' : 'requests'} with an Idempotency-Key`] : []),
  ];
  if (parts.length === 0) return undefined;
  return `The database also has ${parts.join(' and ')} of other ledgers, which this service does not use.`;
}
