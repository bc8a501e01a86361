import { type Address, address, type EncodedAccount } from '@solana/kit';
import { TOKEN_2022_PROGRAM_ADDRESS } from '../../ledger/token-2022.ts';
import { decodeMintDecimals, decodeTokenAccount, mintScaleOf } from '../../ledger/token-balances.ts';
import { toUiTokenAmount, type UiTokenAmount } from '../../ledger/ui-token-amount.ts';
import { ByteReader } from './byte-reader.ts';
import { parseExtensions } from './token-extensions.ts';

/** An account's data as `jsonParsed` shows it. */
interface ParsedData {
  /** The name of the program in a validator's JSON. */
  program: string;
  parsed: { type: string; info: object };
}

/** Reads another account: the mint of a token account, the clock. */
export type GetAccount = (address: Address) => EncodedAccount | undefined;

const clockSysvar = address('SysvarC1ock11111111111111111111111111111111');

const accountStates = ['uninitialized', 'initialized', 'frozen'] as const;

function extensionsOf({ data, programAddress }: EncodedAccount): object {
  const extensions = programAddress === TOKEN_2022_PROGRAM_ADDRESS ? parseExtensions(data) : [];
  return extensions.length === 0 ? {} : { extensions };
}

function parseTokenAccount(account: EncodedAccount, amountOf: (amount: bigint) => UiTokenAmount): object {
  const reader = new ByteReader(account.data);
  const mint = reader.address();
  const owner = reader.address();
  const amount = reader.u64();
  const delegate = reader.option(() => reader.address());
  const state = accountStates[reader.u8()];
  const rentExemptReserve = reader.option(() => reader.u64());
  const delegatedAmount = reader.u64();
  const closeAuthority = reader.option(() => reader.address());
  return {
    mint,
    owner,
    tokenAmount: amountOf(amount),
    ...(delegate !== null && { delegate }),
    state,
    isNative: rentExemptReserve !== null,
    ...(rentExemptReserve !== null && { rentExemptReserve: amountOf(rentExemptReserve) }),
    ...(delegate !== null && { delegatedAmount: amountOf(delegatedAmount) }),
    ...(closeAuthority !== null && { closeAuthority }),
    ...extensionsOf(account),
  };
}

function parseMint(account: EncodedAccount): object {
  const reader = new ByteReader(account.data);
  const mintAuthority = reader.option(() => reader.address());
  const supply = reader.u64().toString();
  const decimals = reader.u8();
  const isInitialized = reader.u8() !== 0;
  const freezeAuthority = reader.option(() => reader.address());
  return { mintAuthority, supply, decimals, isInitialized, freezeAuthority, ...extensionsOf(account) };
}

function parseClock({ data }: EncodedAccount): object {
  const reader = new ByteReader(data);
  const slot = reader.u64();
  const epochStartTimestamp = reader.i64();
  const epoch = reader.u64();
  const leaderScheduleEpoch = reader.u64();
  const unixTimestamp = reader.i64();
  return { slot, epoch, epochStartTimestamp, leaderScheduleEpoch, unixTimestamp };
}

/** Reads a mint, a token account whose mint is there, or the clock; undefined for every other account. */
export function parseAccount(account: EncodedAccount, getAccount: GetAccount): ParsedData | undefined {
  if (account.address === clockSysvar) {
    return { program: 'sysvar', parsed: { type: 'clock', info: parseClock(account) } };
  }
  const program = account.programAddress === TOKEN_2022_PROGRAM_ADDRESS ? 'spl-token-2022' : 'spl-token';
  if (decodeMintDecimals(account) !== undefined) return { program, parsed: { type: 'mint', info: parseMint(account) } };
  const state = decodeTokenAccount(account);
  const mint = state && getAccount(state.mint);
  const scale = mint && mintScaleOf(mint, getAccount);
  if (scale === undefined) return undefined;
  const info = parseTokenAccount(account, (amount) => toUiTokenAmount(amount, scale));
  return { program, parsed: { type: 'account', info } };
}
