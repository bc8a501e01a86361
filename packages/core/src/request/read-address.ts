import { type Address, parseAddress } from '../addresses/address.ts';
import type { Finding, FindingField } from '../findings/finding.ts';

/** Parses the address in a field of a request; a fault of it becomes a finding. An absent text is no fault. */
export function readAddress(field: FindingField, text: string | undefined, findings: Finding[]): Address | undefined {
  if (text === undefined) return undefined;
  const parsed = parseAddress(text);
  if ('address' in parsed) return parsed.address;
  findings.push({ code: 'invalid_address', field, context: { fault: parsed.fault } });
  return undefined;
}
