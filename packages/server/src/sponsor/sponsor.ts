import { isDeepStrictEqual } from 'node:util';
import { type Address, parseAddress } from 'splwright-core';
import { Compile } from 'typebox/compile';
import type { Deadline } from '../chain/chain-reader.ts';
import { acceptSigned } from './accept-signed.ts';
import { type KoraClient, sponsorFault } from './kora-client.ts';
import { configSchema, isFree, type SponsorRules } from './sponsor-rules.ts';

export interface SponsorTerms {
  /** The wallet that signs next, named in each call. */
  address: Address;
  /** The wallet that fees are paid to. */
  paymentAddress: Address;
  /** Every wallet that it may sign with. */
  feePayers: readonly string[];
  rules: SponsorRules;
}

/** For how long the terms are kept. */
const termsMaxAgeMs = 30_000;

const isConfig = Compile(configSchema);

/** A server that signs as the fee payer: our bytes, plus its one signature. */
export class Sponsor {
  readonly #client: Pick<KoraClient, 'call'>;
  readonly #now: () => number;
  #terms: { read: Promise<SponsorTerms>; until: number } | undefined;

  /** `now`: a monotonic clock in milliseconds. */
  constructor(client: Pick<KoraClient, 'call'>, now: () => number) {
    this.#client = client;
    this.#now = now;
  }

  /** Resolves with the terms, at most half a minute old. Throws an `AppError` of the sponsor. */
  readTerms(): Promise<SponsorTerms> {
    const known = this.#terms;
    if (known && this.#now() < known.until) return known.read;
    const terms = { read: this.#readTerms(), until: this.#now() + termsMaxAgeMs };
    this.#terms = terms;
    terms.read.catch(() => {
      if (this.#terms === terms) this.#terms = undefined;
    });
    return terms.read;
  }

  /**
   * Resolves with the base units of a token that the sponsor asks for a transaction, which has the payment in it already.
   *
   * Throws an `AppError` of the sponsor.
   */
  async estimateFee(bytes: Uint8Array, mint: Address, terms: SponsorTerms, deadline: Deadline): Promise<bigint> {
    const answer = await this.#ask('estimateTransactionFee', bytes, terms, deadline, { fee_token: mint });
    const { fee_in_token: fee, payment_address: paid } = answer;
    if (paid !== terms.paymentAddress) {
      this.#terms = undefined;
      throw sponsorFault(`it wants to be paid at ${paid}, not at ${terms.paymentAddress}`);
    }
    if (!Number.isSafeInteger(fee) || Number(fee) < 0) throw sponsorFault('it names no fee');
    return BigInt(Number(fee));
  }

  /** Resolves with the same bytes, signed by the sponsor. Throws an `AppError` of the sponsor, also for any other bytes. */
  async sign(bytes: Uint8Array, terms: SponsorTerms, deadline: Deadline): Promise<Uint8Array> {
    const { signed_transaction: signed } = await this.#ask('signTransaction', bytes, terms, deadline, {});
    return acceptSigned(bytes, String(signed), terms.address);
  }

  async #ask(method: string, bytes: Uint8Array, terms: SponsorTerms, deadline: Deadline, params: object) {
    const transaction = Buffer.from(bytes).toString('base64');
    const asked = { transaction, signer_key: terms.address, sig_verify: false, ...params };
    const answer = Object(
      await this.#client.call(method, asked, deadline).catch((error: unknown) => {
        // Its rules or its wallets may have changed.
        this.#terms = undefined;
        throw error;
      }),
    );
    const { signer_pubkey: signer } = answer;
    if (signer !== terms.address) throw sponsorFault(`it answers for the wallet ${signer}, not for ${terms.address}`);
    return answer;
  }

  // For many requests: the deadline of none of them counts, but the time that one call may take.
  async #readTerms(): Promise<SponsorTerms> {
    const [config, payer] = await Promise.all([
      this.#client.call('getConfig', {}, Number.POSITIVE_INFINITY),
      this.#client.call('getPayerSigner', {}, Number.POSITIVE_INFINITY),
    ]);
    const { signer_address: address, payment_address: paymentAddress } = Object(payer);
    if (!isConfig.Check(config)) throw sponsorFault('its configuration cannot be read');
    const { fee_payers: feePayers, validation_config: rules } = config;
    if (!feePayers.includes(address)) throw sponsorFault('it names a wallet that is none of its fee payers');
    return { address: readAddress(address), paymentAddress: readAddress(paymentAddress), feePayers, rules };
  }
}

function readAddress(value: unknown): Address {
  const parsed = parseAddress(String(value));
  if ('address' in parsed) return parsed.address;
  throw sponsorFault('it names a wallet that is no address');
}

/** Whether terms that were read earlier are no longer those of the sponsor. A pool may only answer with another of its wallets. */
export function areOutdated(earlier: SponsorTerms, current: SponsorTerms): boolean {
  const isPaidElsewhere = current.address === earlier.address && current.paymentAddress !== earlier.paymentAddress;
  return (
    isPaidElsewhere || !current.feePayers.includes(earlier.address) || !isDeepStrictEqual(current.rules, earlier.rules)
  );
}

/** Whether the sponsor asks for nothing. */
export function signsForFree({ rules }: SponsorTerms): boolean {
  return isFree(rules);
}
