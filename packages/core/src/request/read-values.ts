import { type Address, parseAddress, sol } from '../addresses/address.ts';
import type { Finding, FindingField } from '../findings/finding.ts';
import { type DecimalAmount, maxAmount, parseAmount, parseDecimalAmount } from './amount.ts';
import { type Memo, parseMemo } from './memo.ts';

/** The most references of one payment: some more would fit the packet; wallets of Solana Pay handle few. */
const maxReferences = 10;

/** Parses the base units in a field of a request; a fault of them becomes a finding. An absent text is no fault. */
export function readAmount(field: FindingField, text: string | undefined, findings: Finding[]): bigint | undefined {
  if (text === undefined) return undefined;
  const parsed = parseAmount(text);
  if ('amount' in parsed) return parsed.amount;
  findings.push({ code: 'invalid_amount', field, context: { fault: parsed.fault, max: maxAmount } });
  return undefined;
}

/** Parses the number of whole tokens in a field of a request, as `readAmount` does base units. */
export function readDecimalAmount(
  field: FindingField,
  text: string | undefined,
  findings: Finding[],
): DecimalAmount | undefined {
  if (text === undefined) return undefined;
  const parsed = parseDecimalAmount(text);
  if ('amount' in parsed) return parsed.amount;
  findings.push({ code: 'invalid_amount', field, context: { decimalFault: parsed.fault } });
  return undefined;
}

/** Parses the block height in a field of a request, as `readAmount` does base units. */
export function readBlockHeight(
  field: FindingField,
  text: string | undefined,
  findings: Finding[],
): bigint | undefined {
  if (text === undefined) return undefined;
  const height = /^(?:0|[1-9][0-9]{0,19})$/.test(text) ? BigInt(text) : undefined;
  if (height !== undefined && height <= maxAmount) return height;
  findings.push({ code: 'invalid_value', field, context: { kind: 'not_a_block_height', max: maxAmount } });
  return undefined;
}

/** Parses the memo in a field of a request, as `readAmount` does base units. */
export function readMemo(field: FindingField, text: string | undefined, findings: Finding[]): Memo | undefined {
  if (text === undefined) return undefined;
  const parsed = parseMemo(text);
  if ('memo' in parsed) return parsed.memo;
  findings.push({ code: 'invalid_memo', field, context: { fault: parsed.fault } });
  return undefined;
}

/** Parses a list of references, of which `fieldAt` names each by its index; faults become findings. */
export function readReferences(
  field: FindingField,
  fieldAt: (index: number) => FindingField,
  texts: readonly string[],
  findings: Finding[],
): readonly Address[] {
  if (texts.length === 0) return [];
  if (texts.length > maxReferences) {
    const context = { kind: 'too_many', count: texts.length, max: maxReferences } as const;
    findings.push({ code: 'invalid_value', field, context });
    return [];
  }
  const references: Address[] = [];
  for (const [index, text] of texts.entries()) {
    const reference = readAddress(fieldAt(index), text, findings);
    if (reference === undefined) continue;
    if (references.includes(reference)) {
      const context = { kind: 'repeated', address: reference } as const;
      findings.push({ code: 'invalid_value', field: fieldAt(index), context });
    }
    references.push(reference);
  }
  return references;
}

/** Parses the mint of a request, as `readAddress` does an address. `acceptsSol`: whether "SOL" is one. */
export function readMint(
  text: string | undefined,
  acceptsSol: boolean,
  findings: Finding[],
  field: FindingField = 'mint',
): Address | undefined {
  return acceptsSol && text === sol ? sol : readAddress(field, text, findings);
}

/** Parses the address in a field of a request; a fault of it becomes a finding. An absent text is no fault. */
export function readAddress(field: FindingField, text: string | undefined, findings: Finding[]): Address | undefined {
  if (text === undefined) return undefined;
  const parsed = parseAddress(text);
  if ('address' in parsed) return parsed.address;
  findings.push({ code: 'invalid_address', field, context: { fault: parsed.fault } });
  return undefined;
}
