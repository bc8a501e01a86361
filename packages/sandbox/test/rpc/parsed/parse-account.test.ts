import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { lamports } from '@solana/kit';
import {
  AccountState,
  type ExtensionArgs,
  extension,
  getAmountToUiAmountInstruction,
  getInitializeInterestBearingMintInstruction,
  getInitializeScaledUiAmountMintInstruction,
  getTokenEncoder,
  TOKEN_2022_PROGRAM_ADDRESS,
} from '@solana-program/token-2022';
import { keypairFromName } from '../../../src/ledger/keypair.ts';
import { mintScaleOf } from '../../../src/ledger/token-balances.ts';
import { toUiTokenAmount } from '../../../src/ledger/ui-token-amount.ts';
import { makeMint } from '../../conformance/scene.ts';
import { base64, signed, startTestSandbox, type TestSandbox, wallet } from '../../fixtures.ts';

const authority = keypairFromName('parsed authority').address;

describe('an account in words', () => {
  let sandbox: TestSandbox;
  before(async () => {
    sandbox = await startTestSandbox();
  });
  after(() => sandbox.close());

  it('has the delegate, the close authority and the extensions of a token account, an unknown one as unparseable', async () => {
    const account = keypairFromName('parsed account').address;
    const [mint, delegate] = [sandbox.mint('PYUSD'), keypairFromName('parsed delegate').address];
    const contents = { mint, owner: authority, amount: 1_234n, state: AccountState.Frozen, isNative: null };
    const delegation = { delegate, delegatedAmount: 34n, closeAuthority: authority };
    const extensions: ExtensionArgs[] = [{ __kind: 'PausableAccount' }, { __kind: 'ImmutableOwner' }];
    const data = Uint8Array.from(getTokenEncoder().encode({ ...contents, ...delegation, extensions }));
    sandbox.ledger.setAccount({
      address: account,
      data,
      lamports: lamports(10_000_000n),
      space: BigInt(data.length),
      executable: false,
      programAddress: TOKEN_2022_PROGRAM_ADDRESS,
    });
    const { json } = await sandbox.call('getAccountInfo', [account, { encoding: 'jsonParsed' }]);
    const { program, parsed } = json.result.value.data;
    assert.deepEqual([program, parsed.type], ['spl-token-2022', 'account']);
    assert.deepEqual(parsed.info, {
      mint,
      owner: authority,
      tokenAmount: { amount: '1234', decimals: 6, uiAmount: 0.001234, uiAmountString: '0.001234' },
      delegate,
      state: 'frozen',
      isNative: false,
      delegatedAmount: { amount: '34', decimals: 6, uiAmount: 0.000034, uiAmountString: '0.000034' },
      closeAuthority: authority,
      extensions: [{ extension: 'unparseableExtension' }, { extension: 'immutableOwner' }],
    });
  });

  it('shows amounts with interest or a multiplier as the token program does', async () => {
    const interest = { rateAuthority: authority, initializationTimestamp: 0n, lastUpdateTimestamp: 0n };
    const scaled = { authority, newMultiplierEffectiveTimestamp: 0n, multiplier: 1.75, newMultiplier: 1.75 };
    const program = TOKEN_2022_PROGRAM_ADDRESS;
    const mints = [
      makeMint(sandbox, wallet('alice'), 'interest', {
        program,
        extensions: [extension('InterestBearingConfig', { ...interest, preUpdateAverageRate: 700, currentRate: 700 })],
        before: (mint) => [getInitializeInterestBearingMintInstruction({ mint, rateAuthority: authority, rate: 700 })],
      }),
      makeMint(sandbox, wallet('alice'), 'multiplier', {
        program,
        extensions: [extension('ScaledUiAmountConfig', scaled)],
        before: (mint) => [getInitializeScaledUiAmountMintInstruction({ mint, authority, multiplier: 1.75 })],
      }),
    ];
    // Interest grows for 200 seconds, which a great amount shows.
    sandbox.ledger.advanceSlots(1000);
    for (const each of mints) {
      for (const amount of [0n, 1n, 1_234_567n, 10n ** 15n]) {
        const bytes = signed(sandbox, [getAmountToUiAmountInstruction({ mint: each, amount })], wallet('alice'));
        const config = { encoding: 'base64', commitment: 'confirmed' };
        const { json } = await sandbox.call('simulateTransaction', [base64(bytes), config]);
        const returned = Buffer.from(json.result.value.returnData.data[0], 'base64').toString();
        const account = sandbox.ledger.getAccount(each) ?? assert.fail();
        const scale = mintScaleOf(account, (address) => sandbox.ledger.getAccount(address)) ?? assert.fail();
        assert.equal(toUiTokenAmount(amount, scale).uiAmountString, returned);
      }
    }
  });
});
