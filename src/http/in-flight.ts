import type { FastifyInstance } from 'fastify';

/** How many requests have come and are not answered to the last byte, over all routes. */
export class RequestsInFlight {
  /** Called when the last one is answered. */
  onNone: () => void = () => undefined;
  #count = 0;

  /** How many there are now. */
  get count(): number {
    return this.#count;
  }

  /** Counts the requests of a server from now on. */
  countAll(app: FastifyInstance): void {
    app.addHook('onRequest', (_request, reply, done) => {
      this.#count += 1;
      // Comes after the last byte was handed over, or when the caller hung up.
      reply.raw.on('close', () => {
        this.#count -= 1;
        if (this.#count === 0) this.onNone();
      });
      done();
    });
  }
}
