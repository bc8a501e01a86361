import {
  accountUnder,
  associatedTokenProgram,
  classicTokenProgram,
  recentBlockhashesSysvar,
  systemProgram,
  token2022Program,
  tokenAccountOf,
} from './addresses.ts';
import { toBase58 } from './bytes.ts';
import { checkBudget } from './check-budget.ts';
import { checkSignatures } from './check-signatures.ts';
import { describeTransaction, totalOf } from './describe.ts';
import {
  type Expectation,
  type ExpectedPayment,
  expectSponsorFee,
  type MintPayment,
  sol,
  toBaseUnits,
  type VerifyOptions,
} from './expectation.ts';
import {
  type DataLayout,
  Instructions,
  integerOf,
  readOnly,
  signer,
  writable,
  writableSigner,
} from './instructions.ts';
import { type Instruction, type MessageAccount, readMessage } from './message.ts';
import { sha256 } from './sha256.ts';
import { takeThaw } from './take-thaw.ts';
import { expectAtMost, expectSame, VerificationError } from './verification-error.ts';
import type { HookAccount, VerifiedPayment, VerifiedTransaction, VerifiedTransfer } from './verified-transaction.ts';

/**
 * Compares the bytes of a transaction with what is expected of it. Throws a `VerificationError` with the first difference.
 *
 * `feeClaim`: what the reply says that the sponsor takes.
 */
export async function checkTransaction(
  bytes: Uint8Array,
  expectation: Expectation,
  options: VerifyOptions,
  feeClaim?: unknown,
): Promise<VerifiedTransfer> {
  const message = readMessage(bytes);
  const { version, sender, sponsored, mint, nonceAccount } = expectation;
  const feePayer = expectation.feePayer ?? message.accounts[0]?.address ?? '';
  if (sponsored && feePayer === sender)
    throw new VerificationError('wrong_signers', 'sponsor', 'another wallet', sender);
  expectSame('wrong_version', 'version', version, message.version);
  const { lifetimeToken } = message;
  expectSame('wrong_lifetime', 'lifetime', options.lifetimeToken ?? lifetimeToken, lifetimeToken);
  expectSame('wrong_lifetime', 'blockhash', expectation.blockhash ?? lifetimeToken, lifetimeToken);

  const instructions = new Instructions(message, feePayer);
  const nonce = nonceAccount === undefined ? undefined : takeNonce(instructions, nonceAccount);
  const signers = message.accounts.filter(({ isSigner }) => isSigner).map(({ address }) => address);
  const expected = new Set([feePayer, sender, nonce?.authority ?? sender]);
  expectSame('wrong_signers', 'signers', [...expected].sort().join(), [...signers].sort().join());
  expectSame('wrong_signers', 'fee payer', feePayer, signers[0]);
  const budget = checkBudget(instructions, message.budget, expectation, options);
  const fee = expectSponsorFee(sponsored, feeClaim);
  const transfers = message.instructions.filter(
    ({ program, data }) => tokenPrograms.includes(program) && data[0] === transferChecked.kind[0],
  );
  const { tokenProgram, decimals } = mint === sol ? formOfSol : formOf(transfers[fee ? 1 : 0]);
  expectSame('wrong_token_program', 'token program', options.tokenProgram ?? tokenProgram, tokenProgram);
  expectSame('wrong_decimals', 'decimals', options.decimals ?? decimals, decimals);

  const senderTokenAccount = accountOf(sender, tokenProgram, mint);
  const frame: Frame = { ...expectation, feePayer, signers, senderTokenAccount, tokenProgram, decimals, options };
  const wrapped = expectation.wrap ? takeWrap(instructions, frame) : 0n;
  const sponsorFee = fee && takeSponsorFee(instructions, frame, fee, formOf(transfers[0]));
  const payments = expectation.payments.map((payment, index, all) => {
    const isFirst = all.findIndex(({ recipient }) => recipient === payment.recipient) === index;
    return takePayment(instructions, frame, payment, { isFirst, isMain: index === all.length - 1 });
  });
  const total = totalOf(payments);
  expectAtMost('wrong_amount', 'wrap', total, wrapped);
  const { tip, unwrap: unwraps = false } = expectation;
  if (unwraps) {
    const close = instructions.take('unwrap', tokenProgram, [9]);
    instructions.expectAccounts('unwrap', close, [writable(senderTokenAccount), writable(sender), signer(sender)]);
  }
  if (tip) takeSolTransfer(instructions, 'tip', { from: feePayer, ...tip });
  instructions.expectEnd();
  const signed = await checkSignatures(message, sponsored ? feePayer : options.sponsor);
  if (sponsored && signed.length === 0) {
    throw new VerificationError('wrong_signature', `signature of ${feePayer}`, "the sponsor's", 'none');
  }
  const known = { decimals: options.decimals, token_program: options.tokenProgram };
  const unknown = (['decimals', 'token_program'] as const).filter((name) => mint !== sol && known[name] === undefined);
  const accounts = { feePayer, sender, senderTokenAccount, mint, tokenProgram, decimals };
  const messageHash = toBase58(sha256(message.signedBytes));
  const paid = { payments, sponsorFee, tip, wrapped, unwraps };
  const found = {
    version,
    messageHash,
    ...accounts,
    ...paid,
    ...budget,
    lifetimeToken,
    nonce,
    signers,
    signed,
    unknown,
  };
  return { ...found, transaction: bytes, sentence: describeTransaction(found) };
}

/** How a transaction moves what it pays. */
type Form = Pick<VerifiedTransaction, 'tokenProgram' | 'decimals'>;
const formOfSol: Form = { tokenProgram: systemProgram, decimals: 9 };

function formOf(transfer: Instruction | undefined): Form {
  if (!transfer) throw new VerificationError('wrong_instruction', 'transfer', 'a token program', 'none');
  return { tokenProgram: transfer.program, decimals: transfer.data[9] ?? 0 };
}

// A wallet holds its SOL itself.
function accountOf(wallet: string, tokenProgram: string, mint: string): string {
  return mint === sol ? wallet : tokenAccountOf({ wallet, tokenProgram, mint });
}

const tokenPrograms = [classicTokenProgram, token2022Program];

/** What all payments of a transaction share. */
interface Frame extends Omit<Expectation, 'payments'> {
  feePayer: string;
  signers: readonly string[];
  senderTokenAccount: string;
  tokenProgram: string;
  decimals: number;
  options: VerifyOptions;
}

// The fee's token may be another than the one that is sent; what the chain says of it is not known here.
function takeSponsorFee(
  instructions: Instructions,
  frame: Frame,
  fee: MintPayment,
  form: Form,
): VerifiedTransaction['sponsorFee'] {
  const { mint } = fee;
  const senderTokenAccount = tokenAccountOf({ wallet: frame.sender, tokenProgram: form.tokenProgram, mint });
  const own: Frame = { ...frame, ...form, mint, senderTokenAccount, creation: 'if_missing' };
  const { recipient, amount } = takePayment(instructions, own, fee, { isFirst: true, isMain: false });
  return { recipient, mint, amount };
}

// As much as is missing, which only the chain knows.
function takeWrap(instructions: Instructions, frame: Frame): bigint {
  const { sender, senderTokenAccount: own, tokenProgram } = frame;
  if (instructions.isNext(associatedTokenProgram, own)) {
    takeCreation(instructions, { ...frame, creation: 'always', feePayer: sender }, sender, own);
  } else if (!instructions.isNext(systemProgram)) return 0n;
  const lamports = takeSolTransfer(instructions, 'wrap', { from: sender, account: own });
  instructions.expectAccounts('wrap', instructions.take('wrap', tokenProgram, [17]), [writable(own)]);
  return lamports;
}

function takeNonce(instructions: Instructions, account: string): NonNullable<VerifiedTransaction['nonce']> {
  const part = 'nonce advance';
  const advance = instructions.take(part, systemProgram, [4, 0, 0, 0]);
  const authority = advance.accounts[2] ?? '';
  instructions.expectAccounts(part, advance, [writable(account), readOnly(recentBlockhashesSysvar), signer(authority)]);
  return { account, authority };
}

function takePayment(
  instructions: Instructions,
  frame: Frame,
  payment: ExpectedPayment,
  { isFirst, isMain }: { isFirst: boolean; isMain: boolean },
): VerifiedPayment {
  const { sender, mint, tokenProgram, senderTokenAccount, isX402, isMpp, decimals } = frame;
  const { recipient, references } = payment;
  const to = ` to ${recipient}`;
  if (recipient === sender) throw new VerificationError('invalid_request', 'to_address', 'another wallet', recipient);
  const recipientTokenAccount = accountOf(recipient, tokenProgram, mint);
  const mayCreate = isFirst && mint !== sol && !(isMpp && isMain);
  const createsTokenAccount = mayCreate && takeCreation(instructions, frame, recipient, recipientTokenAccount);
  const thaw = isFirst && !isMpp ? takeThaw(instructions, frame, recipient, recipientTokenAccount) : undefined;
  const earlyMemo = isX402 ? undefined : instructions.takeMemo(`memo${to}`, payment.memo, sender);
  const part = `transfer${to}`;
  const amount = toBaseUnits(payment.amount, decimals, part);
  const named = references.map(readOnly);
  let hookAccounts: readonly HookAccount[] = [];
  if (mint === sol) takeSolTransfer(instructions, part, { from: sender, account: recipient, lamports: amount, named });
  else {
    const transfer = instructions.take(part, tokenProgram);
    expectAmount(transfer, part, transferChecked, amount);
    expectSame('wrong_decimals', `${part}, decimals`, decimals, transfer.data[9]);
    const own = [
      writable(senderTokenAccount),
      readOnly(mint),
      writable(recipientTokenAccount),
      signer(sender),
      ...named,
    ];
    hookAccounts = takeHookAccounts(instructions, { ...frame, references }, transfer.accounts.slice(own.length));
    const further = hookAccounts.map(({ address, isWritable }) => (isWritable ? writable : readOnly)(address));
    instructions.expectAccounts(part, transfer, [...own, ...further]);
  }
  const memo = isX402 ? instructions.takeMemo(`memo${to}`, payment.memo, sender) : earlyMemo;
  return { recipient, recipientTokenAccount, amount, createsTokenAccount, memo, references, hookAccounts, thaw };
}

/** A transfer of SOL by the System program. */
interface SolTransfer {
  from: string;
  account: string;
  /** Whatever is moved where this is undefined. */
  lamports?: bigint;
  /** The accounts after its own. */
  named?: readonly MessageAccount[];
}

/** Takes a transfer of SOL. Returns its lamports. */
function takeSolTransfer(
  instructions: Instructions,
  part: string,
  { from, account, lamports, named = [] }: SolTransfer,
): bigint {
  const transfer = instructions.take(part, systemProgram);
  const found = expectAmount(transfer, part, solTransfer, lamports);
  instructions.expectAccounts(part, transfer, [writableSigner(from), writable(account), ...named]);
  return found;
}

const solTransfer: DataLayout = { kind: [2, 0, 0, 0], length: 12 };
const transferChecked: DataLayout = { kind: [12], length: 10 };

/** Throws unless an instruction is such a transfer, of this amount if one is given. Returns the amount. */
function expectAmount(transfer: Instruction, part: string, layout: DataLayout, amount?: bigint): bigint {
  const found = integerOf(transfer, part, layout, 'wrong_data');
  expectSame('wrong_amount', `${part}, amount`, amount ?? found, found);
  return found;
}

function takeCreation(
  instructions: Instructions,
  { creation, feePayer, mint, tokenProgram }: Frame,
  recipient: string,
  tokenAccount: string,
): boolean {
  if (creation === 'never' || (creation === 'if_missing' && !instructions.isNext(associatedTokenProgram))) return false;
  const part = `creation of the token account of ${recipient}`;
  const create = instructions.take(part, associatedTokenProgram, [1]);
  instructions.expectAccounts(part, create, [
    writableSigner(feePayer),
    writable(tokenAccount),
    ...[recipient, mint, systemProgram, tokenProgram].map(readOnly),
  ]);
  return true;
}

// What the hook needs, then its program and the account of the list that says so. Token-2022 compares all with the list; old
// versions of it passed on the signature of an account that is named there.
function takeHookAccounts(
  instructions: Instructions,
  { options, tokenProgram, isX402, mint, signers, references }: Frame & Pick<ExpectedPayment, 'references'>,
  addresses: readonly string[],
): readonly HookAccount[] {
  if (addresses.length === 0) return [];
  if (!options.allowTransferHook || tokenProgram !== token2022Program || isX402) {
    throw new VerificationError('transfer_hook_not_allowed', 'transfer', 'no further accounts', addresses.join());
  }
  const signs = [...references, ...addresses].find((address) => signers.includes(address));
  if (signs) throw new VerificationError('transfer_hook_not_allowed', 'transfer', 'no signer', signs);
  const list = accountUnder(addresses.at(-2) ?? systemProgram, 'extra-account-metas', mint);
  expectSame('wrong_account', "list of the transfer hook's accounts", list, addresses.at(-1));
  // None of them signs.
  return addresses.map((address) => ({ address, isWritable: instructions.isStaked(address) }));
}
