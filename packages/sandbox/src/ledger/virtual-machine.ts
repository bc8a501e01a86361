import { type Address, address, type EncodedAccount, getAddressDecoder, getAddressEncoder } from '@solana/kit';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import { FailedTransactionMetadata, FeatureSet, LiteSVM, Rent, type TransactionMetadata } from 'litesvm';
import type { DecodedTransaction } from './transaction-decoding.ts';
import { type TransactionError, toTransactionError } from './transaction-error.ts';
import type { Execution } from './transaction-history.ts';

/** An execution, and the accounts after it. */
interface SimulatedExecution extends Execution {
  /** The accounts as they would be; undefined when the transaction fails. */
  postAccounts: readonly EncodedAccount[] | undefined;
}

/** The owner of the accounts that say which features are active. */
const featureProgram = address('Feature111111111111111111111111111111111111');

/** What the System program's account holds on mainnet; it counts among the data that a transaction loads. */
const systemProgramData = new TextEncoder().encode('system_program');

/** The feature that replaced the classic SPL Token program by p-token (SIMD-0266). */
const ptokenFeature = address('ptokFjwyJtrwCa9Kgo9xoDS59V4QccBGEaRFnRPnSdP');

/** Of the rent sysvar: the minimum balance is for no number of years (SIMD-0194), and no rent is collected that could be burned. */
const exemptionThreshold = 1;
const burnPercent = 50;

/** How to start a virtual machine. */
export interface VirtualMachineOptions {
  /** Loads the classic SPL Token program in place of p-token. */
  classicTokenProgram: boolean;
  /** The rent: an account holds at least this for each byte of its data, and of 128 more. */
  lamportsPerByte: bigint;
}

/** Returns the machine's features but p-token, so that its default programs hold the classic SPL Token. */
function featuresWithClassicToken(machine: LiteSVM): FeatureSet {
  const features = new FeatureSet();
  for (const { address: feature, data } of machine.getProgramAccounts(featureProgram)) {
    if (feature === ptokenFeature) continue;
    // A feature account holds 1 and the u64 slot of its activation.
    const activationSlot = new DataView(data.buffer, data.byteOffset, data.byteLength).getBigUint64(1, true);
    features.activate(Uint8Array.from(getAddressEncoder().encode(feature)), activationSlot);
  }
  return features;
}

/**
 * Starts the virtual machine with the programs and features of mainnet. The checks that it does more simply than a
 * validator (one blockhash, signatures, duplicates) are off: the ledger does them.
 */
export function startVirtualMachine(options: VirtualMachineOptions): LiteSVM {
  const machine = new LiteSVM();
  if (options.classicTokenProgram) machine.withFeatureSet(featuresWithClassicToken(machine)).withDefaultPrograms();
  machine.setRent(new Rent(options.lamportsPerByte, exemptionThreshold, burnPercent));
  const system = readAccount(machine, SYSTEM_PROGRAM_ADDRESS);
  if (system !== undefined)
    machine.setAccount({ ...system, data: systemProgramData, space: BigInt(systemProgramData.length) });
  return machine.withNativeMints().withSigverify(false).withBlockhashCheck(false).withTransactionHistory(0n);
}

function toExecution(metadata: TransactionMetadata, error: TransactionError | null): Execution {
  const returned = metadata.returnData();
  return {
    error,
    logs: metadata.logs(),
    unitsConsumed: metadata.computeUnitsConsumed(),
    innerInstructions: metadata.innerInstructions().map((instructions) =>
      instructions.map((inner) => {
        const instruction = inner.instruction();
        return {
          programIndex: instruction.programIdIndex(),
          accountIndices: [...instruction.accounts()],
          data: Uint8Array.from(instruction.data()),
          stackHeight: inner.stackHeight(),
        };
      }),
    ),
    returnData:
      returned.data().length === 0
        ? null
        : {
            programAddress: getAddressDecoder().decode(returned.programId()),
            data: Uint8Array.from(returned.data()),
          },
  };
}

/** Runs a transaction and keeps what it changes; a failed one is charged its fee, unless it fails before it starts. */
export function executeTransaction(machine: LiteSVM, transaction: DecodedTransaction): Execution {
  const result = machine.sendTransaction(transaction.transaction);
  return result instanceof FailedTransactionMetadata
    ? toExecution(result.meta(), toTransactionError(result.err()))
    : toExecution(result, null);
}

/** Runs a transaction and keeps nothing. */
export function simulateTransaction(machine: LiteSVM, transaction: DecodedTransaction): SimulatedExecution {
  const result = machine.simulateTransaction(transaction.transaction);
  return result instanceof FailedTransactionMetadata
    ? { ...toExecution(result.meta(), toTransactionError(result.err())), postAccounts: undefined }
    : { ...toExecution(result.meta(), null), postAccounts: result.postAccounts() };
}

/** Returns an account; undefined where there is none, or one without lamports, which a validator forgets. */
export function readAccount(machine: LiteSVM, accountAddress: Address): EncodedAccount | undefined {
  const account = machine.getAccount(accountAddress);
  return account.exists && account.lamports > 0n ? account : undefined;
}
