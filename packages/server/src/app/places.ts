import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../problems.ts';
import { clientNetworkOf } from './client-network.ts';
import type { Work } from './work.ts';
import { startWork } from './work-of.ts';

type Wanted = Pick<Work, 'deadline' | 'assertWanted'>;

/** Lets what waits for a place have it, unless it is no longer wanted; returns which. */
type Start = () => boolean;

/** A number of places for each key. What finds none waits for one of its own key, in order. */
export class Places {
  readonly #perKey: number;
  /** Of each key that has a place, or waits for one. */
  readonly #keys = new Map<string, { taken: number; waiting: Set<Start> }>();

  constructor(perKey: number) {
    this.#perKey = perKey;
  }

  /** Takes a place of a key if one is free. */
  tryTake(key: string): boolean {
    const places = this.#keys.get(key) ?? { taken: 0, waiting: new Set() };
    if (places.taken >= this.#perKey) return false;
    places.taken += 1;
    this.#keys.set(key, places);
    return true;
  }

  /** Takes a place of a key once one is free. Throws what `tooLate` makes when its deadline comes first. */
  async take(key: string, wanted: Wanted, tooLate: () => Error): Promise<void> {
    if (this.tryTake(key)) return;
    await new Promise<void>((resolve, reject) => {
      const waiting = this.#keys.get(key)?.waiting;
      const end = (settle: () => void): void => {
        clearTimeout(timer);
        waiting?.delete(start);
        settle();
      };
      const start = (): boolean => {
        try {
          if (performance.now() >= wanted.deadline) throw tooLate();
          wanted.assertWanted();
        } catch (reason) {
          end(() => reject(reason));
          return false;
        }
        end(resolve);
        return true;
      };
      // A timer takes no more than this, and no deadline is farther.
      const ms = Math.min(Math.max(0, wanted.deadline - performance.now()), 2 ** 31 - 1);
      const timer = setTimeout(() => end(() => reject(tooLate())), ms);
      waiting?.add(start);
    });
  }

  /** Gives a place back, to the first that waits for it and is still wanted. */
  giveBack(key: string): void {
    const places = this.#keys.get(key);
    if (!places) return;
    for (const start of places.waiting) if (start()) return;
    places.taken -= 1;
    if (places.taken === 0) this.#keys.delete(key);
  }

  /** Runs a call in a place of a key, and returns or throws what it does; otherwise throws as `take` does. */
  async run<T>(key: string, wanted: Wanted, tooLate: () => Error, call: () => Promise<T>): Promise<T> {
    await this.take(key, wanted, tooLate);
    try {
      return await call();
    } finally {
      this.giveBack(key);
    }
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The kind of place that a request of an API key needs besides one among all requests of the key. */
    place?: 'writing' | 'large';
  }
  interface FastifyRequest {
    /** Those in which it has a place until it is answered, also where its client has hung up; `null` while it has none. */
    places: readonly Places[] | null;
  }
}

// How many requests of each API key are in work at a time; of those, how many that write to the database, and that are large. SQLite
// writes one after another: each place of one key is a commit that a request of another waits for.
const perKey = { all: 128, writing: 4, large: 2 } as const;
const perAddress = 8;

const tooMany = (whose: string) => (): AppError =>
  new AppError('rate_limited', `${whose} has too many requests in work at the same time. Send fewer at once.`, {
    retryAfterSeconds: 1,
  });
const tooManyOfKey = tooMany('This API key');
const tooManyOfAddress = tooMany('This address');

/** The places of all requests to a service. */
export class RequestPlaces {
  readonly #all = new Places(perKey.all);
  readonly #writing = new Places(perKey.writing);
  readonly #large = new Places(perKey.large);
  readonly #addresses = new Places(perAddress);

  /**
   * Lets each request to a scope wait for its places before its body is read, at most for `waitMs`; then refuses it with a 429. One
   * whose body comes in chunks does not wait.
   *
   * Call it after the hooks that check the key. Requests without a key are counted by the network of the client.
   */
  limit(scope: FastifyInstance, waitMs: number): void {
    scope.addHook('onRequest', (request, _reply, done) => {
      const { apiKey } = request;
      const key = apiKey ? apiKey.rootId : clientNetworkOf(request.ip);
      const wanted = this.#wantedOf(request);
      // Most requests find a place at once.
      const [only] = wanted;
      if (wanted.length === 1 && only?.tryTake(key)) {
        // No function that gives them back: it would keep the request until the next full collection.
        request.places = wanted;
        done();
        return;
      }
      const startedAt = performance.now();
      // While a body in chunks waits, each of them is an object of its own, and may have a single byte.
      const work = startWork(request, request.headers['transfer-encoding'] === undefined ? waitMs : 0);
      takeAll(wanted, key, work, apiKey ? tooManyOfKey : tooManyOfAddress)
        .then(() => {
          work.waitedMs = performance.now() - startedAt;
          work.deadline = Number.POSITIVE_INFINITY;
          request.places = wanted;
          done();
        })
        .catch(done);
    });
    scope.addHook('onSend', (request, _reply, payload, done) => {
      const { apiKey, places } = request;
      request.places = null;
      if (places) giveBackAll(places, apiKey ? apiKey.rootId : clientNetworkOf(request.ip));
      done(null, payload);
    });
  }

  /** The narrowest first: what waits for it holds none of the others. */
  #wantedOf({ apiKey, headers, routeOptions }: FastifyRequest): readonly Places[] {
    if (!apiKey) return [this.#addresses];
    const { place } = routeOptions.config;
    const isWriting = place === 'writing' || headers['idempotency-key'] !== undefined;
    return [...(place === 'large' ? [this.#large] : []), ...(isWriting ? [this.#writing] : []), this.#all];
  }
}

async function takeAll(wanted: readonly Places[], key: string, work: Work, tooLate: () => AppError): Promise<void> {
  const taken: Places[] = [];
  try {
    for (const places of wanted) {
      await places.take(key, work, tooLate);
      taken.push(places);
    }
  } catch (error) {
    giveBackAll(taken, key);
    throw error;
  }
}

function giveBackAll(taken: readonly Places[], key: string): void {
  for (const places of taken) places.giveBack(key);
}
