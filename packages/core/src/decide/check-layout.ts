import type { Mint } from '../accounts/token-state.ts';
import type { Finding, FindingField } from '../findings/finding.ts';
import type { LayoutConflict } from '../findings/finding-faults.ts';
import type { Memo } from '../request/memo.ts';
import type { TransferInputs, TransferRequestParts } from '../request/parse-transfer-request.ts';
import type { TransferLayout, TransferRequest } from '../request/transfer-request.ts';
import { x402Limits } from '../request/x402-limits.ts';

/** Returns what of a request its layout has no room for, in the order of the fields; nothing in the default layout. */
export function checkLayout(inputs: TransferInputs, parts: TransferRequestParts): readonly Finding[] {
  const { layout } = parts;
  return layout === 'default' ? noFindings : conflictsWith(layout, inputs, parts);
}

const noFindings: readonly Finding[] = [];

function conflictsWith(
  layout: Exclude<TransferLayout, 'default'>,
  inputs: TransferInputs,
  parts: TransferRequestParts,
): readonly Finding[] {
  const { memo, priorityFee } = parts;
  const findings: Finding[] = [];
  const add = (field: FindingField, conflict: LayoutConflict): void => {
    findings.push({ code: 'layout_conflict', field, context: { layout, conflict } });
  };
  const { maxMemoBytes, maxComputeUnitPrice } = x402Limits;
  if (memo && !fitsLayout(parts, memo)) {
    add('memo', { kind: 'memo_too_long', byteLength: memo.bytes.length, maxByteLength: maxMemoBytes });
  }
  if (parts.createTokenAccount === 'always') add('createTokenAccount', { kind: 'creation' });
  if (inputs.splits && inputs.splits.length > 0) add('splits', { kind: 'splits' });
  const feePayerConflict = checkFeePayer(inputs, parts);
  if (feePayerConflict) add('feePayer', feePayerConflict);
  const price = priorityFee && 'microLamportsPerComputeUnit' in priorityFee && priorityFee.microLamportsPerComputeUnit;
  if (price && price > maxComputeUnitPrice) {
    add('priorityFee', { kind: 'price_too_high', price, maxPrice: maxComputeUnitPrice });
  }
  if (inputs.nonceAccount !== undefined) add('nonceAccount', { kind: 'nonce' });
  if (parts.version === 1) add('transactionVersion', { kind: 'version_1' });
  return findings;
}

// A facilitator signs as the fee payer: an account of an instruction could use that signature. As far as the request says which
// those accounts are; token accounts are off the curve, which no fee payer is.
function checkFeePayer(
  { feePayer, from }: TransferInputs,
  { mint, references }: TransferRequestParts,
): LayoutConflict | undefined {
  if (feePayer === undefined) return { kind: 'fee_payer_missing' };
  if (feePayer === from) return { kind: 'fee_payer_used', as: 'sender' };
  if (feePayer === mint) return { kind: 'fee_payer_used', as: 'mint' };
  return references.some((reference) => reference === feePayer)
    ? { kind: 'fee_payer_used', as: 'reference' }
    : undefined;
}

/** Returns whether a layout takes a memo of this length. */
export function fitsLayout({ layout }: Pick<TransferRequest, 'layout'>, memo: Memo): boolean {
  return layout === 'default' || memo.bytes.length <= x402Limits.maxMemoBytes;
}

/** Returns the finding when the mint has a transfer hook, whose accounts the layout has no room for, otherwise undefined. */
export function checkHookOfLayout({ layout, mint: address }: TransferRequest, mint: Mint): Finding | undefined {
  const program = mint.transferHookProgram;
  if (layout === 'default' || program === undefined) return undefined;
  const obstacle = { kind: 'transfer_hook', mint: address, program } as const;
  return { code: 'layout_not_possible', field: 'mint', context: { layout, obstacle } };
}
