import { type Address, getAddressEncoder } from '@solana/kit';
import { getMultisigEncoder } from '@solana-program/token-2022';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import { vault } from '../setup/proxy-program.ts';
import { clockSysvar, fixedAddress, foreignProgram, somebody, systemProgram } from './addresses.ts';
import { totalOf } from './asked.ts';
import { writeHookAccountList } from './hook.ts';
import { encodeMint } from './mint-account.ts';
import { nonceAuthorityOf } from './option-addresses.ts';
import type { NonceState } from './options-world.ts';
import type { Situation } from './situation.ts';
import { account, clearAccount, commonStates, type TokenAccountFields, writeTokenAccount } from './token-account.ts';
import { freezeAuthorityOf, writeTokenAcl } from './token-acl.ts';
import type { BalanceLevel, MintOddity, SenderTokenAccount } from './world.ts';

/** Writes what is at the address given as mint, and what its hook needs. The native mints are on the ledger from its start. */
export async function writeMint(ledger: Ledger, situation: Situation): Promise<void> {
  const { world, tokenProgram } = situation;
  switch (world.mint.kind) {
    case 'native':
      break;
    case 'classic':
      write(ledger, situation, tokenProgram, encodeMint(world, world.mint.decimals, [], epochOf(ledger)));
      break;
    case 'token_2022': {
      const { decimals, extensions } = world.mint;
      const freezeAuthority = await freezeAuthorityOf(world, situation.mint);
      const data = encodeMint(world, decimals, extensions, epochOf(ledger), freezeAuthority);
      write(ledger, situation, tokenProgram, data);
      await writeTokenAcl(ledger, situation);
      for (const extension of extensions) {
        if (extension.kind === 'transfer_hook') await writeHookAccountList(ledger, situation, extension.hook);
      }
      break;
    }
    case 'oddity':
      writeOddity(ledger, situation, world.mint.oddity);
  }
}

function writeOddity(ledger: Ledger, situation: Situation, oddity: MintOddity): void {
  const { world, mint, tokenProgram } = situation;
  switch (oddity) {
    case 'missing':
      clearAccount(ledger, mint);
      break;
    case 'wallet':
      write(ledger, situation, systemProgram, new Uint8Array());
      break;
    case 'foreign_program':
      write(ledger, situation, foreignProgram, encodeMint(world, 0, [], 0n));
      break;
    case 'uninitialized':
      write(ledger, situation, tokenProgram, new Uint8Array(82));
      break;
    case 'too_short':
      write(ledger, situation, tokenProgram, new Uint8Array(40));
      break;
    case 'multisig':
      write(ledger, situation, tokenProgram, encodeMultisig());
      break;
    case 'token_account': {
      const ofMint = fixedAddress('another mint');
      const fields = { ...situation, address: mint, mintWorld: world.mint, mint: ofMint, owner: somebody, amount: 1n };
      writeTokenAccount(ledger, fields);
    }
  }
}

function write(ledger: Ledger, { mint }: Situation, owner: Address, data: Uint8Array): void {
  ledger.setAccount(account(mint, owner, ledger.minimumBalanceForRentExemption(BigInt(data.length)), data));
}

/** The epoch that a ledger's clock tells. */
export function epochOf(ledger: Ledger): bigint {
  const data = ledger.getAccount(clockSysvar)?.data;
  if (!data) throw new Error('the ledger has no clock');
  return new DataView(data.buffer, data.byteOffset, data.byteLength).getBigUint64(16, true);
}

/** The data of a multisig of two wallets. */
export function encodeMultisig(): Uint8Array {
  const indices = Array.from({ length: 11 }, (_, index) => index);
  const signers = indices.map((index) => (index < 2 ? fixedAddress(`signer ${index}`) : systemProgram));
  return Uint8Array.from(getMultisigEncoder().encode({ m: 1, n: 2, isInitialized: true, signers }));
}

/** The data of an initialized nonce account: version, state, authority, nonce and the fee at its time. */
export function nonceData(authority: Address): Uint8Array {
  const data = new Uint8Array(80);
  data[0] = 1;
  data[4] = 1;
  data.set(getAddressEncoder().encode(authority), 8);
  data.fill(7, 40, 72);
  new DataView(data.buffer).setBigUint64(72, 5_000n, true);
  return data;
}

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
  situation: Situation,
): Uint8Array {
  const data = nonceData(nonceAuthorityOf(situation.world, situation));
  switch (state) {
    case 'of_sender':
    case 'of_fee_payer':
    case 'of_another':
    case 'foreign_program':
      return data;
    case 'of_a_vault':
      return nonceData(vault);
    case 'wallet':
      return new Uint8Array();
    case 'too_long':
      return Uint8Array.of(...data, 0);
    case 'uninitialized':
      return new Uint8Array(80);
    case 'old_version':
      // Of before nonces were durable: it must be upgraded before it can be used.
      return Uint8Array.of(0, ...data.subarray(1));
  }
}

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
