import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { propertyRuns } from '../../../../test/setup/property-runs.ts';
import { type Claim, shareOut } from '../../src/outcomes/assign-matches.ts';

const claimsOf = (...options: readonly (readonly number[])[]): Claim[] => options.map((each) => ({ options: each }));

test('equal claims get the options in their order', () => {
  assert.deepEqual(shareOut(claimsOf([0, 1], [0, 1], [0, 1])), [0, 1, undefined]);
});

test('a claim leaves its option to one that has no other', () => {
  assert.deepEqual(shareOut(claimsOf([0, 1], [0])), [1, 0]);
  assert.deepEqual(shareOut(claimsOf([0, 1], [1, 2], [0], [2])), [1, 2, 0, undefined]);
});

/** The most claims that can get an option, by trying out every way. */
function mostShares([first, ...others]: readonly Claim[], taken: readonly number[] = []): number {
  if (!first) return 0;
  const ways = first.options.filter((option) => !taken.includes(option));
  return Math.max(mostShares(others, taken), ...ways.map((option) => 1 + mostShares(others, [...taken, option])));
}

test('as many claims as possible get one of their options, and no two the same', () => {
  const anyClaims = fc.array(fc.uniqueArray(fc.nat({ max: 4 }), { maxLength: 4 }), { maxLength: 5 });
  const property = fc.property(anyClaims, (options) => {
    const claims = claimsOf(...options);
    const given = shareOut(claims);
    assert.equal(given.length, claims.length);
    const shares = given.filter((option) => option !== undefined);
    assert.equal(new Set(shares).size, shares.length);
    given.forEach((option, claim) => {
      assert.ok(option === undefined || options[claim]?.includes(option));
    });
    assert.equal(shares.length, mostShares(claims));
  });
  fc.assert(property, { numRuns: propertyRuns(1_000) });
});
