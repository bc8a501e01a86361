import type { Address } from '@solana/kit';
import { type ExtensionArgs, TOKEN_2022_PROGRAM_ADDRESS, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token-2022';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import { vault } from '../setup/proxy-program.ts';
import {
  addressOf,
  clockSysvar,
  foreignProgram,
  memoProgram,
  offCurveAddressOf,
  somebody,
  systemProgram,
} from './addresses.ts';
import type { Payee } from './asked.ts';
import { encodeMint } from './mint-account.ts';
import type { PaymentSituation, Situation } from './situation.ts';
import {
  account,
  clearAccount,
  commonStates,
  creationRentOf,
  type TokenAccountFields,
  writeTokenAccount,
} from './token-account.ts';
import type { RecipientTokenAccount, World } from './world.ts';
import { encodeMultisig, nonceData } from './write-accounts.ts';

const oneSol = 1_000_000_000n;

/** The address of somebody who is paid in a world. */
export async function recipientAddressOf(
  world: World,
  { wallet, role }: Payee,
  { sender, mint, senderTokenAccount }: { sender: Address; mint: Address; senderTokenAccount: Address },
): Promise<Address> {
  switch (wallet) {
    case 'sender':
      return sender;
    case 'own_token_account':
      return senderTokenAccount;
    case 'the_mint':
      return mint;
    case 'program':
      return memoProgram;
    case 'token_program':
      return TOKEN_PROGRAM_ADDRESS;
    case 'system_program':
      return systemProgram;
    case 'sysvar':
      return clockSysvar;
    case 'off_curve':
    case 'off_curve_funded':
    case 'foreign_account_off_curve':
      return offCurveAddressOf(world, role);
    default:
      return addressOf(world, role);
  }
}

/** Writes what is at the address of somebody who is paid, unless the ledger or the sender's side of the world has it. */
export function writeRecipientWallet(ledger: Ledger, situation: Situation, payment: PaymentSituation): void {
  const { world, tokenProgram } = situation;
  const { recipient, payee } = payment;
  const write = (owner: Address, data?: Uint8Array): void => {
    ledger.setAccount(account(recipient, owner, oneSol, data));
  };
  switch (payee.wallet) {
    case 'funded':
    case 'off_curve_funded':
      write(systemProgram);
      break;
    case 'nonce':
      write(systemProgram, nonceData(vault));
      break;
    case 'foreign_account':
    case 'foreign_account_off_curve':
      write(foreignProgram, new Uint8Array(200));
      break;
    case 'multisig':
      write(tokenProgram, encodeMultisig());
      break;
    case 'other_multisig':
      write(
        tokenProgram === TOKEN_PROGRAM_ADDRESS ? TOKEN_2022_PROGRAM_ADDRESS : TOKEN_PROGRAM_ADDRESS,
        encodeMultisig(),
      );
      break;
    case 'mint':
      write(TOKEN_PROGRAM_ADDRESS, encodeMint(world, 6, [], 0n));
      break;
    case 'uninitialized_token_account':
      write(tokenProgram, new Uint8Array(165));
      break;
    case 'token_account': {
      writeTokenAccount(ledger, {
        ...situation,
        address: recipient,
        mintWorld: world.mint,
        owner: somebody,
        amount: 5n,
      });
      break;
    }
    default:
  }
}

/** Writes the token account of somebody who is paid, or leaves it away. */
export function writeRecipientTokenAccount(ledger: Ledger, situation: Situation, payment: PaymentSituation): void {
  const { world, tokenProgram } = situation;
  const { recipient, tokenAccount: address, payee } = payment;
  const state = payee.tokenAccount;
  switch (state) {
    case 'missing':
      clearAccount(ledger, address);
      break;
    case 'prefunded_less':
      ledger.setAccount(account(address, systemProgram, creationRentOf(ledger, world.mint, tokenProgram) / 2n));
      break;
    case 'prefunded_more':
      ledger.setAccount(account(address, systemProgram, creationRentOf(ledger, world.mint, tokenProgram) + 1n));
      break;
    default: {
      const fields = { ...situation, address, mintWorld: world.mint, owner: recipient, amount: 3n };
      writeTokenAccount(ledger, { ...fields, ...peculiaritiesOf(state, recipient) });
    }
  }
}

function peculiaritiesOf(
  state: Exclude<RecipientTokenAccount, 'missing' | 'prefunded_less' | 'prefunded_more'>,
  recipient: Address,
): Partial<TokenAccountFields> {
  switch (state) {
    case 'memo_not_required':
      return { extensions: [{ __kind: 'MemoTransfer', requireIncomingTransferMemos: false }] };
    case 'confidential':
    case 'confidential_only':
      return { extensions: [confidentialAccount(state, recipient)] };
    default:
      return commonStates[state];
  }
}

function confidentialAccount(state: 'confidential' | 'confidential_only', recipient: Address): ExtensionArgs {
  const nothing = new Uint8Array(64);
  return {
    __kind: 'ConfidentialTransferAccount',
    approved: true,
    elgamalPubkey: recipient,
    pendingBalanceLow: nothing,
    pendingBalanceHigh: nothing,
    availableBalance: nothing,
    decryptableAvailableBalance: new Uint8Array(36),
    allowConfidentialCredits: true,
    allowNonConfidentialCredits: state !== 'confidential_only',
    pendingBalanceCreditCounter: 0n,
    maximumPendingBalanceCreditCounter: 65_536n,
    expectedPendingBalanceCreditCounter: 0n,
    actualPendingBalanceCreditCounter: 0n,
  };
}
