import { memoProgram } from './addresses.ts';
import { toInteger } from './bytes.ts';
import type { ExpectedPayment } from './expectation.ts';
import type { Instruction, Message, MessageAccount } from './message.ts';
import { expectSame, type VerificationCode, VerificationError } from './verification-error.ts';

const rights = (isSigner: boolean, isWritable: boolean) => {
  return (address: string): MessageAccount => ({ address, isSigner, isWritable });
};
/** What an instruction needs of an account. */
export const readOnly = rights(false, false);
export const writable = rights(false, true);
export const signer = rights(true, false);
export const writableSigner = rights(true, true);

/**
 * The instructions of a message, taken one after the other, each as it is expected.
 *
 * At the end every account of the message must have been needed, and have the rights that the instructions need, no more and
 * no fewer.
 */
export class Instructions {
  readonly #message: Message;
  readonly #needed: MessageAccount[];
  #taken = 0;

  constructor(message: Message, feePayer: string) {
    this.#message = message;
    this.#needed = [writableSigner(feePayer)];
  }

  /** Says whether the next instruction calls a program, with this account as its second one if that is given. */
  isNext(program: string, account?: string): boolean {
    const next = this.#message.instructions[this.#taken];
    return next?.program === program && (account ?? next.accounts[1]) === next.accounts[1];
  }

  /** Takes the next instruction, which must call this program, with exactly these bytes as its data if they are given. */
  take(part: string, program: string, data?: readonly number[]): Instruction {
    const instruction = this.#message.instructions[this.#taken++];
    if (instruction?.program !== program) throw this.#wrongInstruction(`${part}, by ${program}`, instruction);
    this.#needed.push(readOnly(program));
    const found = instruction.data.join();
    expectSame('wrong_data', `${part}, data`, data?.join() ?? found, found);
    return instruction;
  }

  /** Throws unless an instruction names exactly these accounts, and notes what it needs of them. */
  expectAccounts(part: string, { accounts }: Instruction, expected: readonly MessageAccount[]): void {
    for (const [index, use] of expected.entries()) {
      expectSame('wrong_account', `${part}, account ${index + 1}`, use.address, accounts[index]);
      this.#needed.push(use);
    }
    expectSame('wrong_account', `${part}, number of accounts`, expected.length, accounts.length);
  }

  /** Takes the memo that is expected, if one is. Returns its text. */
  takeMemo(part: string, expected: ExpectedPayment['memo'], sender: string): string | undefined {
    if (expected === undefined) return undefined;
    const memo = this.take(part, memoProgram);
    const found = readUtf8(memo.data);
    if (typeof expected === 'string') expectSame('wrong_memo', part, expected, found);
    else if (!/^[0-9a-f]{32}$/.test(found)) throw new VerificationError('wrong_memo', part, '16 bytes in hex', found);
    this.expectAccounts(part, memo, [signer(sender)]);
    return found;
  }

  /** Says whether the message lets an account be written, or has it sign. */
  isStaked(address: string): boolean {
    return this.#message.accounts.some(({ address: own, isSigner, isWritable }) => {
      return own === address && (isSigner || isWritable);
    });
  }

  /** Throws where an instruction is left, or an account has other rights than all instructions need. */
  expectEnd(): void {
    const next = this.#message.instructions[this.#taken++];
    if (next) throw this.#wrongInstruction('none', next);
    for (const account of this.#message.accounts) {
      const uses = this.#needed.filter(({ address }) => address === account.address);
      expectSame('wrong_role', `account ${account.address}`, describeRole(uses), describeRole([account]));
    }
  }

  #wrongInstruction(expected: string, found: Instruction | undefined): VerificationError {
    const actual = found ? `a call of ${found.program}` : 'no further instruction';
    return new VerificationError('wrong_instruction', `instruction ${this.#taken}`, expected, actual);
  }
}

/** The data of an instruction: its kind, then an integer of 64 bits or fewer, and perhaps more. */
export interface DataLayout {
  kind: readonly number[];
  length: number;
}

/** Returns the integer in the data of an instruction. Throws where the data has another layout. */
export function integerOf(
  { data }: Instruction,
  part: string,
  { kind, length }: DataLayout,
  code: VerificationCode,
): bigint {
  const end = kind.length;
  expectSame(code, `${part}, kind`, `${kind} of ${length} bytes`, `${data.subarray(0, end)} of ${data.length} bytes`);
  return toInteger(data.subarray(end, end + 8));
}

function describeRole(uses: readonly MessageAccount[]): string {
  if (uses.length === 0) return 'not there';
  const right = uses.some(({ isWritable }) => isWritable) ? 'writable' : 'read-only';
  return uses.some(({ isSigner }) => isSigner) ? `${right}, signs` : right;
}

/** Decodes UTF-8, as text that only these bytes encode: `TextDecoder` is not everywhere. Throws for other bytes. */
function readUtf8(data: Uint8Array): string {
  const escaped = Array.from(data, (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  try {
    return decodeURIComponent(escaped);
  } catch {
    throw new VerificationError('wrong_memo', 'memo', 'valid Unicode', escaped);
  }
}
