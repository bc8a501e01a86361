import type { EncodedAccount } from '@solana/kit';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { TOKEN_2022_PROGRAM_ADDRESS } from '@solana-program/token-2022';
import type { RecentBlockhash } from '../../src/sandbox/blockhash-queue.ts';
import type { Ledger } from '../../src/sandbox/index.ts';

/** Remembers what a ledger was like at every slot, which the ledger itself does not. */
export interface LedgerMemory {
  /** The ledger as a node has it that got no further than this slot: its slot, blockhash and accounts of then. */
  asOf(slot: bigint): Ledger;
  /** The slot whose blockhash this is; undefined for one that the ledger has not had since the memory began. */
  slotOf(blockhash: string): bigint | undefined;
}

/** An account as it was from a slot on. */
interface Version {
  readonly slot: bigint;
  readonly account: EncodedAccount | undefined;
}

const transferPrograms = [SYSTEM_PROGRAM_ADDRESS, TOKEN_PROGRAM_ADDRESS, TOKEN_2022_PROGRAM_ADDRESS];

/** Begins to remember the blockhashes and what transactions change; what `setAccount` writes was always so. */
export function rememberLedger(ledger: Ledger): LedgerMemory {
  const first = ledger.latestBlockhash('confirmed');
  const blockhashes = new Map<bigint, RecentBlockhash>([[first.slot, first]]);
  const slots = new Map<string, bigint>([[first.blockhash, first.slot]]);
  ledger.events.on('slot', () => {
    const latest = ledger.latestBlockhash('confirmed');
    blockhashes.set(latest.slot, latest);
    slots.set(latest.blockhash, latest.slot);
  });

  const atFirst = new Map<string, EncodedAccount>(
    transferPrograms
      .flatMap((program) => ledger.getProgramAccounts(program))
      .map((account) => [account.address, account]),
  );
  const versions = new Map<string, Version[]>();
  ledger.events.on('transaction', ({ addresses, preBalances, slot }) => {
    for (const [index, address] of addresses.entries()) {
      const account = ledger.getAccount(address);
      // What had lamports and is not of those programs is a program or a sysvar, which no transaction changes.
      const before = atFirst.get(address) ?? ((preBalances[index] ?? 0n) > 0n ? account : undefined);
      const known = versions.get(address) ?? [{ slot: 0n, account: before }];
      versions.set(address, [...known, { slot, account }]);
    }
  });

  return {
    slotOf: (blockhash) => slots.get(blockhash),
    asOf(slot) {
      const past: Ledger = Object.create(ledger);
      past.slot = () => slot;
      past.latestBlockhash = () => blockhashes.get(slot) ?? first;
      past.getAccount = (address) => {
        const known = versions.get(address);
        return known ? known.findLast((version) => version.slot <= slot)?.account : ledger.getAccount(address);
      };
      past.simulate = (bytes, checks) => ledger.simulate(bytes, checks);
      Object.defineProperty(past, 'transactionCount', { value: ledger.transactionCount });
      return past;
    },
  };
}
