import { Ledger } from '../../packages/sandbox/src/ledger/ledger.ts';
import { TransferBuilder } from '../../packages/server/src/transfers/transfer-builder.ts';
import { installClassicMemoProgram } from '../setup/classic-memo-ledger.ts';
import { installVaultProgram } from '../setup/proxy-program.ts';
import { installTokenAcl } from '../setup/token-acl.ts';
import { clockSysvar } from './addresses.ts';
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
  /** The rent. */
  lamportsPerByte: bigint;
}

const newest = { classicTokenProgram: false, classicMemoProgram: false };

/** Every set of rules that the worlds are judged under. The rents are all that mainnet had, has and intends to have (SIMD-0437). */
export const allRules: readonly CourtRules[] = [
  { ...newest, name: 'p-token', lamportsPerByte: 5_080n },
  { ...newest, name: 'the classic SPL Token', classicTokenProgram: true, lamportsPerByte: 6_960n },
  { ...newest, name: 'the classic Memo program', classicMemoProgram: true, lamportsPerByte: 6_333n },
  { ...newest, name: 'a rent of 2,575', lamportsPerByte: 2_575n },
  { ...newest, name: 'a rent of 1,322', lamportsPerByte: 1_322n },
  { ...newest, name: 'a rent of 696', lamportsPerByte: 696n },
];

/** The most that a priority fee may cost in every court, in lamports. */
export const maxPriorityFeeLamports = 1_000_000n;

// Far from the beginning, so that a fee can have begun to count epochs ago.
const epoch = 700n;

/** Opens a court under these rules. */
export function openCourt(rules: CourtRules): Court {
  const ledger = new Ledger({ classicTokenProgram: rules.classicTokenProgram, lamportsPerByte: rules.lamportsPerByte });
  if (rules.classicMemoProgram) installClassicMemoProgram(ledger);
  installHooks(ledger);
  installTokenAcl(ledger);
  installVaultProgram(ledger);
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
  const found = ledger.getAccount(clockSysvar);
  if (!found) throw new Error('the ledger has no clock');
  const data = Uint8Array.from(found.data);
  new DataView(data.buffer).setBigUint64(16, epoch, true);
  ledger.setAccount({ ...found, data });
}
