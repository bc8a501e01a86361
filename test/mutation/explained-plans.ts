import { type Explanation, explain } from './explanation.ts';

const core = 'packages/core/src';
const decidePayee = `${core}/decide/decide-payee.ts`;
const hookMemory = `${core}/plan/resolve-hook-accounts.ts`;
const checkMemo = `${core}/decide/check-memo.ts`;

const multiplesOfEight = 'Both sides count in eights, so that one more or less is the same.';
const sameNumber = 'Either one is the same number where they are equal.';
const anyStandIn = 'Anything will do that nothing else in the message is: the size counts how many differ.';

/** The mutants of the core's decisions and plans that no test can or need notice. */
export const explainedInPlans: readonly Explanation[] = [
  ...explain(
    `${core}/plan/plan-transfer.ts`,
    'return held < minimum ? minimum - held : 0n;',
    'shift boundary',
    'Nothing is missing where they are equal.',
  ),
  ...[
    ['decimals: 0,'],
    ['amount: 0n,'],
    ["memo: { text: '', bytes: new Uint8Array(), computeUnits: 0 },"],
    ['computeUnitPrice: paysPriorityFee ? 1n : 0n,', '1n'],
    ['priorityFee: paysPriorityFee ? 1n : 0n,', '1n'],
  ].flatMap(([line = '', original]) =>
    explain(checkMemo, line, 'change constant', 'Any other number takes as many bytes, or none.', original),
  ),
  ...explain(checkMemo, 'export const minMemoRoom = 200;', 'change constant', 'The least room is 256 bytes.'),
  ...explain(
    checkMemo,
    "const setsLimit = setsComputeUnitLimit || paysPriorityFee || version === 1 || layout !== 'default';",
    'change constant',
    'In version 1 a limit has its bytes in every message.',
  ),
  ...['if (request.splits.length === 0) return noSplits;', 'return noSplits;'].flatMap((original) =>
    explain(
      checkMemo,
      'if (request.splits.length === 0) return noSplits;',
      'delete statement',
      'It saves a list: of no splits the loop makes an empty one, too.',
      original,
    ),
  ),
  ...explain(checkMemo, 'let index = 0;', 'change constant', anyStandIn),
  ...explain(checkMemo, 'const address = standInAt(index++);', 'drop call', anyStandIn),
  ...explain(
    checkMemo,
    'const made = madeStandIns[index] ?? addressFromBytes(new Uint8Array(32).fill(index + 1));',
    ['drop call', 'change constant'],
    anyStandIn,
  ),
  ...explain(checkMemo, 'madeStandIns[index] = made;', 'delete statement', 'It saves to make the same address again.'),
  ...explain(
    `${core}/plan/read-back.ts`,
    'const roles = payment.hookAccounts.length === 0 ? rolesOfTransfer : rolesOfHookedTransfer(payment);',
    ['negate condition', 'change constant', 'drop call'],
    'Which accounts sign and which may be written is compared of the whole message, too.',
  ),
  ...explain(
    `${core}/plan/read-back.ts`,
    'const offset = reading.addressOffset(reading.bytes[transfer.accountsOffset + position] ?? 0);',
    'change constant',
    'The accounts of the instruction were compared before, so that the byte is there.',
  ),
  ...explain(
    `${core}/plan/compute-budget.ts`,
    'priorityFee: 0n,',
    'change constant',
    'Version 1 alone has the fee in its bytes, and its limit was decided before.',
  ),
  ...explain(
    `${core}/plan/compute-budget.ts`,
    'const allowed = price < highest ? price : highest;',
    'shift boundary',
    sameNumber,
  ),
  ...explain(
    `${core}/plan/compute-budget.ts`,
    'return allowed < maxComputeUnitPrice ? allowed : maxComputeUnitPrice;',
    'shift boundary',
    sameNumber,
  ),
  ...explain(
    checkMemo,
    'const { read } = new TextEncoder().encodeInto(text, new Uint8Array(Math.max(room, 0)));',
    'change constant',
    'A start of one byte needs a compute limit no more than none does.',
  ),
  ...explain(
    checkMemo,
    'memo.bytes.length > minMemoRoom || request.splits.length > 0',
    'shift boundary',
    'It saves to measure a memo for which every transaction without splits has room.',
  ),
  ...explain(
    checkMemo,
    'const isTooLongAnyway = memo.bytes.length > plainRoom;',
    'shift boundary',
    'The start of a memo that fills the room is all of it, so that either way the same is measured.',
  ),
  ...explain(
    `${core}/plan/transfer-facts.ts`,
    'if (splits.length === 0) return [recipient];',
    'delete statement',
    'It saves a list: of no splits there are no others to add.',
  ),
  ...explain(
    decidePayee,
    'if (needs.length > 0) return { needs };',
    'change constant',
    'One account that is missing is asked for by the decision, too.',
  ),
  ...explain(
    decidePayee,
    'const decision = decideFromFacts(request, facts, { recentPrices: undefined, maxPriorityFee: 0n });',
    'change constant',
    'The payment has no priority fee, which is within every bound.',
  ),
  ...explain(
    decidePayee,
    "if ('needs' in facts) return { needs: unread(facts.needs) };",
    'drop call',
    'No account is asked for that was given.',
  ),
  ...[
    "if ('needsPricesFor' in decision) throw new TypeError('a payment without a priority fee needs no prices');",
    "if (!facts.mint || !amounts) throw new TypeError('a payment in what is no mint, or of no base units, has a finding');",
  ].flatMap((line) => explain(decidePayee, line, 'delete statement', 'It is for a fault of the decision.')),
  ...explain(
    decidePayee,
    'const payer = addressFromBytes(new Uint8Array(32).fill(254));',
    'change constant',
    'Any address will do that nobody has.',
    '254',
  ),
  ...explain(
    decidePayee,
    'const payerWallet: Account = { owner: systemProgram, lamports: 2n ** 60n, data: new Uint8Array(), executable: false };',
    'change constant',
    'It has more than enough, and still has with more.',
    '2n',
  ),
  ...explain(
    decidePayee,
    'const payerWallet: Account = { owner: systemProgram, lamports: 2n ** 60n, data: new Uint8Array(), executable: false };',
    'change constant',
    'It has more than enough, and still has with more.',
    '60n',
  ),
  ...explain(
    hookMemory,
    'const withoutMemo = maxWithoutMemo(maxSeeds, Math.max(0, ...list.map(literalMemory)), memory.referenceCount);',
    'change constant',
    multiplesOfEight,
  ),
  ...explain(
    hookMemory,
    'return maxLiteralMemory + 8 * referenceCount <= 24 ? 15 : 14;',
    'change constant',
    multiplesOfEight,
    '24',
  ),
  ...explain(
    hookMemory,
    'return missing <= 0 ? most : most - Math.ceil(missing / memoBytesOfExtra);',
    'shift boundary',
    'Where nothing is missing, nothing is taken off.',
  ),
  ...explain(
    decidePayee,
    'const payerWallet: Account = { owner: systemProgram, lamports: 2n ** 60n, data: new Uint8Array(), executable: false };',
    'change constant',
    'Nobody looks at that of a payer.',
    'false',
  ),
  ...explain(
    decidePayee,
    'return { owner: tokenProgram, lamports: payerWallet.lamports, data, executable: false };',
    'change constant',
    'Nobody looks at that of a token account.',
  ),
  ...explain(
    decidePayee,
    'new DataView(data.buffer).setBigUint64(64, maxAmount, true);',
    'change constant',
    'All bytes of the largest amount are the same, in either order.',
    'true',
  ),
  ...(
    [
      ['negate condition', 'isComplete(parts)'],
      ['drop call', 'isComplete(parts)'],
      ['drop call', 'withStandIns(parts)'],
    ] as const
  ).flatMap(([operator, original]) =>
    explain(
      `${core}/decide/validate-transfer-request.ts`,
      'const finding = memo && fitsLayout(parts, memo) && checkMemo(memo, isComplete(parts) ? parts : withStandIns(parts));',
      operator,
      'Where an address is missing, the request is refused for that; only how long its memo may be is told differently.',
      original,
    ),
  ),
];
