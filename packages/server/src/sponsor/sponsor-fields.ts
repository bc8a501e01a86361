import { type Address, parseAddress } from 'splwright-core';
import type { DescribedFinding } from '../problems.ts';

/** The sponsor's part of a request. */
export interface SponsorRequest {
  /** The token that the sponsor is paid in; `undefined` for the one that is sent. */
  feeMint: Address | undefined;
  /** The most base units of it, for all transactions together. */
  maxFee: bigint;
  /** What of that earlier transactions of the same request pay, which have landed or still may. */
  earlierFees?: bigint;
}

/** The `fee_payer` that stands for the sponsor of the service. */
export const sponsorName = 'sponsor';

/** A wallet that nobody has, in the place of a sponsor that is not known yet: as large, and none of the other accounts. */
export const sponsorStandIn = 'GL6gUep2kgLuyoqQYEeG2E15g2paa4pvMHQPRZknsuzX';

/** The fields of a request about its sponsor. */
export interface SponsorFields {
  fee_payer?: string | undefined;
  sponsor_fee_token_mint_address?: string | undefined;
  max_sponsor_fee?: string | undefined;
}

/** Reads what a request says of its sponsor; absent where another wallet pays. */
export function readSponsorRequest(fields: SponsorFields): {
  sponsored?: SponsorRequest;
  findings: readonly DescribedFinding[];
} {
  const { fee_payer: feePayer, sponsor_fee_token_mint_address: mint, max_sponsor_fee: maxFee = '0' } = fields;
  const parsed = mint === undefined ? undefined : parseAddress(mint);
  if (parsed && 'fault' in parsed) {
    const name = 'sponsor_fee_token_mint_address';
    const detail = `${name} is not an address. A Solana address is the base58 text of 32 bytes.`;
    return { findings: [{ code: 'invalid_address', pointer: `/${name}`, detail }] };
  }
  if (feePayer !== sponsorName) return { findings: [] };
  // What is no number is refused by the schema.
  const max = /^[0-9]{1,20}$/.test(maxFee) ? BigInt(maxFee) : 0n;
  return { sponsored: { feeMint: parsed?.address, maxFee: max }, findings: [] };
}
