import type { Address } from '../addresses/address.ts';
import { isAddressOnCurve } from '../addresses/known-addresses.ts';
import type { Finding } from '../findings/finding.ts';
import type { TransactionVersion } from '../transaction/encode-transaction.ts';
import { maxAmount } from './amount.ts';
import { readAddress, readReferences } from './read-values.ts';
import type { PriorityFee, TokenAccountCreation, TransferLayout, TransferOptions } from './transfer-request.ts';

/** The options of a transfer as texts and plain values; `undefined` is an option that was not given. */
export interface TransferOptionInputs {
  layout?: TransferLayout | undefined;
  createTokenAccount: TokenAccountCreation;
  feePayer?: string | undefined;
  priorityFee?: string | undefined;
  nonceAccount?: string | undefined;
  transactionVersion?: TransactionVersion | undefined;
  references?: readonly string[] | undefined;
  allowsOffCurveRecipient?: boolean | undefined;
  checks?: 'full' | 'none' | undefined;
}

const noPriorityFee = 'none';
const levels = ['low', 'medium', 'high'] as const;

/** Parses the options of a request whose sender is `from`, adding every fault to `findings`. */
export function parseOptions(inputs: TransferOptionInputs, from: Address, findings: Finding[]): TransferOptions {
  const feePayer = readAddress('feePayer', inputs.feePayer, findings);
  if (feePayer && !isAddressOnCurve(feePayer)) {
    findings.push({ code: 'fee_payer_off_curve', field: 'feePayer', context: { feePayer } });
  }
  const { layout = 'default', createTokenAccount } = inputs;
  // A server that pays the fee of a charge accepts the creations that it demands, and no others.
  const isPaidByServer = feePayer !== undefined && feePayer !== from;
  const createsWhereMissing = layout === 'default' || (layout === 'mpp' && !isPaidByServer);
  return {
    layout,
    createTokenAccount: createTokenAccount === 'if_missing' && !createsWhereMissing ? 'never' : createTokenAccount,
    feePayer: feePayer ?? from,
    version: inputs.transactionVersion ?? 'legacy',
    priorityFee: readPriorityFee(inputs.priorityFee, findings),
    nonceAccount: readAddress('nonceAccount', inputs.nonceAccount, findings),
    references: readReferences('references', (index) => ({ references: index }), inputs.references ?? [], findings),
    allowsOffCurveRecipient: inputs.allowsOffCurveRecipient ?? false,
    checks: inputs.checks ?? 'full',
  };
}

function readPriorityFee(text: string | undefined, findings: Finding[]): PriorityFee {
  if (text === undefined || text === noPriorityFee) return undefined;
  const level = levels.find((name) => name === text);
  if (level) return { level };
  const price = /^(?:0|[1-9][0-9]{0,19})$/.test(text) ? BigInt(text) : undefined;
  if (price !== undefined && price <= maxAmount) {
    return price === 0n ? undefined : { microLamportsPerComputeUnit: price };
  }
  const context = { kind: 'not_a_price', max: maxAmount } as const;
  findings.push({ code: 'invalid_value', field: 'priorityFee', context });
  return undefined;
}
