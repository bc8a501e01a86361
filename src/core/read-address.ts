import type { Finding } from '../errors.ts';
import { type Address, type AddressFault, parseAddress } from './address.ts';

/** Parses the address in a field of a request; a fault of it becomes a finding. An absent text is no fault. */
export function readAddress(field: string, text: string | undefined, findings: Finding[]): Address | undefined {
  if (text === undefined) return undefined;
  const parsed = parseAddress(text);
  if ('address' in parsed) return parsed.address;
  const detail = `${field} ${explainAddressFault(parsed.fault)}. A Solana address is the base58 text of 32 bytes.`;
  findings.push({ code: 'invalid_address', pointer: `/${field}`, detail });
  return undefined;
}

function explainAddressFault(fault: AddressFault): string {
  switch (fault.kind) {
    case 'empty':
      return 'is empty';
    case 'evm_address':
      return 'is an EVM (Ethereum) address, not a Solana one';
    case 'white_space':
      return `has white space at index ${fault.index}`;
    case 'invalid_character':
      return `has ${JSON.stringify(fault.character)} at index ${fault.index}, which is not in the base58 alphabet`;
    case 'wrong_length':
      return `decodes to ${fault.byteLength} bytes instead of 32`;
    case 'too_long':
      return `has ${fault.characterCount} characters instead of 32 to 44`;
  }
}
