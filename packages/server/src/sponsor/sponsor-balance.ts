import type { ChainReader, Deadline } from '../chain/chain-reader.ts';
import type { Sponsor } from './sponsor.ts';

/** For how long a scrape of metrics may have the balance of before. */
const scrapedMaxAgeMs = 15_000;

/** The lamports of the sponsor's next signer. */
export class SponsorBalance {
  readonly #sponsor: Sponsor;
  readonly #reader: Pick<ChainReader, 'readAccounts'>;
  #latest: bigint | undefined;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(sponsor: Sponsor, reader: Pick<ChainReader, 'readAccounts'>) {
    this.#sponsor = sponsor;
    this.#reader = reader;
  }

  /** Resolves with the lamports of the wallet that signs next. Throws an `AppError` of the sponsor or of the upstream. */
  async read(deadline: Deadline): Promise<bigint> {
    const { address } = await this.#sponsor.readTerms();
    const { accounts } = await this.#reader.readAccounts([address], deadline);
    this.#latest = accounts[0]?.lamports ?? 0n;
    return this.#latest;
  }

  /** The lamports as they were last read; `undefined` before, and while they cannot be read. Reads them again for the next call. */
  scraped(now: number): bigint | undefined {
    if (now - this.#readAt >= scrapedMaxAgeMs) {
      this.#readAt = now;
      this.read(now + scrapedMaxAgeMs).catch(() => {
        this.#latest = undefined;
      });
    }
    return this.#latest;
  }
}
