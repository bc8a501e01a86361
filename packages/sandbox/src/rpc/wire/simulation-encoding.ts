import type { Simulation } from '../../ledger/simulation.ts';
import { decodeTransaction } from '../../ledger/transaction-decoding.ts';
import { toUiInnerInstructions, toUiReturnData } from './transaction-encoding.ts';

/** Writes the members that a simulation has whatever the caller asks for. */
export function toUiSimulation(simulation: Simulation): object {
  const { balances } = simulation;
  return {
    err: simulation.error,
    logs: simulation.logs,
    unitsConsumed: simulation.unitsConsumed,
    loadedAccountsDataSize: simulation.loadedAccountsDataSize,
    returnData: toUiReturnData(simulation.returnData),
    fee: simulation.fee,
    preBalances: balances?.preBalances ?? null,
    postBalances: balances?.postBalances ?? null,
    preTokenBalances: balances?.preTokenBalances ?? null,
    postTokenBalances: balances?.postTokenBalances ?? null,
    loadedAddresses: simulation.loadedAddresses,
  };
}

/** Writes the simulation of a preflight that failed: its balances and loaded addresses are left out. */
export function toUiPreflightFailure(simulation: Simulation): object {
  return {
    ...toUiSimulation({ ...simulation, balances: null }),
    accounts: null,
    innerInstructions: null,
    loadedAddresses: null,
    replacementBlockhash: null,
  };
}

/** Writes the calls of a simulated transaction's programs. */
export function toUiSimulatedCalls(simulation: Simulation, bytes: Uint8Array): unknown[] {
  const { writable, readonly } = simulation.loadedAddresses;
  const addresses = [...decodeTransaction(bytes).staticAddresses, ...writable, ...readonly];
  return toUiInnerInstructions(simulation, addresses);
}
