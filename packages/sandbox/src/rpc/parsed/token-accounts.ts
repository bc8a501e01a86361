import type { Address, EncodedAccount } from '@solana/kit';
import { TOKEN_2022_PROGRAM_ADDRESS } from '../../ledger/token-2022.ts';
import { decodeMintDecimals, decodeTokenAccount, mintScaleOf, tokenPrograms } from '../../ledger/token-balances.ts';
import { toUiTokenAmount, type UiTokenAmount } from '../../ledger/ui-token-amount.ts';
import { ByteReader } from './byte-reader.ts';
import type { ParsedData } from './parsed-data.ts';
import { accountStateName, parseExtensions } from './token-extensions.ts';

const multisigBytes = 355;
const maxSigners = 11;

/** Reads another account: the mint of a token account, the clock. */
export type GetAccount = (address: Address) => EncodedAccount | undefined;

function extensionsOf({ data, programAddress }: EncodedAccount): object {
  if (programAddress !== TOKEN_2022_PROGRAM_ADDRESS) return {};
  const extensions = parseExtensions(data);
  return extensions.length === 0 ? {} : { extensions };
}

function parseTokenAccount(account: EncodedAccount, amountOf: (amount: bigint) => UiTokenAmount): unknown {
  const reader = new ByteReader(account.data);
  const mint = reader.address();
  const owner = reader.address();
  const amount = reader.u64();
  const delegate = reader.fixedOption(4, () => reader.address());
  const state = accountStateName(reader.u8());
  const rentExemptReserve = reader.fixedOption(4, () => reader.u64());
  const delegatedAmount = reader.u64();
  const closeAuthority = reader.fixedOption(4, () => reader.address());
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

function parseMint(account: EncodedAccount): unknown {
  const reader = new ByteReader(account.data);
  const mintAuthority = reader.fixedOption(4, () => reader.address());
  const supply = reader.u64().toString();
  const decimals = reader.u8();
  const isInitialized = reader.flag();
  const freezeAuthority = reader.fixedOption(4, () => reader.address());
  return { mintAuthority, supply, decimals, isInitialized, freezeAuthority, ...extensionsOf(account) };
}

function parseMultisig({ data }: EncodedAccount): unknown {
  const reader = new ByteReader(data);
  const numRequiredSigners = reader.u8();
  const numValidSigners = reader.u8();
  const isInitialized = reader.flag();
  const signers = Array.from({ length: maxSigners }, () => reader.addressOrNull());
  return { numRequiredSigners, numValidSigners, isInitialized, signers: signers.filter((each) => each !== null) };
}

/** Reads an account of either token program; undefined when it is none, or its mint is gone. */
export function parseTokenProgramAccount(account: EncodedAccount, getAccount: GetAccount): ParsedData | undefined {
  if (!tokenPrograms.has(account.programAddress)) return undefined;
  const program = account.programAddress === TOKEN_2022_PROGRAM_ADDRESS ? 'spl-token-2022' : 'spl-token';
  const state = decodeTokenAccount(account);
  if (state !== undefined) {
    const mint = getAccount(state.mint);
    const scale = mint === undefined ? undefined : mintScaleOf(mint, getAccount);
    if (scale === undefined) return undefined;
    const amountOf = (amount: bigint) => toUiTokenAmount(amount, scale);
    return { program, parsed: { type: 'account', info: parseTokenAccount(account, amountOf) } };
  }
  if (decodeMintDecimals(account) !== undefined) return { program, parsed: { type: 'mint', info: parseMint(account) } };
  if (account.data.length === multisigBytes && account.data[2] === 1) {
    return { program, parsed: { type: 'multisig', info: parseMultisig(account) } };
  }
  return undefined;
}
