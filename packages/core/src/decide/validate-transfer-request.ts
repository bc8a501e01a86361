import { isAddressOnCurve } from '../addresses/curve.ts';
import { systemProgram } from '../addresses/programs.ts';
import type { Finding } from '../findings/finding.ts';
import type { MemoSurroundings } from '../plan/plan-size.ts';
import {
  parseTransferRequest,
  type TransferInputs,
  type TransferRequestParts,
} from '../request/parse-transfer-request.ts';
import type { TransferRequest } from '../request/transfer-request.ts';
import { checkLayout, fitsLayout } from './check-layout.ts';
import { checkMemo } from './check-memo.ts';

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
  if (from && !isAddressOnCurve(from)) {
    findings.push({ code: 'sender_off_curve', field: 'from', context: { sender: from } });
  }
  if (from && from === to) {
    findings.push({ code: 'same_wallet', field: 'to', context: { wallet: from } });
  }
  for (const [index, split] of parts.splits.entries()) {
    if (split.to !== from) continue;
    findings.push({ code: 'same_wallet', field: { split: index, part: 'to' }, context: { wallet: from } });
  }
  return findings;
}

function withStandIns(parts: TransferRequestParts): MemoSurroundings {
  const { from = systemProgram, to = systemProgram, mint = systemProgram } = parts;
  return { ...parts, from, to, mint };
}

function isComplete(parts: TransferRequestParts): parts is TransferRequest {
  const { from, to, mint, amount } = parts;
  return from !== undefined && to !== undefined && mint !== undefined && amount !== undefined;
}
