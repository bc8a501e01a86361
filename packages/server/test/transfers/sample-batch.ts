import { tokenProgram } from '../../../core/src/addresses/programs.ts';
import type { BatchRequest } from '../../../core/src/request/transfer-request.ts';
import { freshWallet } from '../../../core/test/fixtures.ts';
import { FakeChain } from '../chain/fake-chain.ts';
import { sampleAccount, sampleRequest } from '../chain/sample-transfer.ts';

/** A batch of so many transfers, each to a wallet of its own. */
export function batchOf(count: number, amount = 1n): BatchRequest {
  const { from, mint, feePayer, version, priorityFee, nonceAccount, checks, allowsOffCurveRecipient } = sampleRequest;
  const transfers = Array.from({ length: count }, () => ({
    to: freshWallet(),
    amount,
    memo: undefined,
    references: [],
  }));
  const options = { feePayer, version, priorityFee, nonceAccount, checks, allowsOffCurveRecipient };
  return { layout: 'default', from, mint, ...options, createTokenAccount: 'if_missing', transfers };
}

/** A chain whose sender can pay for a thousand recipients; at the addresses in `mints` there is a mint, which cannot be paid. */
export function richChain(mints: ReadonlySet<string> = new Set()): FakeChain {
  return new FakeChain({
    changed: (accounts, addresses) =>
      accounts.map((account, index) => {
        if (mints.has(addresses[index] ?? '')) return sampleAccount(sampleRequest.mint, tokenProgram);
        if (account?.data.length !== 165) return account && { ...account, lamports: 10n ** 12n };
        const data = Uint8Array.from(account.data);
        new DataView(data.buffer).setBigUint64(64, 10n ** 12n, true);
        return { ...account, data };
      }),
  });
}
