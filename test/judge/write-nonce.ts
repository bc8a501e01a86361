import type { Ledger } from '../../packages/sandbox/src/index.ts';
import { nonceData } from './account-data.ts';
import { foreignProgram, somebody, systemProgram } from './addresses.ts';
import type { NonceState } from './options-world.ts';
import type { Situation } from './situation.ts';
import { account, clearAccount } from './token-account.ts';

/** Writes what is at the address given as nonce account, unless another side of the world has it. */
export function writeNonceAccount(ledger: Ledger, situation: Situation): void {
  const { world, nonceAccount } = situation;
  const state = world.options.nonceAccount?.state;
  if (nonceAccount === undefined || state === undefined) return;
  if (state === 'sender' || state === 'fee_payer' || state === 'recipient') return;
  if (state === 'missing') {
    clearAccount(ledger, nonceAccount);
    return;
  }
  const data = dataOf(state, situation);
  const owner = state === 'foreign_program' ? foreignProgram : systemProgram;
  const lamports = ledger.minimumBalanceForRentExemption(BigInt(data.length));
  ledger.setAccount(account(nonceAccount, owner, lamports, data));
}

function dataOf(
  state: Exclude<NonceState, 'sender' | 'fee_payer' | 'recipient' | 'missing'>,
  { sender, feePayer }: Situation,
): Uint8Array {
  switch (state) {
    case 'of_sender':
    case 'foreign_program':
      return nonceData(sender);
    case 'of_fee_payer':
      return nonceData(feePayer);
    case 'of_somebody':
      return nonceData(somebody);
    case 'wallet':
      return new Uint8Array();
    case 'too_long':
      return Uint8Array.of(...nonceData(sender), 0);
    case 'uninitialized':
      return new Uint8Array(80);
    case 'old_version':
      // Of before nonces were durable: it must be upgraded before it can be used.
      return Uint8Array.of(0, ...nonceData(sender).subarray(1));
  }
}
