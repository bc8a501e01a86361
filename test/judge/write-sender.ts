import type { Ledger } from '../../packages/sandbox/src/index.ts';
import { somebody, systemProgram } from './addresses.ts';
import { totalOf } from './asked.ts';
import type { Situation } from './situation.ts';
import { account, clearAccount, commonStates, type TokenAccountFields, writeTokenAccount } from './token-account.ts';
import type { BalanceLevel, SenderTokenAccount } from './world.ts';

const max = 2n ** 64n - 1n;

const balances: Readonly<Record<BalanceLevel, (amount: bigint) => bigint>> = {
  zero: () => 0n,
  one_less: (amount) => (amount - 1n > max ? max : amount - 1n),
  exact: (amount) => (amount > max ? max : amount),
  plenty: (amount) => (amount > max - 1_000n ? max : amount + 1_000n),
};

/** Writes the sender's token account, or leaves it away. */
export function writeSenderTokenAccount(ledger: Ledger, situation: Situation): void {
  const { world, sender, senderTokenAccount } = situation;
  const { senderTokenAccount: state, balance } = world;
  if (state === 'missing') {
    clearAccount(ledger, senderTokenAccount);
    return;
  }
  if (state === 'prefunded') {
    ledger.setAccount(account(senderTokenAccount, systemProgram, 5_000_000n));
    return;
  }
  writeTokenAccount(ledger, {
    ...situation,
    address: senderTokenAccount,
    mintWorld: world.mint,
    owner: sender,
    amount: balances[balance](totalOf(world)),
    ...peculiaritiesOf(state, situation),
  });
}

function peculiaritiesOf(
  state: Exclude<SenderTokenAccount, 'missing' | 'prefunded'>,
  { world, sender, payments }: Situation,
): Partial<TokenAccountFields> {
  switch (state) {
    case 'delegate':
      return { delegate: { address: somebody, amount: 1n } };
    case 'delegate_is_owner_for_less':
      return { delegate: { address: sender, amount: delegable(totalOf(world) - 1n) } };
    case 'delegate_is_owner_for_enough':
      return { delegate: { address: sender, amount: delegable(totalOf(world)) } };
    case 'delegate_is_owner_for_first_payment':
      return { delegate: { address: sender, amount: payments[0]?.payee.amount ?? 0n } };
    case 'delegate_of_another':
      return { owner: somebody, delegate: { address: sender, amount: delegable(totalOf(world)) } };
    default:
      return commonStates[state];
  }
}

function delegable(amount: bigint): bigint {
  return amount > max ? max : amount;
}
