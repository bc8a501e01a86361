import type { Address } from '@solana/kit';
import type { Ledger, Simulation } from '../ledger/ledger.ts';
import type { Commitment } from '../ledger/slot-clock.ts';
import { accountFormatOf, toUiAccount } from './account-encoding.ts';
import {
  asAddress,
  asArray,
  asConfig,
  asFlag,
  asUnsigned,
  commitmentOf,
  contextAt,
  type RpcConfig,
  required,
} from './parameters.ts';
import {
  internalErrorCode,
  invalidParameters,
  preflightFailureCode,
  RpcError,
  signatureVerificationFailureCode,
} from './rpc-errors.ts';
import type { RpcMethods } from './rpc-methods.ts';
import { toUiInnerInstructions, toUiReturnData, transactionBytesOf } from './transaction-encoding.ts';
import { transactionErrorMessage } from './transaction-error-message.ts';

function assertSignatures(simulation: Simulation): void {
  if (simulation.error !== 'SignatureFailure') return;
  throw new RpcError(signatureVerificationFailureCode, 'Transaction signature verification failure');
}

function preflight(ledger: Ledger, bytes: Uint8Array, commitment: Commitment): void {
  const simulation = ledger.simulate(bytes, { verifySignatures: true, checkLifetime: true, commitment });
  assertSignatures(simulation);
  if (simulation.error === null) return;
  throw new RpcError(
    preflightFailureCode,
    `Transaction simulation failed: ${transactionErrorMessage(simulation.error)}`,
    {
      accounts: null,
      err: simulation.error,
      innerInstructions: null,
      loadedAccountsDataSize: simulation.loadedAccountsDataSize,
      logs: simulation.logs,
      replacementBlockhash: null,
      returnData: toUiReturnData(simulation.returnData),
      unitsConsumed: simulation.unitsConsumed,
    },
  );
}

/** Writes the accounts that the caller wants to see after the simulation; null when it wants none or it failed. */
function simulatedAccounts(ledger: Ledger, simulation: Simulation, config: RpcConfig): unknown {
  const wanted = config.accounts;
  if (wanted === undefined || wanted === null) return null;
  const accountsConfig = asConfig(wanted);
  const format = accountFormatOf(accountsConfig, 'base64');
  if (format.encoding === 'base58' || format.encoding === 'binary') {
    throw invalidParameters('base58 encoding not supported');
  }
  const addresses = asArray(accountsConfig.addresses).map((each) => asAddress(each));
  const { postAccounts } = simulation;
  if (postAccounts === undefined) return addresses.map(() => null);
  const after = (address: Address) =>
    postAccounts.find((account) => account.address === address) ?? ledger.getAccount(address);
  return addresses.map((address) => {
    const account = after(address);
    return account === undefined || account.lamports === 0n ? null : toUiAccount(account, format);
  });
}

/**
 * Where a transaction to run names no commitment. A validator takes `finalized`, whose bank does not know a blockhash of the
 * last seconds, and with it refuses what would land: the trap of every first attempt, which a sandbox need not set.
 */
const defaultCommitment: Commitment = 'confirmed';

/** Methods that run transactions. */
export const transactionMethods: RpcMethods = {
  sendTransaction(ledger, parameters) {
    const config = asConfig(parameters[1]);
    const bytes = transactionBytesOf(required(parameters, 0), config);
    const skipPreflight = asFlag(config.skipPreflight);
    const commitment = skipPreflight ? 'processed' : commitmentOf(config, 'preflightCommitment', defaultCommitment);
    contextAt(ledger, config, commitment);
    if (!skipPreflight) preflight(ledger, bytes, commitment);
    // What fails from here on is dropped without a word, as by a leader; the signature tells the caller what to ask for.
    return ledger.sendTransaction(bytes).signature;
  },

  simulateTransaction(ledger, parameters) {
    const config = asConfig(parameters[1]);
    const verifySignatures = asFlag(config.sigVerify);
    const replaceBlockhash = asFlag(config.replaceRecentBlockhash);
    if (verifySignatures && replaceBlockhash) {
      throw invalidParameters('sigVerify may not be used with replaceRecentBlockhash');
    }
    const bytes = transactionBytesOf(required(parameters, 0), config);
    const commitment = commitmentOf(config, 'commitment', defaultCommitment);
    const context = contextAt(ledger, config, commitment);
    const simulation = ledger.simulate(bytes, { verifySignatures, checkLifetime: !replaceBlockhash, commitment });
    assertSignatures(simulation);
    const { blockhash, lastValidBlockHeight } = ledger.latestBlockhash(commitment);
    return {
      context,
      value: {
        err: simulation.error,
        logs: simulation.logs,
        accounts: simulatedAccounts(ledger, simulation, config),
        unitsConsumed: simulation.unitsConsumed,
        loadedAccountsDataSize: simulation.loadedAccountsDataSize,
        returnData: toUiReturnData(simulation.returnData),
        innerInstructions: asFlag(config.innerInstructions) ? toUiInnerInstructions(simulation) : null,
        ...(replaceBlockhash ? { replacementBlockhash: { blockhash, lastValidBlockHeight } } : {}),
      },
    };
  },

  requestAirdrop(ledger, parameters) {
    const recipient = asAddress(required(parameters, 0));
    const { signature, error } = ledger.airdrop(recipient, asUnsigned(required(parameters, 1)));
    if (error === null) return signature;
    throw new RpcError(internalErrorCode, `airdrop failed: ${transactionErrorMessage(error)}`);
  },
};
