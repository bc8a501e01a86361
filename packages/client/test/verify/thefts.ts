import { toAddress } from '../../../core/src/addresses/address.ts';
import { findAssociatedTokenAddress } from '../../../core/src/addresses/derived-addresses.ts';
import {
  associatedTokenProgram,
  tokenProgram as classicTokenProgram,
  computeBudgetProgram,
  memoProgram,
  memoProgramV1,
  token2022Program,
} from '../../../core/src/addresses/programs.ts';
import { dataOf, harmful, replace, thief, thiefsAccount, transferOf } from './mutations.ts';
import { type InstructionParts, type Parts, putTogether, takeApart } from './parts.ts';

/** Changes a transaction to the harm of who signs it or of who is paid; not where it has nothing to change. */
type Theft = (parts: Parts) => void;

const front =
  (name: string): Theft =>
  (parts) =>
    void parts.instructions.unshift(known(parts, name));
const behind =
  (name: string): Theft =>
  (parts) =>
    void parts.instructions.push(known(parts, name));

function known(parts: Parts, name: string): InstructionParts {
  const instruction = harmful(parts)[name];
  if (!instruction) throw new Error(`no instruction is called ${name}`);
  return instruction;
}

function amountOf(change: (amount: bigint) => bigint): Theft {
  return (parts) => {
    const { data } = transferOf(parts).instruction;
    const view = new DataView(data.buffer, data.byteOffset);
    view.setBigUint64(1, change(view.getBigUint64(1, true)), true);
  };
}

function ofMemo(change: (memo: InstructionParts, parts: Parts) => void): Theft {
  return (parts) => {
    const memo = parts.instructions.find(({ program }) => program === memoProgram);
    if (memo) change(memo, parts);
  };
}

const textOf = ({ data }: InstructionParts): string => Buffer.from(data).toString();
const withText = (memo: InstructionParts, text: string): void => {
  memo.data = Uint8Array.from(Buffer.from(text));
};

function ofCreation(change: (create: InstructionParts, parts: Parts) => void): Theft {
  return (parts) => {
    const create = parts.instructions.find(({ program }) => program === associatedTokenProgram);
    if (create) change(create, parts);
  };
}

function ofFirstPayment(change: (transfer: InstructionParts, parts: Parts) => void): Theft {
  return (parts) => {
    const main = transferOf(parts).instruction;
    const split = parts.instructions.find(({ program }) => program === main.program);
    if (split && split !== main) change(split, parts);
  };
}

function ofReference(change: (accounts: InstructionParts['accounts']) => void): Theft {
  return (parts) => {
    const { accounts } = transferOf(parts).instruction;
    if (accounts.length > 4) change(accounts);
  };
}

/** What a service that was broken into would answer instead, by what it does. */
export const thefts: Readonly<Record<string, Theft>> = {
  "pays the thief's token account": (parts) => {
    transferOf(parts).instruction.accounts[2] = {
      address: thiefsAccount(transferOf(parts)),
      signer: false,
      writable: true,
    };
  },
  'pays and creates the token account of the thief': ofCreation((create, parts) => {
    const { destination } = transferOf(parts);
    const [, , owner] = create.accounts;
    replace(parts, destination, thiefsAccount(transferOf(parts)));
    if (owner) owner.address = thief;
  }),
  "creates the recipient's account for the thief": ofCreation(({ accounts }) => {
    const [, , owner] = accounts;
    if (owner) owner.address = thief;
  }),
  'pays an account of the recipient that is not the associated one': (parts) => {
    const { mint, destination } = transferOf(parts);
    const owner = toAddress(destination);
    const nested = findAssociatedTokenAddress({
      owner,
      tokenProgram: transferOf(parts).instruction.program,
      mint,
    }).address;
    replace(parts, destination, nested);
  },
  'takes one base unit more': amountOf((amount) => amount + 1n),
  'takes ten times the amount': amountOf((amount) => amount * 10n),
  'takes everything': amountOf(() => 2n ** 64n - 1n),
  'pays less': amountOf((amount) => amount / 2n),
  'pays the thief before': front('transferChecked'),
  'pays the thief afterwards': behind('transferChecked'),
  'pays the thief by another instruction': behind('transfer'),
  'makes the thief a delegate': front('approve'),
  'makes the thief a delegate for a checked amount': behind('approveChecked'),
  'gives the token account away': behind('setOwner'),
  'lets the thief close the token account': behind('setCloseAuthority'),
  'closes the token account': behind('closeAccount'),
  'burns tokens': front('burn'),
  'takes away a delegate': front('revoke'),
  'sends SOL of the fee payer': front('sendSol'),
  'sends SOL of the sender': behind('sendSolOfSender'),
  'gives the wallet to a program': behind('assign'),
  'has a token account of the thief paid for': front('createForThief'),
  'recovers a nested account': behind('recoverNested'),
  'calls a program of the thief': behind('call'),
  'says more in a second memo': behind('memo'),
  'adds a memo that is not signed': front('unsignedMemo'),
  'advances a nonce of the thief, so that it can be kept': front('advanceNonce'),
  'sets another price': (parts) => {
    if (parts.config) parts.config.priorityFee = 10n ** 9n;
    else parts.instructions.unshift(known(parts, 'computePrice'));
  },
  'raises the price that was asked for': (parts) => {
    const price = parts.instructions.find(({ program, data }) => program === computeBudgetProgram && data[0] === 3);
    if (price) price.data = dataOf(3, 10n ** 13n);
  },
  'asks for a larger heap': front('heapFrame'),
  'limits the data that is loaded': front('dataSize'),
  'writes another memo': ofMemo((memo) => withText(memo, 'order 9999')),
  'writes a memo that looks the same': ofMemo((memo) => withText(memo, `${textOf(memo)}\u200b`)),
  'puts a byte order mark before the memo': ofMemo((memo) => withText(memo, `\ufeff${textOf(memo)}`)),
  'writes the memo by another program': ofMemo((memo) => {
    memo.program = memoProgramV1;
  }),
  'leaves the memo unsigned': ofMemo((memo) => {
    memo.accounts = [];
  }),
  'leaves the memo out': ofMemo((memo, parts) => {
    parts.instructions.splice(parts.instructions.indexOf(memo), 1);
  }),
  'writes the memo behind the transfer': ofMemo((memo, parts) => {
    parts.instructions.splice(parts.instructions.indexOf(memo), 1);
    parts.instructions.push(memo);
  }),
  'replaces a reference': ofReference((accounts) => {
    accounts[4] = { address: thief, signer: false, writable: false };
  }),
  'leaves a reference out': ofReference((accounts) => void accounts.splice(4, 1)),
  'lets a reference be written': ofReference((accounts) => {
    const [, , , , reference] = accounts;
    if (reference) reference.writable = true;
  }),
  'adds a reference of its own': (parts) => {
    transferOf(parts).instruction.accounts.push({ address: thief, signer: false, writable: false });
  },
  'pays twice': (parts) => void parts.instructions.push(structuredClone(transferOf(parts).instruction)),
  'leaves a split out': ofFirstPayment((split, parts) => {
    parts.instructions.splice(parts.instructions.indexOf(split), 1);
  }),
  'pays a split to the thief': ofFirstPayment((split, parts) => {
    split.accounts[2] = { address: thiefsAccount(transferOf(parts)), signer: false, writable: true };
  }),
  'lets the thief be the fee payer': (parts) => {
    parts.feePayer = thief;
  },
  'lets the sender pay for the fee payer': (parts) => {
    const { authority } = transferOf(parts);
    replace(parts, parts.feePayer, authority);
  },
  'sends another token': (parts) => {
    const { instruction, mint, authority, source, destination } = transferOf(parts);
    const other = { tokenProgram: instruction.program, mint: thief };
    replace(parts, mint, thief);
    replace(parts, source, findAssociatedTokenAddress({ owner: authority, ...other }).address);
    replace(parts, destination, findAssociatedTokenAddress({ owner: toAddress(destination), ...other }).address);
  },
  'calls the other token program': (parts) => {
    const { program } = transferOf(parts).instruction;
    replace(parts, program, program === classicTokenProgram ? token2022Program : classicTokenProgram);
  },
  'sends with a fee': (parts) => {
    const { instruction } = transferOf(parts);
    instruction.data = Uint8Array.of(26, 1, ...instruction.data.subarray(1), 1, 0, 0, 0, 0, 0, 0, 0);
  },
  'adds bytes to the transfer': (parts) => {
    const { instruction } = transferOf(parts);
    instruction.data = Uint8Array.of(...instruction.data, 0);
  },
  'wraps the transfer in a batch of the token program': (parts) => {
    const { instruction } = transferOf(parts);
    instruction.data = Uint8Array.of(255, instruction.accounts.length, instruction.data.length, ...instruction.data);
  },
  'creates so that it fails where the account exists': ofCreation((create) => {
    create.data = new Uint8Array(0);
  }),
  'has the sender pay the rent': ofCreation((create, parts) => {
    create.accounts[0] = { address: transferOf(parts).authority, signer: true, writable: true };
  }),
  'names an account that nothing needs': (parts) => {
    parts.instructions[0]?.accounts.push({ address: thief, signer: false, writable: true });
  },
  "lets the recipient's wallet be written": ofCreation(({ accounts }) => {
    const [, , owner] = accounts;
    if (owner) owner.writable = true;
  }),
  'demands another signature': (parts) => {
    transferOf(parts).instruction.accounts.push({ address: thief, signer: true, writable: false });
  },
  'has another version': (parts) => {
    if (parts.version !== 1) parts.version = parts.version === 0 ? 'legacy' : 0;
  },
  'names other decimals': (parts) => {
    const { data } = transferOf(parts).instruction;
    data[9] = (data[9] ?? 0) + 1;
  },
  'lives by another blockhash': (parts) => {
    parts.lifetimeToken = thief;
  },
};

/** The bytes with which a theft would be made; undefined where the transaction has nothing that it changes. */
export function steal(bytes: Uint8Array, theft: Theft): Uint8Array | undefined {
  const parts = takeApart(bytes);
  theft(parts);
  const stolen = putTogether(parts);
  return Buffer.compare(stolen, bytes) === 0 ? undefined : stolen;
}
