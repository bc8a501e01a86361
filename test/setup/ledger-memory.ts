import type { EncodedAccount } from '@solana/kit';
import { SYSVAR_CLOCK_ADDRESS } from '@solana/sysvars';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import { TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { TOKEN_2022_PROGRAM_ADDRESS } from '@solana-program/token-2022';
import type { Ledger } from '../../packages/sandbox/src/index.ts';
import type { RecentBlockhash } from '../../packages/sandbox/src/ledger/blockhash-queue.ts';

/** Remembers what a ledger was like at every slot, which the ledger itself does not. */
export interface LedgerMemory {
  /** The ledger as a node has it that got no further than this slot: its slot, blockhash, clock and accounts of then. Before the memory began it is as it was at the beginning. */
  asOf(slot: bigint): Ledger;
  /** The slot at which the memory began. */
  firstSlot: bigint;
  /** The slot whose blockhash this is; undefined for one that the ledger has not had since the memory began. */
  slotOf(blockhash: string): bigint | undefined;
}

/** What every slot changes. */
interface Moment {
  blockhash: RecentBlockhash;
  clock: EncodedAccount | undefined;
}

/** An account as it was from a slot on. */
interface Version {
  slot: bigint;
  account: EncodedAccount | undefined;
}

const transferPrograms = [SYSTEM_PROGRAM_ADDRESS, TOKEN_PROGRAM_ADDRESS, TOKEN_2022_PROGRAM_ADDRESS];

/** Begins to remember the blockhashes and what transactions change; what `setAccount` writes was always so. */
export function rememberLedger(ledger: Ledger): LedgerMemory {
  const moments = new Map<bigint, Moment>();
  const slots = new Map<string, bigint>();
  const rememberMoment = (): Moment => {
    const blockhash = ledger.latestBlockhash('confirmed');
    const moment = { blockhash, clock: ledger.getAccount(SYSVAR_CLOCK_ADDRESS) };
    moments.set(blockhash.slot, moment);
    slots.set(blockhash.blockhash, blockhash.slot);
    return moment;
  };
  const first = rememberMoment();
  ledger.events.on('slot', rememberMoment);

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
    firstSlot: first.blockhash.slot,
    slotOf: (blockhash) => slots.get(blockhash),
    asOf(slot) {
      const past: Ledger = Object.create(ledger);
      const { blockhash, clock } = moments.get(slot) ?? first;
      past.slot = () => blockhash.slot;
      past.latestBlockhash = () => blockhash;
      past.getAccount = (address) => {
        if (address === SYSVAR_CLOCK_ADDRESS) return clock;
        const known = versions.get(address);
        return known
          ? known.findLast((version) => version.slot <= blockhash.slot)?.account
          : ledger.getAccount(address);
      };
      past.isBlockhashValid = (hash, commitment) =>
        (slots.get(hash) ?? 0n) <= blockhash.slot && ledger.isBlockhashValid(hash, commitment);
      past.simulate = (bytes, checks) => ledger.simulate(bytes, checks);
      Object.defineProperty(past, 'transactionCount', { value: ledger.transactionCount });
      return past;
    },
  };
}
