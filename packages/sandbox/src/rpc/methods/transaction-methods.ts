import type { Address } from '@solana/kit';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Simulation } from '../../ledger/simulation.ts';
import type { Commitment } from '../../ledger/slot-clock.ts';
import { accountFormatOf, toUiAccount } from '../wire/account-encoding.ts';
import {
  asAddress,
  asArray,
  asConfig,
  asFlag,
  asUnsigned,
  commitmentOf,
  contextAt,
  preflightCommitmentOf,
  type RpcConfig,
  required,
} from '../wire/parameters.ts';
import { internalErrorCode, invalidParameters, preflightFailureCode, RpcError } from '../wire/rpc-errors.ts';
import { toUiPreflightFailure, toUiSimulatedCalls, toUiSimulation } from '../wire/simulation-encoding.ts';
import { transactionBytesOf } from '../wire/transaction-bytes.ts';
import { transactionErrorMessage } from '../wire/transaction-error-message.ts';
import type { RpcMethods, RpcSettings } from './rpc-methods.ts';

/**
 * Where the caller names no commitment. A validator takes `finalized`, whose bank does not know a blockhash of the last
 * seconds, and so refuses what would land; a sandbox does so only with `strictPreflight`.
 */
function defaultCommitment({ strictPreflight }: RpcSettings): Commitment {
  return strictPreflight ? 'finalized' : 'confirmed';
}

function preflight(ledger: Ledger, bytes: Uint8Array, commitment: Commitment): void {
  const simulation = ledger.simulate(bytes, { verifySignatures: true, checkLifetime: true, commitment });
  if (simulation.error === null) return;
  throw new RpcError(
    preflightFailureCode,
    `Transaction simulation failed: ${transactionErrorMessage(simulation.error)}`,
    toUiPreflightFailure(simulation),
  );
}

/** Writes the accounts that the caller wants to see after the simulation; null when it wants none. */
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
    return account === undefined || account.lamports === 0n ? null : toUiAccount(account, format, after);
  });
}

/** Methods that run transactions. */
export const transactionMethods: RpcMethods = {
  sendTransaction(ledger, parameters, settings) {
    const config = asConfig(parameters[1]);
    const bytes = transactionBytesOf(required(parameters, 0), config);
    const skipPreflight = asFlag(config.skipPreflight);
    const commitment = skipPreflight ? 'processed' : preflightCommitmentOf(config, defaultCommitment(settings));
    contextAt(ledger, config, commitment);
    if (!skipPreflight) preflight(ledger, bytes, commitment);
    // A leader drops a transaction that fails from here on, and reports nothing.
    return ledger.sendTransaction(bytes).signature;
  },

  simulateTransaction(ledger, parameters, settings) {
    const config = asConfig(parameters[1]);
    const verifySignatures = asFlag(config.sigVerify);
    const replaceBlockhash = asFlag(config.replaceRecentBlockhash);
    if (verifySignatures && replaceBlockhash) {
      throw invalidParameters('sigVerify may not be used with replaceRecentBlockhash');
    }
    const bytes = transactionBytesOf(required(parameters, 0), config);
    const commitment = commitmentOf(config, defaultCommitment(settings));
    const context = contextAt(ledger, config, commitment);
    const simulation = ledger.simulate(bytes, { verifySignatures, checkLifetime: !replaceBlockhash, commitment });
    const { blockhash, lastValidBlockHeight } = ledger.latestBlockhash(commitment);
    return {
      context,
      value: {
        ...toUiSimulation(simulation),
        accounts: simulatedAccounts(ledger, simulation, config),
        innerInstructions: asFlag(config.innerInstructions) ? toUiSimulatedCalls(simulation, bytes) : null,
        replacementBlockhash: replaceBlockhash ? { blockhash, lastValidBlockHeight } : null,
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
