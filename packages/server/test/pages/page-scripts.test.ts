import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { encodeBase58 } from '../../../core/src/addresses/base58.ts';
import { allAssets, assetPath, assets, findAsset } from '../../src/pages/assets.ts';
import { readChosenAmount } from '../../src/pages/chosen-amount.ts';

type ReadAmount = (
  typed: string,
  bounds: { min: bigint; max: bigint; decimals: number },
) => { amount: string; fault?: undefined } | { amount?: undefined; fault: string };

const scriptOf = (name: string): Promise<unknown> =>
  import(new URL(`../../src/pages/browser/${name}.js`, import.meta.url).href);

const { readAmount } = (await scriptOf('amount')) as { readAmount: ReadAmount };
const { toBase58 } = (await scriptOf('base58')) as { toBase58: (bytes: Uint8Array) => string };

const bounds = { minAmount: 5_000_000n, maxAmount: 500_000_000n, decimals: 6 };
const read = (typed: string): bigint | string => {
  const { amount, fault } = readChosenAmount(typed, bounds);
  return amount ?? fault;
};

describe('an amount that a payer types', () => {
  it('may have a point, a comma, spaces and zeros at its end', () => {
    for (const typed of ['12.5', '12,50', ' 12.500000 ', '12.5000000000'])
      assert.equal(read(typed), 12_500_000n, typed);
    assert.equal(read('5'), 5_000_000n);
    assert.equal(read('500.'), 500_000_000n);
  });

  it('is refused in a sentence', () => {
    for (const typed of ['', 'ten', '-5', '1e2', '1,000.00', '0x10', '.5'])
      assert.match(String(read(typed)), /in digits/, typed);
    assert.match(String(read('5.0000001')), /At most 6 digits after the point/);
    assert.match(String(read('4.999999')), /less than the recipient asks for/);
    assert.match(String(read('500.000001')), /more than the recipient asks for/);
    assert.equal(readChosenAmount('1.5', { ...bounds, decimals: 0 }).fault, 'Whole amounts only.');
  });

  it('is read by the page as by the service, which takes what the page sends', () => {
    const amounts = fc.oneof(
      fc.string({ unit: fc.constantFrom('0', '1', '9', '.', ',', ' '), maxLength: 12 }),
      fc.double({ min: 0, max: 700, noNaN: true }).map(String),
    );
    const decimals = fc.constantFrom(0, 1, 6, 9, 255);
    fc.assert(
      fc.property(amounts, decimals, fc.bigInt(1n, 2n ** 64n - 1n), (typed, places, max) => {
        const own = { minAmount: 1n, maxAmount: max, decimals: places };
        const served = readChosenAmount(typed, own);
        const shown = readAmount(typed, { min: 1n, max, decimals: places });
        assert.equal(shown.fault, served.fault);
        if (shown.amount !== undefined) assert.deepEqual(readChosenAmount(shown.amount, own), served);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('a signature that a wallet returns', () => {
  it('is written in base58', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => assert.equal(toBase58(bytes), encodeBase58(bytes))),
    );
    assert.equal(toBase58(new Uint8Array(64)), '1'.repeat(64));
  });
});

describe('a file that the page loads', () => {
  it('has a name that says what it holds, and is found by it alone', () => {
    for (const asset of allAssets) {
      assert.match(asset.name, /^[a-z0-9-]+\.[\w-]{12}\.(?:js|css|svg)$/);
      assert.equal(findAsset(asset.name), asset);
      assert.equal(assetPath(asset), `/pay-assets/${asset.name}`);
    }
    for (const name of ['pay.js', 'tsconfig.json', '../pay.js', 'constructor', ''])
      assert.equal(findAsset(name), undefined);
  });

  it('imports only files that there are', () => {
    const imports = allAssets.flatMap(({ bytes }) => [...String(bytes).matchAll(/from '\.\/([^']+)'/g)]);
    assert.ok(imports.length > 5);
    for (const [, name = ''] of imports) assert.ok(findAsset(name), name);
  });

  it('has lost its comments and nothing else', () => {
    const own = allAssets.filter(({ name }) => !name.startsWith('papaparse'));
    for (const { bytes } of own) assert.doesNotMatch(String(bytes), /\/\*|\*\/|^\s*\/\//m);
    assert.ok(String(assets.script.bytes).includes("querySelector('main')"));
  });
});
