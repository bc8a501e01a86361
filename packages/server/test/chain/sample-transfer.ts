import type { Account } from '../../../core/src/accounts/account.ts';
import { clockSysvar, rentSysvar } from '../../../core/src/accounts/sysvars.ts';
import { type Address, addressToBytes, toAddress } from '../../../core/src/addresses/address.ts';
import { systemProgram, token2022Program, tokenProgram } from '../../../core/src/addresses/programs.ts';
import type { TransferRequest } from '../../../core/src/request/transfer-request.ts';
import { alice, bob, usdc } from '../app/sample-bodies.ts';

/** A request that the sample accounts make possible. */
export const sampleRequest: TransferRequest = {
  layout: 'default',
  createTokenAccount: 'always',
  from: toAddress(alice),
  to: toAddress(bob),
  mint: toAddress(usdc),
  amount: 1_500_000n,
  splits: [],
  memo: undefined,
  feePayer: toAddress(alice),
  version: 'legacy',
  priorityFee: undefined,
  nonceAccount: undefined,
  references: [],
  allowsOffCurveRecipient: false,
  checks: 'full',
};

// The associated token accounts of the sender, by token program, as `@solana/spl-token` derives them.
const senderTokenAccounts: Readonly<Record<string, string>> = {
  [tokenProgram]: '8wPxMKaK8Vq4GCxYnkD44BcGSh2gxB3c9rj2WDEjpf6t',
  [token2022Program]: 'Au4ikum5ut1J5YuMStk6hwrLY1x78KL33d6CenfJR1XU',
};

/** What a node has at an address: the mint, the sender's wallet and its 2 tokens, the sysvars, and nothing else. */
export function sampleAccount(address: Address, mintProgram: Address): Account | null {
  switch (address as string) {
    case usdc:
      return account(mintProgram, mintData());
    case alice:
      return account(systemProgram, new Uint8Array());
    case rentSysvar:
      return account(toAddress('Sysvar1111111111111111111111111111111111111'), rentData());
    case clockSysvar:
      return account(toAddress('Sysvar1111111111111111111111111111111111111'), new Uint8Array(40));
    case senderTokenAccounts[mintProgram]:
      return account(mintProgram, tokenAccountData());
    default:
      return null;
  }
}

function account(owner: Address, data: Uint8Array): Account {
  return { owner, lamports: 1_000_000_000n, data, executable: false };
}

// Supply at 36, decimals at 44, initialized at 45.
function mintData(): Uint8Array {
  const data = new Uint8Array(82);
  data.set([6, 1], 44);
  return data;
}

// Mint, owner, amount at 64, state at 108.
function tokenAccountData(): Uint8Array {
  const data = new Uint8Array(165);
  data.set(addressToBytes(sampleRequest.mint), 0);
  data.set(addressToBytes(sampleRequest.from), 32);
  new DataView(data.buffer).setBigUint64(64, 2_000_000n, true);
  data[108] = 1;
  return data;
}

// Lamports per byte and year, exemption threshold in years, burn percentage.
function rentData(): Uint8Array {
  const data = new Uint8Array(17);
  const view = new DataView(data.buffer);
  view.setBigUint64(0, 3480n, true);
  view.setFloat64(8, 2, true);
  return data;
}
