import type { Finding } from '../errors.ts';
import type { Address } from './address.ts';
import { maximumAmount } from './amount.ts';
import { isAddressOnCurve } from './curve.ts';
import { readAddress } from './read-address.ts';
import type { PriorityFee, TransactionVersion, TransferOptions } from './transfer-plan.ts';

/** The options of a request, by the names they have in its body. Each is `undefined` when it is absent or of a wrong type. */
export interface TransferOptionValues {
  fee_payer?: string | undefined;
  priority_fee?: string | undefined;
  nonce_account?: string | undefined;
  transaction_version?: TransactionVersion | undefined;
  references?: readonly string[] | undefined;
  allow_off_curve_recipient?: boolean | undefined;
  checks?: 'full' | 'none' | undefined;
}

// Some more would fit the packet; Solana Pay's wallets handle few.
const maximumReferences = 10;

const noPriorityFee = 'none';
const levels = ['low', 'medium', 'high'] as const;

/** Parses the options of a request whose sender is `from`, adding every fault to `findings`. */
export function parseOptions(values: TransferOptionValues, from: Address, findings: Finding[]): TransferOptions {
  const feePayer = readAddress('fee_payer', values.fee_payer, findings);
  if (feePayer && !isAddressOnCurve(feePayer)) {
    findings.push({
      code: 'fee_payer_off_curve',
      pointer: '/fee_payer',
      detail: `${feePayer} is off the Ed25519 curve, so no key can sign for it. Send the address of a wallet.`,
    });
  }
  return {
    feePayer: feePayer ?? from,
    version: values.transaction_version ?? 'legacy',
    priorityFee: readPriorityFee(values.priority_fee, findings),
    nonceAccount: readAddress('nonce_account', values.nonce_account, findings),
    references: readReferences(values.references ?? [], findings),
    allowsOffCurveRecipient: values.allow_off_curve_recipient ?? false,
    checks: values.checks ?? 'full',
  };
}

function readPriorityFee(text: string | undefined, findings: Finding[]): PriorityFee {
  if (text === undefined || text === noPriorityFee) return undefined;
  const level = levels.find((name) => name === text);
  if (level) return { level };
  const price = /^(?:0|[1-9][0-9]{0,19})$/.test(text) ? BigInt(text) : undefined;
  if (price !== undefined && price <= maximumAmount) {
    return price === 0n ? undefined : { microLamportsPerComputeUnit: price };
  }
  findings.push({
    code: 'invalid_value',
    pointer: '/priority_fee',
    detail:
      'priority_fee must be "none", "low", "medium", "high", or micro-lamports per compute unit in plain decimal digits, ' +
      `at most ${maximumAmount}.`,
  });
  return undefined;
}

function readReferences(texts: readonly string[], findings: Finding[]): readonly Address[] {
  if (texts.length > maximumReferences) {
    const detail = `references has ${texts.length} addresses; one transfer takes ${maximumReferences}. Send fewer.`;
    findings.push({ code: 'invalid_value', pointer: '/references', detail });
    return [];
  }
  const references: Address[] = [];
  for (const [index, text] of texts.entries()) {
    const reference = readAddress(`references/${index}`, text, findings);
    if (reference === undefined) continue;
    if (references.includes(reference)) {
      const detail = `references has ${reference} more than once. Send each reference once.`;
      findings.push({ code: 'invalid_value', pointer: `/references/${index}`, detail });
    }
    references.push(reference);
  }
  return references;
}
