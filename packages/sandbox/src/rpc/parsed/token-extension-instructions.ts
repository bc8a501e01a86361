import { toUiTokenAmount } from '../../ledger/ui-token-amount.ts';
import type { ByteReader } from './byte-reader.ts';
import { accountAt, authorityOf, type InstructionReader, namedAccounts } from './instruction-context.ts';
import { accountStateName } from './token-extensions.ts';

/** A member only where the value is there. */
function optional(name: string, value: string | null): object {
  return value === null ? {} : { [name]: value };
}

/** Readers of the instructions of one extension, chosen by the second byte. */
function family(readers: readonly InstructionReader[]): InstructionReader {
  return (context) => {
    const reader = readers[context.data.u8()];
    if (reader === undefined) throw new RangeError('an unknown instruction of an extension');
    return reader(context);
  };
}

/** A reader for one account, contents, and an authority after the account. */
function kind(
  type: string,
  account: 'mint' | 'account',
  contents?: (data: ByteReader) => object,
  authority?: string,
): InstructionReader {
  return (context) => ({
    type,
    info: {
      ...namedAccounts(context, account),
      ...contents?.(context.data),
      ...(authority !== undefined && authorityOf(context, 1, authority)),
    },
  });
}

const feeContents = (data: ByteReader) => ({
  transferFeeBasisPoints: data.u16(),
  maximumFee: data.u64(),
});

const transferFee = family([
  kind('initializeTransferFeeConfig', 'mint', (data) => {
    const config = optional(
      'transferFeeConfigAuthority',
      data.option(() => data.address()),
    );
    const withdraw = optional(
      'withdrawWithheldAuthority',
      data.option(() => data.address()),
    );
    return { ...feeContents(data), ...config, ...withdraw };
  }),
  (context) => {
    const [amount, decimals, fee] = [context.data.u64(), context.data.u8(), context.data.u64()];
    return {
      type: 'transferCheckedWithFee',
      info: {
        ...namedAccounts(context, 'source', 'mint', 'destination'),
        tokenAmount: toUiTokenAmount(amount, { decimals }),
        feeAmount: toUiTokenAmount(fee, { decimals }),
        ...authorityOf(context, 3, 'authority'),
      },
    };
  },
  (context) => ({
    type: 'withdrawWithheldTokensFromMint',
    info: {
      ...namedAccounts(context, 'mint', 'feeRecipient'),
      ...authorityOf(context, 2, 'withdrawWithheldAuthority'),
    },
  }),
  (context) => {
    const { accounts, data } = context;
    const firstSource = accounts.length - data.u8();
    accountAt(accounts, firstSource - 1);
    return {
      type: 'withdrawWithheldTokensFromAccounts',
      info: {
        ...namedAccounts(context, 'mint', 'feeRecipient'),
        sourceAccounts: accounts.slice(firstSource),
        ...authorityOf({ accounts: accounts.slice(0, firstSource), data }, 2, 'withdrawWithheldAuthority'),
      },
    };
  },
  (context) => ({
    type: 'harvestWithheldTokensToMint',
    info: { ...namedAccounts(context, 'mint'), sourceAccounts: context.accounts.slice(1) },
  }),
  kind('setTransferFee', 'mint', feeContents, 'transferFeeConfigAuthority'),
]);

const accountState = (data: ByteReader) => ({ accountState: accountStateName(data.u8()) });

/** Readers of a pointer's two instructions: to the metadata, the group or the member of a mint. */
function pointer(name: string, target: string): InstructionReader {
  return family([
    kind(`initialize${name}`, 'mint', (data) => ({
      ...optional('authority', data.addressOrNull()),
      ...optional(target, data.addressOrNull()),
    })),
    kind(`update${name}`, 'mint', (data) => optional(target, data.addressOrNull()), 'authority'),
  ]);
}

/** Readers of the instructions of Token-2022's extensions, by their first byte. Confidential transfers are not among them. */
export const extensionInstructions: Readonly<Record<number, InstructionReader>> = {
  26: transferFee,
  28: family([
    kind('initializeDefaultAccountState', 'mint', accountState),
    kind('updateDefaultAccountState', 'mint', accountState, 'freezeAuthority'),
  ]),
  30: family([
    kind('enableRequiredMemoTransfers', 'account', undefined, 'owner'),
    kind('disableRequiredMemoTransfers', 'account', undefined, 'owner'),
  ]),
  33: family([
    kind('initializeInterestBearingConfig', 'mint', (data) => ({
      rateAuthority: data.addressOrNull(),
      rate: data.i16(),
    })),
    kind('updateInterestBearingConfigRate', 'mint', (data) => ({ newRate: data.i16() }), 'rateAuthority'),
  ]),
  34: family([
    kind('enableCpiGuard', 'account', undefined, 'owner'),
    kind('disableCpiGuard', 'account', undefined, 'owner'),
  ]),
  36: pointer('TransferHook', 'programId'),
  39: pointer('MetadataPointer', 'metadataAddress'),
  40: pointer('GroupPointer', 'groupAddress'),
  41: pointer('GroupMemberPointer', 'memberAddress'),
  43: family([
    kind('initializeScaledUiAmountConfig', 'mint', (data) => ({
      ...optional('authority', data.addressOrNull()),
      multiplier: String(data.f64()),
    })),
    kind(
      'updateMultiplier',
      'mint',
      (data) => ({ newMultiplier: String(data.f64()), newMultiplierTimestamp: data.i64().toString() }),
      'owner',
    ),
  ]),
  44: family([
    kind('initializePausableConfig', 'mint', (data) => optional('authority', data.addressOrNull())),
    kind('pause', 'mint', undefined, 'authority'),
    kind('resume', 'mint', undefined, 'authority'),
  ]),
};
