import {
  type Address,
  appendTransactionMessageInstructions,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  type Instruction,
  lamports,
  setTransactionMessageComputeUnitLimit,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  setTransactionMessageLoadedAccountsDataSizeLimit,
} from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { getSyncNativeInstruction } from '@solana-program/token-2022';
import type { Ledger } from '../../../packages/sandbox/src/index.ts';
import type { Keypair } from '../../../packages/sandbox/src/ledger/keypair.ts';
import { atDepth, type FormedPayment, type PaymentForm, paymentIn, withReferences } from '../../setup/payment-forms.ts';
import { throughProxy } from '../../setup/proxy-program.ts';
import { type FeeInForce, withheldBy } from '../../setup/transfer-fees.ts';
import { otherToken, sol } from '../other-mint.ts';
import type { Situation } from '../situation.ts';
import { signTransaction } from '../transaction.ts';
import type { Payer } from './link-stage.ts';
import type { Forgery, Shape } from './link-world.ts';

/** What a forgery is made of. */
interface ForgeryParts {
  situation: Situation;
  payer: Payer;
  /** What the link wants, and the other one. */
  amount: bigint;
  otherAmount: bigint;
  /** What arrives of the amount at least, by the highest fee that was known when the link was made. */
  least: bigint;
  shape: Shape;
  /** What the mint withholds now. */
  feeInForce: FeeInForce | undefined;
  /** Who can take from the recipient's account: its owner, or the permanent delegate of the mint. */
  taker: Keypair;
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
  if (forgery === 'synced' || forgery === 'wrapped_too_little') leaveLamports(ledger, parts);
  const instructions = instructionsOf(forgery, parts);
  const empty = version === 1 ? versionOne() : version === 0 ? createTransactionMessage({ version }) : legacy();
  const message = setTransactionMessageLifetimeUsingBlockhash(
    ledger.latestBlockhash(),
    setTransactionMessageFeePayer(payer.keypair.address, appendTransactionMessageInstructions(instructions, empty)),
  );
  const transaction = compileTransaction(message);
  return signTransaction(transaction, [payer.keypair, parts.taker]);
}

function legacy() {
  return createTransactionMessage({ version: 'legacy' });
}

function versionOne() {
  const limited = setTransactionMessageComputeUnitLimit(400_000, createTransactionMessage({ version: 1 }));
  return setTransactionMessageLoadedAccountsDataSizeLimit(64 * 1024 * 1024, limited);
}

function instructionsOf(forgery: Forgery, parts: ForgeryParts): Instruction[] {
  const { situation, payer, amount, otherAmount, least, references, elsewhere, other, extra } = parts;
  const [own, stranger] = references;
  const destination = situation.recipientTokenAccount;
  const { tokenAccount: source } = payer;
  const pay = (sum: bigint, carried: readonly Address[] = [own], to = destination) =>
    transfer(parts, sum, carried, { source, destination: to });
  const lamportsTo = (to: Address, sum: bigint) =>
    getTransferSolInstruction({ source: createNoopSigner(payer.keypair.address), destination: to, amount: sum });
  // So that no two are the same transaction.
  const distinct = lamportsTo(payer.keypair.address, BigInt(extra));
  // By the recipient, or by the issuer where the mint lets it.
  const back = (sum: bigint) =>
    transfer(parts, sum, [], { source: destination, destination: source, authority: parts.taker.address });
  const isWrapped = situation.world.mint.kind === 'native';
  const synced = getSyncNativeInstruction({ account: destination }, { programAddress: situation.tokenProgram });
  const wrap = (sum: bigint) => [...carrying(parts.shape, lamportsTo(destination, sum), [own]), synced];
  switch (forgery) {
    case 'enough':
      return [distinct, ...pay(amount)];
    case 'more':
      return [distinct, ...pay(amount + BigInt(extra))];
    case 'too_little':
      return [distinct, ...pay(amount - 1n)];
    case 'least':
      return [distinct, ...pay(least)];
    case 'in_halves':
      return [distinct, ...pay(amount / 2n), ...pay(amount - amount / 2n)];
    case 'elsewhere':
      return [distinct, ...pay(amount, [own], elsewhere)];
    case 'other_mint':
      return [distinct, ...transfer(parts, amount, [own], other)];
    case 'without_reference':
      return [distinct, ...pay(amount, [])];
    case 'reference_elsewhere':
      return [distinct, ...pay(amount, []), lamportsTo(own, someLamports)];
    case 'both_references':
      return [distinct, ...pay(amount, extra % 2 === 0 ? references : references.toReversed())];
    case 'enough_for_both':
      return [distinct, ...pay(amount + otherAmount, extra % 2 === 0 ? references : references.toReversed())];
    case 'too_little_for_both':
      return [distinct, ...pay(amount + otherAmount - 1n, extra % 2 === 0 ? references : references.toReversed())];
    case 'one_each':
      return [distinct, ...pay(amount), ...pay(otherAmount, [stranger])];
    case 'beside_a_payment':
      return [distinct, ...pay(amount, []), ...pay(1n)];
    case 'in_two_tokens':
      return [distinct, ...pay(extra % 2 === 0 ? amount : amount - 1n), ...transfer(parts, amount, [own], other)];
    case 'others_payment':
      return [distinct, lamportsTo(own, someLamports), ...pay(amount > otherAmount ? amount : otherAmount, [stranger])];
    case 'synced':
      return [distinct, lamportsTo(own, someLamports), ...(isWrapped ? [synced] : [])];
    case 'wrapped':
      return [distinct, ...(isWrapped ? wrap(amount) : pay(amount))];
    case 'wrapped_too_little':
      return [distinct, ...(isWrapped ? wrap(amount - 1n) : pay(amount - 1n))];
    case 'taken_back':
      return [distinct, ...pay(amount), ...back(amount)];
    case 'taken_back_in_part':
      return [distinct, ...pay(amount), ...back(1n)];
    case 'to_itself':
      return [
        distinct,
        ...transfer(parts, amount, [own], { source: destination, destination, authority: parts.taker.address }),
      ];
    case 'names_only':
      return [distinct, lamportsTo(own, someLamports)];
    case 'failing':
      return [distinct, ...pay(amount), lamportsTo(payer.keypair.address, bigSum)];
  }
}

function transfer(
  { situation, payer, shape, feeInForce }: ForgeryParts,
  amount: bigint,
  references: readonly Address[],
  accounts: { source: Address; destination: Address; mint?: Address; authority?: Address },
): Instruction[] {
  const isOther = accounts.mint !== undefined;
  if (situation.mint === sol && !isOther) {
    const { source, destination, authority = source } = accounts;
    if (authority !== source) throw new Error('nobody else moves SOL of a wallet');
    const made = getTransferSolInstruction({ source: createNoopSigner(source), destination, amount });
    return carrying(shape, made, references);
  }
  const tokenProgram = isOther ? TOKEN_PROGRAM_ADDRESS : situation.tokenProgram;
  const payment: FormedPayment = {
    tokenProgram,
    mint: situation.mint,
    authority: payer.keypair.address,
    ...accounts,
    amount,
    decimals: isOther ? otherToken.mintWorld.decimals : situation.decimals,
    fee: feeInForce ? withheldBy(feeInForce, amount) : 0n,
  };
  const form = formOf(shape.form, situation, isOther);
  return shape.reference === 'on_transfer'
    ? [atDepth(shape.depth, paymentIn(form, { ...payment, references }))]
    : carrying(shape, paymentIn(form, payment), references);
}

/** A transfer at its depth, with references where they are to stand. */
function carrying({ depth, reference }: Shape, made: Instruction, references: readonly Address[]): Instruction[] {
  switch (reference) {
    case 'on_transfer':
      return [atDepth(depth, withReferences(made, references))];
    case 'outermost':
      return [atDepth(depth, made, references)];
    case 'beside':
      return [atDepth(depth, made), throughProxy([], references)];
  }
}

/** Lamports of the recipient's own that lie in its account of wrapped SOL, until somebody syncs them. */
function leaveLamports(ledger: Ledger, { situation, amount }: ForgeryParts): void {
  const found = ledger.getAccount(situation.recipientTokenAccount);
  if (!found || situation.world.mint.kind !== 'native') return;
  ledger.setAccount({ ...found, lamports: lamports(found.lamports + 3n * amount) });
}

// What the token program of the mint knows: most extensions want the mint to be named, and only Token-2022 withholds fees.
function formOf(form: PaymentForm, { world: { mint } }: Situation, isOther: boolean): PaymentForm {
  const isExtended = !isOther && mint.kind === 'token_2022' && mint.extensions.length > 0;
  if (form === 'with_fee') return isExtended ? form : 'batch';
  if (!isExtended) return form;
  return form === 'unchecked' ? 'checked' : form === 'batch_unchecked' ? 'batch' : form;
}
