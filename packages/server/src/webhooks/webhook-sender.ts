import { setTimeout as sleep } from 'node:timers/promises';
import type { Network } from './connect.ts';
import type { DeliveryRecords, TakenDelivery } from './delivery-records.ts';
import { attemptTimeoutMs, sendWebhook } from './send-webhook.ts';

/** What the sender works with. */
export interface WebhookSenderOptions {
  records: Pick<DeliveryRecords, 'take' | 'secretsOf' | 'note'>;
  network: Network;
  /** Milliseconds since the Unix epoch. */
  now: () => number;
  /** Called when the database does not answer; what is due is sent later. */
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
  readonly #closing = new AbortController();
  readonly #running: Promise<void>;
  #hasFailed = false;

  /** Begins. */
  constructor(options: WebhookSenderOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** Ends, once the attempts that are under way have ended: at most 10 s. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
    await Promise.all(this.#underWay);
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      // There may be more.
      if ((await this.#takeDue()) > 0) continue;
      const pause = sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
      // One that has ended makes place for the next one.
      await Promise.race([pause, ...this.#underWay]);
    }
  }

  async #takeDue(): Promise<number> {
    const { records, now, onFailure } = this.#options;
    try {
      const at = now();
      const taken = await records.take(at, at + leaseMs, places - this.#underWay.size);
      for (const delivery of taken) {
        const attempt = this.#attempt(delivery).finally(() => this.#underWay.delete(attempt));
        this.#underWay.add(attempt);
      }
      this.#hasFailed = false;
      return taken.length;
    } catch (error) {
      if (!this.#hasFailed) onFailure(error);
      this.#hasFailed = true;
      return 0;
    }
  }

  async #attempt(delivery: TakenDelivery): Promise<void> {
    const { records, network, now, onFailure } = this.#options;
    const readSecrets = () =>
      records.secretsOf(delivery.endpointId, now()).catch((error: unknown) => void onFailure(error));
    const attempt = await sendWebhook(delivery, { network, readSecrets, now });
    // What is not noted is sent again: at least once.
    if (attempt) await records.note(delivery, attempt).catch(onFailure);
  }
}
