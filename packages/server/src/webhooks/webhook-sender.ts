import type { Dispatcher } from 'undici';
import type { DeliveryRecords, TakenDelivery } from './delivery-records.ts';
import { attemptTimeoutMs, sendWebhook } from './send-webhook.ts';

/** What the sender works with. */
export interface WebhookSenderOptions {
  records: Pick<DeliveryRecords, 'take' | 'note'>;
  dispatcher: Dispatcher;
  /** The owner whose key is in no store: that of the sandbox. */
  sandboxOwner?: string | undefined;
  /** Milliseconds since the Unix epoch. */
  now: () => number;
  /** Called once when the database does not answer; what is due is sent later. */
  onFailure: (error: unknown) => void;
}

const everyMs = 500;

// Endpoints that fail have half of the places, so that however many hang, the others are served.
const placesOfHealthy = 128;
const placesOfFailing = 128;

// Longer than an attempt takes, so that two processes never send one event at the same moment.
const leaseMs = attemptTimeoutMs + 5_000;

/** Sends what is due, as long as the process runs; every process on the database does so. */
export class WebhookSender {
  readonly #options: WebhookSenderOptions;
  readonly #underWay = { healthy: new Set<Promise<void>>(), failing: new Set<Promise<void>>() };
  #timer: NodeJS.Timeout | undefined;
  #look: Promise<void> = Promise.resolve();
  #hasFailed = false;
  #isClosed = false;

  /** Begins. */
  constructor(options: WebhookSenderOptions) {
    this.#options = options;
    this.#schedule(0);
  }

  /** Ends, once the attempts that are under way have ended: at most 10 s. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#look;
    await Promise.all([...this.#underWay.healthy, ...this.#underWay.failing]);
    await this.#options.dispatcher.close();
  }

  #schedule(delayMs: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#look = this.#takeDue();
    }, delayMs).unref();
  }

  async #takeDue(): Promise<void> {
    let found = 0;
    try {
      found += await this.#takeSome('healthy', placesOfHealthy);
      found += await this.#takeSome('failing', placesOfFailing);
      this.#hasFailed = false;
    } catch (error) {
      if (!this.#hasFailed) this.#options.onFailure(error);
      this.#hasFailed = true;
    }
    // There may be more.
    this.#schedule(found > 0 ? 0 : everyMs);
  }

  async #takeSome(kind: 'healthy' | 'failing', places: number): Promise<number> {
    const { records, now, sandboxOwner } = this.#options;
    const underWay = this.#underWay[kind];
    const at = now();
    const taken = await records.take({
      now: at,
      takenUntil: at + leaseMs,
      areFailing: kind === 'failing',
      limit: places - underWay.size,
      sandboxOwner,
    });
    for (const delivery of taken) {
      const attempt = this.#attempt(delivery).finally(() => underWay.delete(attempt));
      underWay.add(attempt);
    }
    return taken.length;
  }

  async #attempt(delivery: TakenDelivery): Promise<void> {
    const { records, dispatcher, now, onFailure } = this.#options;
    const attempt = await sendWebhook(dispatcher, delivery, now);
    // What is not noted is sent again: at least once.
    await records.note(delivery, attempt).catch(onFailure);
  }
}
