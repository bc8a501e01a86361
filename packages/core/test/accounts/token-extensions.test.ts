import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ExtensionType } from '@solana-program/token-2022';
import {
  extensionType,
  findMissizedExtension,
  newestKnownExtensionType,
  readExtensions,
} from '../../src/accounts/token-state.ts';

/** An account of 166 bytes, then entries of a type, a length and so many bytes of it. */
function dataWith(...entries: readonly (readonly [type: number, length: number, present?: number])[]): Uint8Array {
  const bytes = entries.flatMap(([type, length, present = length]) => [
    type & 0xff,
    type >> 8,
    length & 0xff,
    length >> 8,
    ...Array(present).fill(type & 0xff),
  ]);
  return Uint8Array.from([...Array(166).fill(255), ...bytes]);
}

const lengthsIn = (data: Uint8Array): [number, number][] =>
  [...readExtensions(data)].map(([type, value]) => [type, value.length]);

test('the types are those of the token program', () => {
  assert.deepEqual(extensionType, {
    transferFeeConfig: ExtensionType.TransferFeeConfig,
    mintCloseAuthority: ExtensionType.MintCloseAuthority,
    confidentialTransferAccount: ExtensionType.ConfidentialTransferAccount,
    defaultAccountState: ExtensionType.DefaultAccountState,
    memoTransfer: ExtensionType.MemoTransfer,
    nonTransferable: ExtensionType.NonTransferable,
    interestBearing: ExtensionType.InterestBearingConfig,
    permanentDelegate: ExtensionType.PermanentDelegate,
    transferHook: ExtensionType.TransferHook,
    metadataPointer: ExtensionType.MetadataPointer,
    tokenMetadata: ExtensionType.TokenMetadata,
    scaledUiAmount: ExtensionType.ScaledUiAmountConfig,
    pausable: ExtensionType.PausableConfig,
  });
  assert.equal(newestKnownExtensionType, ExtensionType.PermissionedBurn);
});

describe('the extensions of an account', () => {
  test('are listed with the bytes of their values, of any type', () => {
    const read = readExtensions(dataWith([9, 0], [300, 2], [65_535, 1]));
    assert.deepEqual(
      [...read].map(([type, value]) => [type, [...value]]),
      [
        [9, []],
        [300, [44, 44]],
        [65_535, [255]],
      ],
    );
    assert.equal(readExtensions(dataWith([1, 300])).get(1)?.length, 300);
  });

  test('are read at the offset of the account in a larger buffer', () => {
    const data = dataWith([3, 1]);
    const buffer = new Uint8Array(data.length + 7).fill(9);
    buffer.set(data, 7);
    assert.deepEqual(lengthsIn(buffer.subarray(7)), [[3, 1]]);
  });

  test('are empty where there is no room for an entry', () => {
    for (const length of [0, 165, 166, 169]) assert.equal(readExtensions(dataWith([3, 0]).subarray(0, length)).size, 0);
    assert.deepEqual(lengthsIn(dataWith([3, 0])), [[3, 0]]);
  });

  test('end at the first uninitialized type', () => {
    assert.deepEqual(lengthsIn(dataWith([3, 1], [0, 0], [9, 1])), [[3, 1]]);
  });

  test('end where a value or a header is cut short', () => {
    assert.deepEqual(lengthsIn(dataWith([3, 1], [9, 2, 1])), [[3, 1]]);
    assert.deepEqual(lengthsIn(dataWith([3, 1], [9, 0]).subarray(0, 166 + 5 + 3)), [[3, 1]]);
  });
});

describe('a value that does not have the size of its type', () => {
  const sizes = [
    [extensionType.transferFeeConfig, 108],
    [extensionType.mintCloseAuthority, 32],
    [extensionType.interestBearing, 52],
    [extensionType.permanentDelegate, 32],
    [extensionType.transferHook, 64],
    [extensionType.scaledUiAmount, 56],
    [extensionType.pausable, 33],
  ] as const;
  const find = (...entries: [number, number][]): unknown =>
    findMissizedExtension(new Map(entries.map(([type, size]) => [type, new Uint8Array(size)])));

  test('is found for each extension that is read by offset', () => {
    for (const [type, expectedSize] of sizes) {
      assert.equal(find([type, expectedSize]), undefined);
      for (const size of [0, expectedSize - 1, expectedSize + 1]) {
        assert.deepEqual(find([type, size]), { type, size, expectedSize });
      }
    }
  });

  test('is not looked for among the others, and what is not there has no size', () => {
    assert.equal(find([extensionType.tokenMetadata, 1], [400, 7]), undefined);
    assert.equal(find(), undefined);
    assert.deepEqual(
      find(
        ...sizes
          .filter(([type]) => type !== extensionType.transferHook)
          .map(([type, size]): [number, number] => [type, size]),
        [14, 1],
      ),
      {
        type: 14,
        size: 1,
        expectedSize: 64,
      },
    );
  });
});
