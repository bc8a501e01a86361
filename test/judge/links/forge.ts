import {
  AccountRole,
  type Address,
  appendTransactionMessageInstructions,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  type Instruction,
  setTransactionMessageComputeUnitLimit,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  setTransactionMessageLoadedAccountsDataSizeLimit,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { getTransferCheckedInstruction } from '@solana-program/token-2022';
import type { Ledger } from '../../../packages/sandbox/src/index.ts';
import type { Situation } from '../situation.ts';
import { signTransaction } from '../transaction.ts';
import type { Payer } from './link-payers.ts';
import type { Forgery } from './link-world.ts';

/** What a forgery is made of. */
export interface ForgeryParts {
  situation: Situation;
  payer: Payer;
  amount: bigint;
  references: readonly [Address, Address];
  /** A token account of somebody else. */
  elsewhere: Address;
  /** Another mint, of which the payer and the recipient have accounts. */
  other: { mint: Address; source: Address; destination: Address };
  version: 'legacy' | 0 | 1;
  extra: number;
}

const bigSum = 2n ** 60n;
const someLamports = 1_000_000n;

/** Signs a transfer that no service built. */
export function forge(ledger: Ledger, forgery: Forgery, parts: ForgeryParts): Uint8Array {
  const { payer, version } = parts;
  const instructions = instructionsOf(forgery, parts);
  const empty = version === 1 ? versionOne() : version === 0 ? createTransactionMessage({ version }) : legacy();
  const message = setTransactionMessageLifetimeUsingBlockhash(
    ledger.latestBlockhash(),
    setTransactionMessageFeePayer(payer.keypair.address, appendTransactionMessageInstructions(instructions, empty)),
  );
  return signTransaction(compileTransaction(message), [payer.keypair]);
}

function legacy() {
  return createTransactionMessage({ version: 'legacy' });
}

function versionOne() {
  const limited = setTransactionMessageComputeUnitLimit(400_000, createTransactionMessage({ version: 1 }));
  return setTransactionMessageLoadedAccountsDataSizeLimit(64 * 1024 * 1024, limited);
}

function instructionsOf(forgery: Forgery, parts: ForgeryParts): Instruction[] {
  const { situation, payer, amount, references, elsewhere, other, extra } = parts;
  const [own] = references;
  const pay = (sum: bigint, carried: readonly Address[] = [own], destination = situation.recipientTokenAccount) =>
    transfer(parts, sum, carried, { source: payer.tokenAccount, destination });
  const lamportsTo = (destination: Address, sum: bigint) =>
    getTransferSolInstruction({ source: createNoopSigner(payer.keypair.address), destination, amount: sum });
  // So that no two are the same transaction.
  const distinct = lamportsTo(payer.keypair.address, BigInt(extra));
  switch (forgery) {
    case 'enough':
      return [distinct, pay(amount)];
    case 'more':
      return [distinct, pay(amount + BigInt(extra))];
    case 'too_little':
      return [distinct, pay(amount - 1n)];
    case 'in_halves':
      return [distinct, pay(amount / 2n), pay(amount - amount / 2n)];
    case 'elsewhere':
      return [distinct, pay(amount, [own], elsewhere)];
    case 'other_mint':
      return [distinct, transfer(parts, amount, [own], other)];
    case 'without_reference':
      return [distinct, pay(amount, [])];
    case 'reference_elsewhere':
      return [distinct, pay(amount, []), lamportsTo(own, someLamports)];
    case 'both_references':
      return [distinct, pay(amount, extra % 2 === 0 ? references : references.toReversed())];
    case 'failing':
      return [distinct, pay(amount), lamportsTo(payer.keypair.address, bigSum)];
  }
}

function transfer(
  { situation, payer }: ForgeryParts,
  amount: bigint,
  references: readonly Address[],
  accounts: { source: Address; destination: Address; mint?: Address },
): Instruction {
  const { mint, decimals, tokenProgram } = situation;
  const authority = createNoopSigner(payer.keypair.address);
  const isOther = accounts.mint !== undefined;
  const instruction = getTransferCheckedInstruction(
    { mint, ...accounts, authority, amount, decimals: isOther ? otherDecimals : decimals },
    { programAddress: isOther ? TOKEN_PROGRAM_ADDRESS : tokenProgram },
  );
  const carried = references.map((address) => ({ address, role: AccountRole.READONLY }));
  return { ...instruction, accounts: [...instruction.accounts, ...carried] };
}

/** Of the other mint. */
export const otherDecimals = 6;
