import { nameIn } from '../addresses.ts';
import type { RightReply } from './expected-reply.ts';
import type { Purpose } from './history-world.ts';
import type { PostedRequest } from './request-body.ts';
import type { Errand, Trial } from './trial.ts';

/** Makes the errands of a trial as they are needed, and keeps their API keys. */
export class Errands {
  readonly #trial: Trial;
  readonly #twins: Readonly<Record<Purpose, PostedRequest>>;
  readonly #name: string;
  readonly #owner: { text: string };

  constructor(trial: Trial, options: { twins: Readonly<Record<Purpose, PostedRequest>>; owner: { text: string } }) {
    this.#trial = trial;
    this.#twins = options.twins;
    this.#owner = options.owner;
    this.#name = nameIn(trial.situation.world, 'owner');
  }

  /** The errand for a purpose. */
  async of(purpose: Purpose | 'stranger'): Promise<Errand> {
    const known = this.#trial.errands.get(purpose);
    if (known) return known;
    const isKeyed = purpose !== 'plain';
    // The stranger happens to use the same one.
    const name = purpose === 'stranger' ? 0 : purpose;
    const errand: Errand = {
      purpose,
      posted: this.#twins[purpose === 'stranger' ? 0 : purpose],
      idempotencyKey: isKeyed ? `${this.#name}-${name}`.replaceAll(' ', '-') : undefined,
      apiKey: purpose === 'stranger' ? await this.#makeApiKey('stranger') : this.#owner,
      builds: [],
      record: { kind: 'none' },
      askedAt: new Set(),
      sinceForgotten: [],
    };
    this.#trial.errands.set(purpose, errand);
    return errand;
  }

  /** The owner gets a new API key, and the old one stops. */
  async rotateApiKey(): Promise<void> {
    const { keys } = this.#trial.services;
    const [record] = (await keys.find(this.#name)).filter(({ revokedAt }) => revokedAt === null);
    const rotated = record && (await keys.rotate(record.id));
    if (!rotated) throw new Error('the API key of a world was not rotated');
    this.#owner.text = rotated.key;
    this.#trial.log.push('the API key was rotated');
  }

  /** Remembers that a build was refused after the record before it was given up. */
  noteRefusedBuild(errand: Errand, right: readonly RightReply[]): void {
    // Without a key nothing is given up.
    if (errand.idempotencyKey === undefined) return;
    if (
      right.some((each) => each.kind !== 'new' && !(each.kind === 'refused' && each.code === 'identical_transaction'))
    ) {
      // It may have been refused before: by no node that answers.
      return;
    }
    for (const built of errand.sinceForgotten) built.deadBecause ??= 'it was given up for another';
    errand.record = { kind: 'none' };
  }

  async #makeApiKey(role: string): Promise<{ text: string }> {
    const { key } = await this.#trial.services.keys.create({ name: `${this.#name}-${role}`, expiresAt: null });
    return { text: key };
  }
}
