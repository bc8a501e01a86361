import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Account } from '../../packages/core/src/accounts/account.ts';
import { clockSysvar } from '../../packages/core/src/accounts/sysvars.ts';
import type { Address } from '../../packages/core/src/addresses/address.ts';
import { systemProgram } from '../../packages/core/src/addresses/programs.ts';
import type { TransferRequest } from '../../packages/core/src/request/transfer-request.ts';
import type { AccountsAtSlot } from '../../packages/server/src/chain/chain-reader.ts';
import { type NamedTransfer, TransferBuilder } from '../../packages/server/src/transfers/transfer-builder.ts';
import { allRules, type Court, maxPriorityFeeLamports, openCourt } from './court.ts';
import { Judge } from './judge.ts';
import { LedgerChainReader } from './ledger-chain-reader.ts';
import { transfers } from './transfers.ts';

type Lie = (address: Address, account: Account | null) => Account | null;

/** Reads the chain as it is but for one lie. */
class LyingChainReader extends LedgerChainReader {
  lie: Lie = (_address, account) => account;

  override async readAccounts(addresses: readonly Address[]): Promise<AccountsAtSlot> {
    const read = await super.readAccounts(addresses);
    const accounts = addresses.map((each, index) => this.lie(each, read.accounts[index] ?? null));
    return { ...read, accounts };
  }
}

const isTokenAccount = ({ data, owner }: Account): boolean => data.length >= 165 && owner !== systemProgram;
const isNonceAccount = ({ data, owner }: Account): boolean => data.length === 80 && owner === systemProgram;

function withByte(account: Account, offset: number, value: number): Account {
  const data = Uint8Array.from(account.data);
  data[offset] = value;
  return { ...account, data };
}

const lies: Readonly<Record<string, { lie: Lie; expected: RegExp }>> = {
  'takes frozen accounts for open ones': {
    lie: (_address, account) => (account && isTokenAccount(account) ? withByte(account, 108, 1) : account),
    expected: /answered, and it does not land/,
  },
  'takes open accounts for frozen ones': {
    lie: (_address, account) => (account && isTokenAccount(account) ? withByte(account, 108, 2) : account),
    expected: /refused for .*frozen.*, and it lands/,
  },
  'takes wallets for poorer than they are': {
    lie: (_address, account) => (account?.owner === systemProgram ? { ...account, lamports: 1n } : account),
    expected: /refused for insufficient_sol, and it lands/,
  },
  'takes nonces for older than they are': {
    lie: (_address, account) => (account && isNonceAccount(account) ? withByte(account, 40, 8) : account),
    expected: /answered, and it does not land/,
  },
  'takes every nonce account for one that is not initialized': {
    lie: (_address, account) => (account && isNonceAccount(account) ? withByte(account, 4, 0) : account),
    expected: /refused for .*nonce_account_not_initialized.*, and it lands/,
  },
  'takes itself to be in the first epoch': {
    lie: (each, account) => (account && each === clockSysvar ? { ...account, data: new Uint8Array(40) } : account),
    expected: /recipientTokens of to should be/,
  },
};

/** Builds another transfer than it is asked for. */
class MistakenBuilder extends TransferBuilder {
  mistake: Mistake = (request) => request;

  override build(request: TransferRequest, deadline: number): Promise<NamedTransfer> {
    return super.build(this.mistake(request), deadline);
  }
}

type Mistake = (request: TransferRequest) => TransferRequest;

const mistakes: Readonly<Record<string, { mistake: Mistake; expected: RegExp }>> = {
  'leaves out a split': {
    mistake: (request) => ({ ...request, splits: request.splits.slice(1) }),
    expected: /senderTokens should be/,
  },
  'pays splits in another order': {
    mistake: (request) => ({ ...request, splits: request.splits.toReversed() }),
    expected: /where the libraries have/,
  },
  'creates token accounts only where none is asked for': {
    mistake: ({ createTokenAccount, ...request }) => {
      return { ...request, createTokenAccount: createTokenAccount === 'never' ? 'if_missing' : 'never' };
    },
    expected: /refused for .*recipient_token_account_not_found.*, and it lands/,
  },
  'takes the amount of each split for one base unit': {
    mistake: (request) => ({ ...request, splits: request.splits.map((split) => ({ ...split, amount: 1n })) }),
    expected: /recipientTokens of \d should be/,
  },
};

function openCourtWith(lie: Lie): Court {
  const [rules] = allRules;
  assert.ok(rules);
  const { ledger } = openCourt(rules);
  const reader = new LyingChainReader(ledger);
  reader.lie = lie;
  return { rules, ledger, reader, builder: new TransferBuilder(reader, { maxPriorityFeeLamports }) };
}

const maxWorlds = 120;

/** Judges worlds until one disagrees as expected. Throws with all disagreements when none does. */
async function assertNoticed(court: Court, expected: RegExp): Promise<void> {
  const judge = new Judge({ ...transfers, open: () => court }, 1, [court.rules]);
  let found = '';
  for (let number = 0; number < maxWorlds && !expected.test(found); number += 1) {
    found += `${(await judge.judge(number)).disagreements.join('\n')}\n`;
  }
  assert.match(found, expected);
}

describe('the judge notices a service that', () => {
  for (const [title, { lie, expected }] of Object.entries(lies)) {
    it(title, () => assertNoticed(openCourtWith(lie), expected));
  }

  for (const [title, { mistake, expected }] of Object.entries(mistakes)) {
    it(title, async () => {
      const honest = openCourtWith((_address, account) => account);
      const builder = new MistakenBuilder(honest.reader, { maxPriorityFeeLamports });
      builder.mistake = mistake;
      await assertNoticed({ ...honest, builder }, expected);
    });
  }
});
