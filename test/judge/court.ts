import type { EncodedAccount } from '@solana/kit';
import { Ledger } from '../../packages/sandbox/src/ledger/ledger.ts';
import { TransferBuilder } from '../../packages/server/src/build/transfer-builder.ts';
import { installClassicMemoProgram } from '../setup/classic-memo-ledger.ts';
import { installTokenAcl } from '../setup/token-acl.ts';
import { clockSysvar, rentSysvar } from './addresses.ts';
import { installHooks } from './hook.ts';
import { LedgerChainReader } from './ledger-chain-reader.ts';

/** Where worlds are judged: one ledger and one service for all of them. */
export interface Court {
  rules: CourtRules;
  ledger: Ledger;
  reader: LedgerChainReader;
  builder: TransferBuilder;
}

/** Which programs and rules the ledger of a court has. */
export interface CourtRules {
  name: string;
  classicTokenProgram: boolean;
  classicMemoProgram: boolean;
  /** Half of today's rent, as the network intends to have it one day. */
  halfRent: boolean;
}

/** Every set of rules that the worlds are judged under. */
export const allRules: readonly CourtRules[] = [
  { name: 'p-token', classicTokenProgram: false, classicMemoProgram: false, halfRent: false },
  { name: 'the classic SPL Token', classicTokenProgram: true, classicMemoProgram: false, halfRent: false },
  { name: 'the classic Memo program', classicTokenProgram: false, classicMemoProgram: true, halfRent: false },
  { name: 'half the rent', classicTokenProgram: false, classicMemoProgram: false, halfRent: true },
];

/** The most that a priority fee may cost in every court, in lamports. */
export const maxPriorityFeeLamports = 1_000_000n;

// Far from the beginning, so that a fee can have begun to count epochs ago.
const epoch = 700n;

/** Opens a court under these rules. */
export function openCourt(rules: CourtRules): Court {
  const ledger = new Ledger({ classicTokenProgram: rules.classicTokenProgram });
  if (rules.classicMemoProgram) installClassicMemoProgram(ledger);
  if (rules.halfRent) halveRent(ledger);
  installHooks(ledger);
  installTokenAcl(ledger);
  ledger.advanceSlots(1);
  setEpoch(ledger);
  const reader = new LedgerChainReader(ledger);
  return { rules, ledger, reader, builder: new TransferBuilder(reader, { maxPriorityFeeLamports }) };
}

/** Lets slots pass: blockhashes, and what a ledger keeps for each, grow old. */
export function passTime({ ledger }: Court, slots: number): void {
  ledger.advanceSlots(slots);
  setEpoch(ledger);
}

function setEpoch(ledger: Ledger): void {
  change(ledger, clockSysvar, (data) => data.setBigUint64(16, epoch, true));
}

function halveRent(ledger: Ledger): void {
  change(ledger, rentSysvar, (data) => data.setBigUint64(0, data.getBigUint64(0, true) / 2n, true));
}

function change(ledger: Ledger, sysvar: EncodedAccount['address'], write: (data: DataView) => void): void {
  const found = ledger.getAccount(sysvar);
  if (!found) throw new Error(`the ledger has no sysvar ${sysvar}`);
  const data = Uint8Array.from(found.data);
  write(new DataView(data.buffer));
  ledger.setAccount({ ...found, data });
}
