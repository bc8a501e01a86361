import { Repeated } from '../app/repeated.ts';
import type { Network } from './connect.ts';
import type { DeliveryRecords, TakenDelivery } from './delivery-records.ts';
import { attemptTimeoutMs, sendWebhook } from './send-webhook.ts';

export interface WebhookSenderOptions {
  records: Pick<DeliveryRecords, 'take' | 'secretsOf' | 'note'>;
  network: Network;
  /** Resolves when the database is of the cluster that is served. */
  confirmCluster: () => Promise<void>;
  /** Milliseconds since the Unix epoch. */
  now: () => number;
  /** Called once when the database does not answer; what is due is sent later. */
  onFailure: (error: unknown) => void;
}

const everyMs = 500;
const places = 256;

// Longer than an attempt takes, so that two processes never send one event at the same moment.
const leaseMs = attemptTimeoutMs + 5_000;

/** Sends what is due, as long as the process runs; every process on the database does so. */
export class WebhookSender {
  readonly #options: WebhookSenderOptions;
  readonly #underWay = new Set<Promise<void>>();
  readonly #repeated: Repeated;

  /** Begins. */
  constructor(options: WebhookSenderOptions) {
    this.#options = options;
    const { onFailure } = options;
    this.#repeated = new Repeated({ run: () => this.#sendDue(), everyMs, onFailure });
  }

  /** Ends, once the attempts that are under way have ended: at most 10 s. */
  async close(): Promise<void> {
    await this.#repeated.close();
    await Promise.all(this.#underWay);
  }

  async #sendDue(): Promise<void> {
    const { records, confirmCluster, now } = this.#options;
    // Otherwise a service on a network would tell what was paid on the sandbox that had its database before.
    await confirmCluster();
    for (let isMore = true; isMore && !this.#repeated.isClosed; ) {
      const at = now();
      const taken = await records.take(at, at + leaseMs, places - this.#underWay.size);
      for (const delivery of taken) {
        const attempt = this.#attempt(delivery).finally(() => {
          this.#underWay.delete(attempt);
          // There is place for the next one.
          this.#repeated.wake();
        });
        this.#underWay.add(attempt);
      }
      isMore = taken.length > 0;
    }
  }

  async #attempt(delivery: TakenDelivery): Promise<void> {
    const { records, network, now } = this.#options;
    const fail = (error: unknown): void => this.#repeated.fail(error);
    const readSecrets = () => records.secretsOf(delivery.endpointId, now()).catch((error: unknown) => void fail(error));
    const attempt = await sendWebhook(delivery, { network, readSecrets, now });
    // What is not noted is sent again: at least once.
    if (attempt) await records.note(delivery, attempt).catch(fail);
  }
}
