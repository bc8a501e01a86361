import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { address, type EncodedAccount } from '@solana/kit';
import { type ExtensionArgs, extension } from '@solana-program/token-2022';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { faucet } from '../../../sandbox/src/ledger/faucet.ts';
import { Ledger } from '../../../sandbox/src/ledger/ledger.ts';
import { decodeMint } from '../../src/accounts/token-state.ts';
import { decodeUiAmountConfig, shownAmount, type UiScale, uiScaleAt } from '../../src/accounts/ui-amount.ts';
import { toAddress } from '../../src/addresses/address.ts';
import { token2022Program } from '../../src/addresses/programs.ts';
import { formatAmount } from '../../src/request/format-amount.ts';
import { encodeTransaction } from '../../src/transaction/encode-transaction.ts';
import { role } from '../../src/transaction/instruction.ts';
import { freshWallet, mintAccount } from '../fixtures.ts';

const ledger = new Ledger();
const mint = freshWallet();

/** Puts a mint with this extension on the ledger, and decodes how its amounts are shown. */
function placeMint(given: ExtensionArgs, decimals: number): ReturnType<typeof decodeUiAmountConfig> {
  const account = mintAccount({ extensions: [given], decimals });
  const placed = {
    address: address(mint),
    programAddress: address(account.owner),
    lamports: account.lamports,
    data: account.data,
    executable: false,
    space: BigInt(account.data.length),
  };
  ledger.setAccount(placed as unknown as EncodedAccount);
  return decodeMint(account)?.uiAmountConfig;
}

/** What the real token program answers to `AmountToUiAmount` (instruction 23). */
function amountByProgram(amount: bigint): string {
  const data = new Uint8Array(9);
  data[0] = 23;
  new DataView(data.buffer).setBigUint64(1, amount, true);
  const bytes = encodeTransaction({
    version: 'legacy',
    feePayer: toAddress(faucet.address),
    instructions: [{ program: token2022Program, accounts: [role.readonly(mint)], data }],
    lifetimeToken: ledger.latestBlockhash().blockhash,
    config: undefined,
  });
  const checks = { verifySignatures: false, checkLifetime: false, commitment: 'processed' } as const;
  const { error, logs, returnData } = ledger.simulate(bytes, checks);
  assert.equal(error, null, logs.join('\n'));
  return new TextDecoder().decode(Uint8Array.from(returnData?.data ?? []));
}

const clock = ledger.getAccount(address('SysvarC1ock11111111111111111111111111111111'));
assert.ok(clock);
const now = new DataView(Uint8Array.from(clock.data).buffer).getBigInt64(32, true);

function scaled(multiplier: number, newMultiplier = multiplier, from = 0n): ExtensionArgs {
  return extension('ScaledUiAmountConfig', {
    authority: address(mint),
    multiplier,
    newMultiplier,
    newMultiplierEffectiveTimestamp: from,
  });
}

const shown = (amount: bigint, decimals: number, scale: UiScale | undefined): string =>
  formatAmount(scale ? shownAmount(amount, decimals, scale) : amount, decimals);
const amounts = fc.oneof(fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }));
const multipliers = fc.oneof(
  fc.constantFrom(2, 4, 0.1, 1.1, 1e-9),
  fc.double({ min: 1e-12, max: 1e12, noNaN: true }).filter((multiplier) => multiplier !== 1),
);

describe('the amount that wallets show', () => {
  test('of a multiplied mint is what the real token program says', () => {
    fc.assert(
      fc.property(multipliers, fc.integer({ min: 0, max: 18 }), amounts, (multiplier, decimals, amount) => {
        const config = placeMint(scaled(multiplier), decimals);
        assert.ok(config);
        assert.equal(shown(amount, decimals, uiScaleAt(config, now)), amountByProgram(amount));
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  test('of a mint with interest is what the real token program says, to twelve digits', () => {
    const rates = fc.integer({ min: -3_000, max: 3_000 });
    fc.assert(
      fc.property(rates, rates, fc.bigInt({ min: 1n, max: 10n ** 12n }), (averageRate, rate, amount) => {
        const initializedAt = now - 90_000_000n;
        const given = extension('InterestBearingConfig', {
          rateAuthority: address(mint),
          initializationTimestamp: initializedAt,
          preUpdateAverageRate: averageRate,
          lastUpdateTimestamp: now - 40_000_000n,
          currentRate: rate,
        });
        const config = placeMint(given, 6);
        assert.ok(config);
        const [ours, programs] = [shown(amount, 6, uiScaleAt(config, now)), amountByProgram(amount)].map(Number);
        assert.ok(ours !== undefined && programs !== undefined);
        assert.ok(Math.abs(ours - programs) <= Math.max(1e-6, programs * 1e-12), `${ours} ${programs}`);
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  test('changes at the moment that the issuer has set, neither before nor later', () => {
    for (const [from, multiplier] of [
      [now, 3],
      [now + 1n, 2],
    ] as const) {
      const config = placeMint(scaled(2, 3, from), 6);
      assert.ok(config);
      assert.deepEqual(uiScaleAt(config, now), { multiplier, growsWithTime: false });
      assert.equal(amountByProgram(10_000_000n), `${multiplier}0`);
    }
  });

  test('is the amount itself where the multiplier is 1, or none that a wallet could use', () => {
    for (const multiplier of [1, 0, -1, 1e300]) {
      const config = { kind: 'scaled', multiplier, newMultiplier: multiplier, newMultiplierFrom: 0n } as const;
      assert.equal(uiScaleAt(config, now), undefined, String(multiplier));
    }
    const noNumber = new Uint8Array(56);
    new DataView(noNumber.buffer).setFloat64(48, Number.NaN, true);
    assert.equal(decodeUiAmountConfig(noNumber, undefined), undefined);
    assert.equal(decodeUiAmountConfig(undefined, undefined), undefined);
  });

  test('can be told of every mint, also where JavaScript would write an exponent', () => {
    const scale = { multiplier: 1e12, growsWithTime: false };
    assert.equal(shown(2n ** 63n, 0, scale), `${BigInt(2 ** 63 * 1e12)}`);
    assert.equal(shown(4n, 255, { ...scale, multiplier: 4 }), `0.${'0'.repeat(253)}16`);
  });
});
