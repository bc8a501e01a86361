import { sol } from '../addresses/address.ts';
import { isAddressOnCurve } from '../addresses/known-addresses.ts';
import { systemProgram } from '../addresses/programs.ts';
import type { Finding, FindingField } from '../findings/finding.ts';
import type { LayoutConflict } from '../findings/finding-faults.ts';
import type { Memo } from '../request/memo.ts';
import {
  parseTransferRequest,
  type SplitParts,
  type TransferInputs,
  type TransferRequestParts,
} from '../request/parse-transfer-request.ts';
import { layoutLimits, type Split, type TransferRequest } from '../request/transfer-request.ts';
import { checkMemo, type MemoSurroundings } from './check-memo.ts';

/**
 * Parses the texts of a request and reports everything that is wrong with it before anything is read from the chain.
 *
 * Returns no request when an address or the amount is absent, even without a finding: absence is the caller's to report.
 */
export function validateTransferRequest(inputs: TransferInputs): {
  request: TransferRequest | undefined;
  findings: readonly Finding[];
} {
  const { parts, findings: faults } = parseTransferRequest(inputs);
  const findings = [...faults, ...checkParts(parts), ...checkLayout(inputs, parts)];
  return { request: findings.length === 0 && isComplete(parts) ? parts : undefined, findings };
}

function checkParts(parts: TransferRequestParts): readonly Finding[] {
  const { from, to, memo } = parts;
  const findings: Finding[] = [];
  // Where an address is missing or at fault, another stands in, so that the memo's faults are still found.
  const finding = memo && fitsLayout(parts, memo) && checkMemo(memo, isComplete(parts) ? parts : withStandIns(parts));
  if (finding) findings.push(finding);
  if (from && !parts.isFromVault && !isAddressOnCurve(from)) {
    findings.push({ code: 'sender_off_curve', field: 'from', context: { sender: from } });
  }
  if (from && from === to) {
    findings.push({ code: 'same_wallet', field: 'to', context: { wallet: from } });
  }
  for (const [index, split] of parts.splits.entries()) {
    if (!from || split.to !== from) continue;
    findings.push({ code: 'same_wallet', field: { split: index, part: 'to' }, context: { wallet: from } });
  }
  return findings;
}

function withStandIns(parts: TransferRequestParts): MemoSurroundings {
  const { from = systemProgram, to = systemProgram, mint = systemProgram } = parts;
  return { ...parts, from, to, mint, splits: parts.splits.filter(isCompleteSplit) };
}

function isCompleteSplit(split: SplitParts): split is Split {
  return split.to !== undefined && split.amount !== undefined;
}

function isComplete(parts: TransferRequestParts): parts is TransferRequest {
  const { from, to, mint, amount, splits } = parts;
  return (
    from !== undefined &&
    to !== undefined &&
    mint !== undefined &&
    amount !== undefined &&
    splits.every(isCompleteSplit)
  );
}

// Returns what of a request its layout has no room for, in the order of the fields; nothing in the default layout.
function checkLayout(inputs: TransferInputs, parts: TransferRequestParts): readonly Finding[] {
  const { layout, memo, priorityFee } = parts;
  if (layout === 'default') return [];
  const findings: Finding[] = [];
  const add = (field: FindingField, conflict: LayoutConflict): void => {
    findings.push({ code: 'layout_conflict', field, context: { layout, conflict } });
  };
  const { maxMemoBytes, maxComputeUnitPrice } = layoutLimits[layout];
  if (memo && !fitsLayout(parts, memo)) {
    add('memo', { kind: 'memo_too_long', byteLength: memo.bytes.length, maxByteLength: maxMemoBytes });
  }
  if (parts.mint === sol) add('mint', { kind: 'sol' });
  if (inputs.tip !== undefined) add({ tip: 'account' }, { kind: 'tip' });
  if (parts.wrap) add('wrap', { kind: 'wrapping' });
  if (parts.unwrap) add('unwrap', { kind: 'wrapping' });
  if (layout === 'x402') {
    if (parts.createTokenAccount === 'always') add('createTokenAccount', { kind: 'creation' });
    if (inputs.splits && inputs.splits.length > 0) add('splits', { kind: 'splits' });
    const feePayerConflict = checkFeePayer(inputs, parts);
    if (feePayerConflict) add('feePayer', feePayerConflict);
  }
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

function fitsLayout({ layout }: Pick<TransferRequest, 'layout'>, memo: Memo): boolean {
  return layout === 'default' || memo.bytes.length <= layoutLimits[layout].maxMemoBytes;
}
