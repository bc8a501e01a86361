import { LedgerChainReader } from '../../../../test/judge/ledger-chain-reader.ts';
import { readTransaction, signTransaction } from '../../../../test/judge/transaction.ts';
import { type Address, toAddress } from '../../../core/src/addresses/address.ts';
import { computeBudgetProgram, systemProgram } from '../../../core/src/addresses/programs.ts';
import { readTransferIntent } from '../../../core/src/outcome/transfer-intent.ts';
import { type Memo, parseMemo } from '../../../core/src/request/memo.ts';
import type { TransferRequest } from '../../../core/src/request/transfer-request.ts';
import { type DecodedTransaction, decodeTransaction } from '../../../core/src/transaction/decode-transaction.ts';
import { encodeTransaction } from '../../../core/src/transaction/encode-transaction.ts';
import type { Instruction } from '../../../core/src/transaction/instruction.ts';
import { type Keypair, keypairFromName } from '../../../sandbox/src/ledger/keypair.ts';
import { Ledger } from '../../../sandbox/src/ledger/ledger.ts';
import { seedWorld } from '../../../sandbox/src/world.ts';
import type { OutcomeItem } from '../../src/outcomes/verdict.ts';
import { TransferBuilder } from '../../src/transfers/transfer-builder.ts';
import { sampleRequest } from '../chain/sample-transfer.ts';

/** A wallet of the sandbox's world. */
export type WalletName = 'alice' | 'bob' | 'carol' | 'dave';

/** A transfer as the service built it. */
export interface BuiltItem extends OutcomeItem {
  bytes: Uint8Array;
}

/** What a wallet changes before it signs. */
export interface WalletChanges {
  feePayer?: WalletName;
  blockhash?: string;
  /** Before the others. */
  prepended?: readonly Instruction[];
  /** Changes the others. */
  changed?: (instructions: readonly Instruction[]) => readonly Instruction[];
}

/** The instructions that wallets add: a price for priority, and a guard, here a harmless one of the System program. */
const walletAdditions: readonly Instruction[] = [
  { program: computeBudgetProgram, accounts: [], data: Uint8Array.of(3, 7, 0, 0, 0, 0, 0, 0, 0) },
  { program: computeBudgetProgram, accounts: [], data: Uint8Array.of(2, 0x40, 0x0d, 3, 0) },
];

const never = Number.POSITIVE_INFINITY;

/** A ledger with the sandbox's world and TowerBFT's finality, the service that builds over it, and wallets that sign and send. */
export class OutcomeScene {
  readonly ledger: Ledger;
  readonly nonceAccount: Address;
  /** The mints of the sandbox's world. */
  readonly mints: readonly { name: string; address: Address }[];
  readonly #builder: TransferBuilder;

  private constructor(ledger: Ledger, nonceAccount: Address, mints: OutcomeScene['mints']) {
    this.ledger = ledger;
    this.mints = mints;
    this.nonceAccount = nonceAccount;
    this.#builder = new TransferBuilder(new LedgerChainReader(ledger), { maxPriorityFeeLamports: 1_000_000n });
  }

  static async open(): Promise<OutcomeScene> {
    const ledger = new Ledger({ slotsToFinalize: 32 });
    const world = await seedWorld(ledger);
    const mints = world.mints.map(({ name, address }) => ({ name, address: toAddress(address) }));
    return new OutcomeScene(ledger, toAddress(world.nonce_accounts[0]?.address ?? ''), mints);
  }

  /** Builds a transfer from alice to bob as the service does, of its own blockhash. */
  async build(request: Partial<TransferRequest> = {}): Promise<BuiltItem> {
    this.ledger.advanceSlots(1);
    const { bytes, lifetime } = await this.#builder.build({ ...sampleRequest, ...request }, never);
    const lastValidBlockHeight = 'lastValidBlockHeight' in lifetime ? lifetime.lastValidBlockHeight : undefined;
    return { bytes, lastValidBlockHeight, intent: intentOf(bytes) };
  }

  /** The bytes with the signatures of these wallets. */
  sign(bytes: Uint8Array, ...names: readonly WalletName[]): Uint8Array {
    const signers: readonly WalletName[] = names.length === 0 ? ['alice'] : names;
    return signTransaction(readTransaction(bytes), signers.map(walletOf));
  }

  /** The item as it is asked for once these wallets have signed it. */
  signed(item: BuiltItem, ...names: readonly WalletName[]): BuiltItem {
    const bytes = this.sign(item.bytes, ...names);
    return { ...item, bytes, intent: intentOf(bytes) };
  }

  /** Sends a signed transaction; returns its signature. Throws when it does not land. */
  send(bytes: Uint8Array): string {
    const { landed, signature, error } = this.ledger.sendTransaction(bytes);
    if (!landed) throw new Error(`it did not land: ${JSON.stringify(error)}`);
    return signature;
  }

  /** Signs a transaction as it was built, and sends it. */
  land({ bytes }: { bytes: Uint8Array }, ...names: readonly WalletName[]): string {
    return this.send(this.sign(bytes, ...names));
  }

  /** Lets bob send base units back to alice, for the tests that follow. */
  async giveBack(amount: bigint): Promise<void> {
    const [from, to] = [addressOf('bob'), addressOf('alice')];
    this.land(await this.build({ from, to, feePayer: from, amount }), 'bob');
  }

  /** Changes a transaction as wallets do, signs it, and sends it. */
  landChanged({ bytes }: { bytes: Uint8Array }, changes: WalletChanges = {}): string {
    const { feePayer } = changes;
    const changed = changeAsWallet(bytes, { blockhash: this.ledger.latestBlockhash().blockhash, ...changes });
    return this.land({ bytes: changed }, 'alice', ...(feePayer && feePayer !== 'alice' ? [feePayer] : []));
  }

  /** Lets slots pass until the finalized block height is this one. */
  finalize(blockHeight: bigint): void {
    this.ledger.advanceSlots(Number(blockHeight - this.ledger.latestBlockhash('finalized').blockHeight));
  }
}

/** A wallet's address. */
export function addressOf(name: WalletName): Address {
  return toAddress(walletOf(name).address);
}

/** A wallet's keys. */
export function walletOf(name: WalletName): Keypair {
  return keypairFromName(`splwright sandbox wallet ${name}`);
}

/** The bytes of a transaction as a wallet changes them, unsigned. */
function changeAsWallet(bytes: Uint8Array, changes: WalletChanges): Uint8Array {
  const decoded: DecodedTransaction = decodeTransaction(bytes);
  const { version, signers, config, blockhash } = decoded;
  const { feePayer, prepended = walletAdditions, changed = (instructions) => instructions } = changes;
  const kept = decoded.instructions.filter(({ program }) => program !== computeBudgetProgram);
  return encodeTransaction({
    version,
    feePayer: feePayer ? addressOf(feePayer) : signers[0],
    instructions: [...prepended, ...changed(kept)],
    lifetimeToken: changes.blockhash ?? blockhash,
    config,
  });
}

/** An instruction of alice's to send a lamport to herself: a signature of its own, and nothing else. */
export function selfPayment(lamports: number): Instruction {
  const alice = addressOf('alice');
  const meta = { address: alice, signer: true, writable: true };
  const data = new Uint8Array(12);
  data.set([2, 0, 0, 0, lamports]);
  return { program: systemProgram, accounts: [meta, meta], data };
}

/** A memo as a request has it. */
export function memoOf(text: string): Memo {
  const read = parseMemo(text);
  if ('fault' in read) throw new Error(read.fault);
  return read.memo;
}

/** The intent of bytes that have one. */
export function intentOf(bytes: Uint8Array): OutcomeItem['intent'] {
  const read = readTransferIntent(bytes);
  if ('fault' in read) throw new Error(read.fault.kind);
  return read.intent;
}
