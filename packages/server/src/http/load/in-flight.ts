import type { FastifyInstance } from 'fastify';

/** Counts the requests whose replies are not completely sent, over all routes, and those that are being worked on. */
export class RequestsInFlight {
  /** Called when the last one is answered. */
  onNone: () => void = () => undefined;
  #count = 0;
  #building = 0;

  /** How many requests are in flight. */
  get count(): number {
    return this.#count;
  }

  /** How many transfers are being built or looked for, without the replies that only wait to be read. */
  get building(): number {
    return this.#building;
  }

  /** Counts the requests of a server from now on. */
  countAll(app: FastifyInstance): void {
    app.addHook('onRequest', (_request, reply, done) => {
      this.#count += 1;
      // Emitted after the last byte was handed over, or when the caller hung up.
      reply.raw.on('close', () => {
        this.#count -= 1;
        if (this.#count === 0) this.onNone();
      });
      done();
    });
  }

  /** Runs `work`, and counts it as being built until its promise settles. */
  countBuild<T>(work: () => Promise<T>): Promise<T> {
    this.#building += 1;
    const built = work();
    built.then(this.#ended, this.#ended);
    return built;
  }

  readonly #ended = (): void => {
    this.#building -= 1;
  };
}
