import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { toAddress } from '../../../core/src/addresses/address.ts';
import { summarizeTransaction } from '../../../core/src/transaction/summarize-transaction.ts';
import { readAskedLifetime } from '../../src/transfers/transfer-builder.ts';
import { isTransferRefused, type TransferRefused } from '../../src/transfers/transfer-refused.ts';
import { builderOf, FakeChain } from '../chain/fake-chain.ts';
import { sampleRequest } from '../chain/sample-transfer.ts';

const never = Number.POSITIVE_INFINITY;
const blockhash = 'GfVcyD4kkTrj4bKc7WA9sZCin9JDbdT4Zkd3EittNR1W';

/** A chain whose newest known blockhash, of slot 1, is valid up to block 1,000. */
function chainAt(slot = 1n): FakeChain {
  const chain = new FakeChain();
  chain.height = 1_000;
  chain.slot = slot;
  return chain;
}

async function refusalOf(chain: FakeChain, request: Parameters<ReturnType<typeof builderOf>['build']>[0]) {
  let refused: TransferRefused | undefined;
  await assert.rejects(builderOf(chain).build(request, never), (error: unknown) => {
    if (isTransferRefused(error)) refused = error;
    return refused !== undefined;
  });
  return refused?.findings ?? [];
}

describe('A transaction with the blockhash of its request', () => {
  const recentBlockhash = { blockhash, lastValidBlockHeight: undefined };

  test('has that one, is called valid until the highest block that can be its last, and asks for it once', async () => {
    const chain = chainAt(4n);
    const built = await builderOf(chain).build({ ...sampleRequest, recentBlockhash }, never);
    assert.deepEqual(built.lifetime, { blockhash, lastValidBlockHeight: 1_003n });
    assert.equal(summarizeTransaction(built.bytes).blockhash, blockhash);
    assert.deepEqual(chain.blockhashesAsked, [blockhash]);
  });

  test('is refused where the node does not accept it, together with every other reason', async () => {
    const chain = chainAt();
    chain.deadBlockhashes.add(blockhash);
    const fault = { code: 'blockhash_not_valid', field: 'recentBlockhash' };
    const context = { blockhash, fault: { kind: 'not_valid' } };
    assert.deepEqual(await refusalOf(chain, { ...sampleRequest, recentBlockhash }), [{ ...fault, context }]);
    const findings = await refusalOf(chain, { ...sampleRequest, recentBlockhash, amount: 10n ** 15n });
    assert.deepEqual(
      findings.map(({ code }) => code),
      ['insufficient_token_balance', 'blockhash_not_valid'],
    );
  });

  test('is refused without checks, too: neither funding nor time makes it land', async () => {
    const chain = chainAt();
    chain.deadBlockhashes.add(blockhash);
    const [finding] = await refusalOf(chain, { ...sampleRequest, recentBlockhash, checks: 'none' });
    assert.equal(finding?.code, 'blockhash_not_valid');
  });

  test('that the upstream cannot be asked about is a fault of the upstream', async () => {
    const chain = chainAt();
    const fault = new Error('the upstream is down');
    chain.isBlockhashValid = () => Promise.reject(fault);
    await assert.rejects(builderOf(chain).build({ ...sampleRequest, recentBlockhash }, never), fault);
  });
});

test('The last valid block height of a request is taken where it can be right, and refused elsewhere', async () => {
  const asked = (lastValidBlockHeight: bigint) =>
    readAskedLifetime(chainAt(4n), { blockhash: toAddress(blockhash), lastValidBlockHeight }, never);
  for (const lastValidBlockHeight of [850n, 900n, 1_000n, 1_003n]) {
    assert.deepEqual(await asked(lastValidBlockHeight), { lifetime: { blockhash, lastValidBlockHeight } });
  }
  for (const lastValidBlockHeight of [849n, 1_004n, 0n]) {
    const fault = { kind: 'impossible_height', lastValidBlockHeight, min: 850n, max: 1_003n };
    const finding = { code: 'blockhash_not_valid', field: 'lastValidBlockHeight', context: { blockhash, fault } };
    assert.deepEqual(await asked(lastValidBlockHeight), { finding });
  }
});
