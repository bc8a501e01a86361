import { memoProgram } from './addresses.ts';
import type { ExpectedPayment } from './expectation.ts';
import type { Instruction, Message } from './message.ts';
import { expectSame, VerificationError } from './verification-error.ts';

/** What an instruction needs of an account. */
export interface AccountUse {
  address: string;
  isSigner?: boolean;
  isWritable?: boolean;
}

/**
 * The instructions of a message, taken one after the other, each as it is expected.
 *
 * At the end every account of the message must have been needed, and have the rights that the instructions need, no more and
 * no fewer.
 */
export class Instructions {
  readonly #message: Message;
  readonly #needed = new Map<string, { isSigner: boolean; isWritable: boolean }>();
  #taken = 0;

  constructor(message: Message, feePayer: string) {
    this.#message = message;
    this.#need({ address: feePayer, isSigner: true, isWritable: true });
  }

  /** Says whether the next instruction calls a program, with this account as its second one if that is given. */
  isNext(program: string, account?: string): boolean {
    const next = this.#message.instructions[this.#taken];
    return next?.program === program && (account ?? next.accounts[1]) === next.accounts[1];
  }

  /** Takes the next instruction, which must call this program. */
  take(part: string, program: string): Instruction {
    const instruction = this.#message.instructions[this.#taken++];
    if (instruction?.program === program) {
      this.#need({ address: program });
      return instruction;
    }
    throw new VerificationError(
      'wrong_instruction',
      `instruction ${this.#taken}`,
      `${part}, by ${program}`,
      instruction ? `a call of ${instruction.program}` : 'no further instruction',
    );
  }

  /** Throws unless an instruction has exactly these bytes as its data. */
  expectData(part: string, { data }: Instruction, expected: readonly number[]): void {
    expectSame('wrong_data', `${part}, data`, expected.join(), data.join());
  }

  /** Throws unless an instruction names exactly these accounts, and notes what it needs of them. */
  expectAccounts(part: string, { accounts }: Instruction, expected: readonly AccountUse[]): void {
    for (const [index, use] of expected.entries()) {
      expectSame('wrong_account', `${part}, account ${index + 1}`, use.address, accounts[index]);
      this.#need(use);
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
    this.expectAccounts(part, memo, [{ address: sender, isSigner: true }]);
    return found;
  }

  /** Says whether the message lets an account be written. */
  isWritable(address: string): boolean {
    return this.#message.accounts.some((account) => account.address === address && account.isWritable);
  }

  /** Throws where an instruction is left, or an account has other rights than all instructions need. */
  expectEnd(): void {
    const next = this.#message.instructions[this.#taken];
    if (next) {
      const found = `a call of ${next.program}`;
      throw new VerificationError('wrong_instruction', `instruction ${this.#taken + 1}`, 'none', found);
    }
    for (const { address, ...found } of this.#message.accounts) {
      expectSame('wrong_role', `account ${address}`, describeRole(this.#needed.get(address)), describeRole(found));
    }
  }

  #need({ address, isSigner = false, isWritable = false }: AccountUse): void {
    const before = this.#needed.get(address);
    this.#needed.set(address, {
      isSigner: isSigner || before?.isSigner === true,
      isWritable: isWritable || before?.isWritable === true,
    });
  }
}

function describeRole(role: { isSigner: boolean; isWritable: boolean } | undefined): string {
  if (!role) return 'not there';
  return `${role.isWritable ? 'writable' : 'read-only'}${role.isSigner ? ', signs' : ''}`;
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
