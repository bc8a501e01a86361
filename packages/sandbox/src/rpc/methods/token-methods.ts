import type { Address } from '@solana/kit';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Commitment } from '../../ledger/slot-clock.ts';
import { TOKEN_2022_PROGRAM_ADDRESS } from '../../ledger/token-2022.ts';
import { decodeMintDecimals, decodeTokenAccount, mintScaleOf } from '../../ledger/token-balances.ts';
import { toUiTokenAmount } from '../../ledger/ui-token-amount.ts';
import { accountFormatOf, toUiAccount } from '../wire/account-encoding.ts';
import { asAddress, asConfig, commitmentOf, contextAt, type RpcConfig, required } from '../wire/parameters.ts';
import { invalidParameters } from '../wire/rpc-errors.ts';
import { accountsAt } from './account-methods.ts';
import type { RpcMethods } from './rpc-methods.ts';

const tokenPrograms: readonly Address[] = [TOKEN_PROGRAM_ADDRESS, TOKEN_2022_PROGRAM_ADDRESS];

/** Returns the token programs and, where one is named, the mint that a filter of token accounts asks for. */
function tokenFilterOf(
  ledger: Ledger,
  filter: RpcConfig,
  commitment: Commitment,
): { programs: readonly Address[]; mint?: Address } {
  if (filter.programId !== undefined) {
    const program = asAddress(filter.programId);
    if (!tokenPrograms.includes(program)) throw invalidParameters('Invalid param: unrecognized Token program id');
    return { programs: [program] };
  }
  const mint = asAddress(filter.mint);
  const account = ledger.getAccount(mint, commitment);
  if (account === undefined) throw invalidParameters('Invalid param: could not find mint');
  if (decodeMintDecimals(account) === undefined) throw invalidParameters('Invalid param: not a Token mint');
  return { programs: [account.programAddress], mint };
}

/** Methods about token accounts. */
export const tokenMethods: RpcMethods = {
  getTokenAccountBalance(ledger, parameters) {
    const address = asAddress(required(parameters, 0));
    const config = asConfig(parameters[1]);
    const commitment = commitmentOf(config);
    const account = ledger.getAccount(address, commitment);
    if (account === undefined) throw invalidParameters('Invalid param: could not find account');
    const state = decodeTokenAccount(account);
    if (state === undefined) throw invalidParameters('Invalid param: not a Token account');
    const mint = ledger.getAccount(state.mint, commitment);
    const scale = mint === undefined ? undefined : mintScaleOf(mint, accountsAt(ledger, commitment));
    if (scale === undefined) throw invalidParameters('Invalid param: could not find mint');
    return { context: contextAt(ledger, config, commitment), value: toUiTokenAmount(state.amount, scale) };
  },

  getTokenAccountsByOwner(ledger, parameters) {
    const owner = asAddress(required(parameters, 0));
    const filter = asConfig(required(parameters, 1));
    const config = asConfig(parameters[2]);
    const commitment = commitmentOf(config);
    const { programs, mint } = tokenFilterOf(ledger, filter, commitment);
    const format = accountFormatOf(config, 'binary');
    const context = contextAt(ledger, config, commitment);
    const accounts = programs.flatMap((program) => ledger.getProgramAccounts(program, commitment));
    const value = accounts.flatMap((account) => {
      const state = decodeTokenAccount(account);
      if (state?.owner !== owner || (mint !== undefined && state.mint !== mint)) return [];
      return [{ pubkey: account.address, account: toUiAccount(account, format, accountsAt(ledger, commitment)) }];
    });
    return { context, value };
  },
};
