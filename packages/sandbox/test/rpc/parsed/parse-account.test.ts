import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Address, createNoopSigner, type Instruction, lamports, none, some } from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import {
  AccountState,
  type ExtensionArgs,
  extension,
  getAmountToUiAmountInstruction,
  getInitializeInterestBearingMintInstruction,
  getInitializeMint2Instruction,
  getInitializeScaledUiAmountMintInstruction,
  getMintEncoder,
  getMintSize,
  getTokenEncoder,
  TOKEN_2022_PROGRAM_ADDRESS,
} from '@solana-program/token-2022';
import { keypairFromName } from '../../../src/ledger/keypair.ts';
import { mintScaleOf } from '../../../src/ledger/token-balances.ts';
import { toUiTokenAmount } from '../../../src/ledger/ui-token-amount.ts';
import { run } from '../../conformance/scene.ts';
import { base64, signed, startTestSandbox, type TestSandbox, wallet } from '../../fixtures.ts';

const authority = keypairFromName('parsed authority').address;
const mint = keypairFromName('parsed mint').address;

/** The extensions of a mint, and what a validator's JSON calls each and its contents. */
const mintExtensions: readonly (readonly [ExtensionArgs, name: string, state: unknown])[] = [
  [extension('DefaultAccountState', { state: AccountState.Frozen }), 'defaultAccountState', { accountState: 'frozen' }],
  [{ __kind: 'NonTransferable' }, 'nonTransferable', undefined],
  [extension('TransferHook', { authority, programId: mint }), 'transferHook', { authority, programId: mint }],
  [extension('PausableConfig', { authority, paused: true }), 'pausableConfig', { authority, paused: true }],
  [
    extension('GroupPointer', { authority: none(), groupAddress: some(mint) }),
    'groupPointer',
    { authority: null, groupAddress: mint },
  ],
  [
    extension('TokenGroup', { updateAuthority: some(authority), mint, size: 2n, maxSize: 9n }),
    'tokenGroup',
    { updateAuthority: authority, mint, size: 2, maxSize: 9 },
  ],
];

const accountExtensions: readonly (readonly [ExtensionArgs, name: string, state: unknown])[] = [
  [{ __kind: 'ImmutableOwner' }, 'immutableOwner', undefined],
  [
    extension('MemoTransfer', { requireIncomingTransferMemos: true }),
    'memoTransfer',
    { requireIncomingTransferMemos: true },
  ],
  [extension('CpiGuard', { lockCpi: false }), 'cpiGuard', { lockCpi: false }],
  [{ __kind: 'PausableAccount' }, 'pausableAccount', undefined],
];

describe('an account in words', () => {
  let sandbox: TestSandbox;
  before(async () => {
    sandbox = await startTestSandbox();
  });
  after(() => sandbox.close());

  const write = (address: Address, data: Uint8Array) =>
    sandbox.ledger.setAccount({
      address,
      data,
      lamports: lamports(10_000_000n),
      space: BigInt(data.length),
      executable: false,
      programAddress: TOKEN_2022_PROGRAM_ADDRESS,
    });
  const parsed = async (address: Address) => {
    const { json } = await sandbox.call('getAccountInfo', [address, { encoding: 'jsonParsed' }]);
    return json.result.value.data;
  };
  const inJson = (extensions: typeof mintExtensions) =>
    extensions.map(([, name, state]) => (state === undefined ? { extension: name } : { extension: name, state }));

  before(() => {
    const contents = { mintAuthority: authority, supply: 7n, decimals: 2, isInitialized: true, freezeAuthority: null };
    const extensions = mintExtensions.map(([each]) => each);
    write(mint, Uint8Array.from(getMintEncoder().encode({ ...contents, extensions })));
  });

  it('has the extensions of a mint as another library wrote them', async () => {
    const data = await parsed(mint);
    assert.equal(data.program, 'spl-token-2022');
    assert.deepEqual(data.parsed.info.extensions, inJson(mintExtensions));
  });

  it('has the delegate, the close authority and the extensions of a token account', async () => {
    const account = keypairFromName('parsed account').address;
    const contents = { mint, owner: authority, amount: 1_234n, state: AccountState.Frozen, isNative: null };
    const delegation = { delegate: mint, delegatedAmount: 34n, closeAuthority: authority };
    const extensions = accountExtensions.map(([each]) => each);
    write(account, Uint8Array.from(getTokenEncoder().encode({ ...contents, ...delegation, extensions })));
    const { parsed: read } = await parsed(account);
    assert.equal(read.type, 'account');
    assert.deepEqual(read.info, {
      mint,
      owner: authority,
      tokenAmount: { amount: '1234', decimals: 2, uiAmount: 12.34, uiAmountString: '12.34' },
      delegate: mint,
      state: 'frozen',
      isNative: false,
      delegatedAmount: { amount: '34', decimals: 2, uiAmount: 0.34, uiAmountString: '0.34' },
      closeAuthority: authority,
      extensions: inJson(accountExtensions),
    });
    const { json } = await sandbox.call('getTokenAccountsByDelegate', [mint, { mint }, { encoding: 'base64' }]);
    assert.deepEqual(
      json.result.value.map(({ pubkey }: { pubkey: string }) => pubkey),
      [account],
    );
  });

  it('shows an unknown extension as unparseable, and the others as usual', async () => {
    const tomorrow = keypairFromName('parsed mint of tomorrow').address;
    const known = sandbox.ledger.getAccount(mint)?.data ?? assert.fail();
    write(tomorrow, Uint8Array.from([...known, 255, 255, 1, 0, 9]));
    const { extensions } = (await parsed(tomorrow)).parsed.info;
    assert.deepEqual(extensions, [...inJson(mintExtensions), { extension: 'unparseableExtension' }]);
  });

  /** Makes a mint with one extension that changes how amounts are shown. */
  function makeMint(name: string, kind: ExtensionArgs, initialize: (mint: Address) => Instruction): Address {
    const alice = wallet('alice');
    const keypair = keypairFromName(name);
    const space = BigInt(getMintSize([kind]));
    const create = getCreateAccountInstruction({
      payer: createNoopSigner(alice.address),
      newAccount: createNoopSigner(keypair.address),
      lamports: sandbox.ledger.minimumBalanceForRentExemption(space),
      space,
      programAddress: TOKEN_2022_PROGRAM_ADDRESS,
    });
    const mint2 = getInitializeMint2Instruction({ mint: keypair.address, decimals: 6, mintAuthority: alice.address });
    run(sandbox, [create, initialize(keypair.address), mint2], alice, keypair);
    return keypair.address;
  }

  it('shows amounts with interest or a multiplier as the token program does', async () => {
    const interest = { rateAuthority: authority, initializationTimestamp: 0n, lastUpdateTimestamp: 0n };
    const scaled = { authority, newMultiplierEffectiveTimestamp: 0n, multiplier: 1.75, newMultiplier: 1.75 };
    const mints = [
      makeMint(
        'parsed interest',
        extension('InterestBearingConfig', { ...interest, preUpdateAverageRate: 700, currentRate: 700 }),
        (each) => getInitializeInterestBearingMintInstruction({ mint: each, rateAuthority: authority, rate: 700 }),
      ),
      makeMint('parsed multiplier', extension('ScaledUiAmountConfig', scaled), (each) =>
        getInitializeScaledUiAmountMintInstruction({ mint: each, authority, multiplier: 1.75 }),
      ),
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
