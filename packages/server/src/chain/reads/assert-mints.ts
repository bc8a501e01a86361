import type { Account } from 'splwright-core';
import {
  classifyTokenProgramAccount,
  decodeTransferFeeConfig,
  extensionType,
  findMissizedExtension,
  isPossibleTransferFee,
  readExtensions,
  token2022Program,
} from 'splwright-core';
import { malformed } from '../upstream-faults.ts';

/**
 * Throws an `UpstreamFault` when a Token-2022 mint holds what its program cannot have written: an extension whose size does not
 * fit its type, or a fee above 100 %.
 *
 * Only the program writes its accounts, so such bytes are the upstream's fault. Bytes that users choose (accounts of other
 * programs, lists of transfer hooks) are facts, however odd.
 */
export function assertMints(accounts: readonly (Account | null)[]): void {
  for (const account of accounts) {
    if (account?.owner !== token2022Program || classifyTokenProgramAccount(account) !== 'mint') continue;
    const extensions = readExtensions(account.data);
    const missized = findMissizedExtension(extensions);
    if (missized) {
      const { type, size, expectedSize } = missized;
      throw malformed(`a mint has an extension of type ${type} with ${size} bytes instead of ${expectedSize}`);
    }
    const fee = extensions.get(extensionType.transferFeeConfig);
    if (fee && !isPossibleTransferFee(decodeTransferFeeConfig(fee))) {
      throw malformed('a mint has a transfer fee of more than 10,000 basis points');
    }
  }
}
