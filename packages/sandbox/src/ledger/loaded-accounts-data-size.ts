import { type Address, address, type EncodedAccount, getAddressDecoder } from '@solana/kit';

const upgradeableLoader = address('BPFLoaderUpgradeab1e11111111111111111111111');
const instructionsSysvar = address('Sysvar1nstructions1111111111111111111111111');

/** Added to every account's data (SIMD-0186). */
const accountBaseBytes = 64;

/** Added for every lookup table (SIMD-0186). */
const lookupTableBytes = 8_248;

/** An upgradeable program's account: u32 kind 2, then the address of the account that holds its code. */
const programKind = 2;
const programBytes = 36;

function programDataAddress(account: EncodedAccount): Address | undefined {
  const { data } = account;
  const isProgram =
    account.programAddress === upgradeableLoader && data.length === programBytes && data[0] === programKind;
  return isProgram ? getAddressDecoder().decode(data.slice(4)) : undefined;
}

/** Counts the bytes of accounts that a transaction loads, its programs' code included (SIMD-0186). */
export function loadedAccountsDataSize(
  addresses: readonly Address[],
  lookupTables: number,
  getAccount: (address: Address) => EncodedAccount | undefined,
): number {
  const accounts = addresses.map((each) => (each === instructionsSysvar ? undefined : getAccount(each)));
  const codeAddresses = accounts.flatMap((account) => (account && programDataAddress(account)) ?? []);
  const codes = [...new Set(codeAddresses)].filter((each) => !addresses.includes(each)).map(getAccount);
  const sizes = [...accounts, ...codes].map((account) =>
    account === undefined ? 0 : accountBaseBytes + account.data.length,
  );
  return sizes.reduce((sum, size) => sum + size, lookupTables * lookupTableBytes);
}
