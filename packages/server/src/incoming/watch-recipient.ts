import { type Address, decodeMint, findAssociatedTokenAddress, isTokenProgram, parseAddress } from 'splwright-core';
import { invalidRequest, refusalOf } from '../app/validate.ts';
import { assertHistory } from '../chain/assert-history.ts';
import type { ChainHistory } from '../chain/chain-history.ts';
import type { ChainReader, Deadline } from '../chain/chain-reader.ts';
import type { DescribedFinding } from '../problems.ts';
import type { WatchedToken } from './recipient-records.ts';

/** A wallet, and the mints whose payments to it are of interest. */
export interface AskedRecipient {
  wallet: Address;
  mints: readonly Address[];
}

/** Reads the addresses of a request. Throws an `AppError` of the code `invalid_request` with every fault. */
export function readRecipient(walletText: string, body: { token_mint_addresses: readonly string[] }): AskedRecipient {
  const faults: DescribedFinding[] = [];
  const read = (text: string, pointer: string): readonly Address[] => {
    const parsed = parseAddress(text);
    if ('address' in parsed) return [parsed.address];
    const name = pointer === '' ? 'The recipient in the path' : pointer.slice(1);
    faults.push({ code: 'invalid_address', pointer, detail: `${name} is not a Solana address.` });
    return [];
  };
  const [wallet] = read(walletText, '');
  const mints = body.token_mint_addresses.flatMap((text, index) => read(text, `/token_mint_addresses/${index}`));
  if (faults.length > 0 || !wallet) throw invalidRequest(faults, body);
  return { wallet, mints };
}

/**
 * Returns the associated token accounts of a wallet for some mints, and the slot as of which they were found.
 *
 * Throws a refusal of status 422 with each address that is no mint, and the fault of the upstream, also when no node keeps histories.
 */
export async function findTokenAccounts(
  { wallet, mints }: AskedRecipient,
  { reader, history }: { reader: Pick<ChainReader, 'readAccounts'>; history: ChainHistory },
  deadline: Deadline,
): Promise<{ tokens: readonly WatchedToken[]; slot: bigint }> {
  if (mints.length === 0) return { tokens: [], slot: 0n };
  const [{ slot, accounts }] = await Promise.all([
    reader.readAccounts(mints, deadline),
    assertHistory(history, wallet, deadline),
  ]);
  const faults: DescribedFinding[] = [];
  const tokens = mints.flatMap((mint, index): WatchedToken[] => {
    const account = accounts[index] ?? null;
    if (account && isTokenProgram(account.owner) && decodeMint(account)) {
      const { address } = findAssociatedTokenAddress({ owner: wallet, tokenProgram: account.owner, mint });
      return [{ mint, tokenAccount: address }];
    }
    const code = account ? 'not_a_mint' : 'mint_not_found';
    const what = account ? 'is not a token mint' : 'does not exist';
    faults.push({ code, pointer: `/token_mint_addresses/${index}`, detail: `The mint ${mint} ${what}.` });
    return [];
  });
  const [first, ...others] = faults;
  if (first) throw refusalOf([first, ...others]);
  return { tokens, slot };
}
