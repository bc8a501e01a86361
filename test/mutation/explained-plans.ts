import { type Explanation, explain } from './explanation.ts';

const core = 'packages/core/src';
const planSize = `${core}/plan/plan-size.ts`;

const sameNumber = 'Either one is the same number where they are equal.';
const anyStandIn = 'Anything will do that nothing else in the message is: the size counts how many differ.';

/** The mutants of the core's decisions and plans that no test can or need notice. */
export const explainedInPlans: readonly Explanation[] = [
  ...explain(
    `${core}/decide/read-payment.ts`,
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
    explain(planSize, line, 'change constant', 'Any other number takes as many bytes, or none.', original),
  ),
  ...explain(planSize, 'export const minMemoRoom = 200;', 'change constant', 'The least room is 256 bytes.'),
  ...explain(
    planSize,
    "const setsLimit = setsComputeUnitLimit || paysPriorityFee || version === 1 || layout === 'x402';",
    'change constant',
    'In version 1 a limit has its bytes in every message.',
  ),
  ...['if (request.splits.length === 0) return noSplits;', 'return noSplits;'].flatMap((original) =>
    explain(
      planSize,
      'if (request.splits.length === 0) return noSplits;',
      'delete statement',
      'It saves a list: of no splits the loop makes an empty one, too.',
      original,
    ),
  ),
  ...explain(planSize, 'let index = 0;', 'change constant', anyStandIn),
  ...explain(planSize, 'const address = standInAt(index++);', 'drop call', anyStandIn),
  ...explain(
    planSize,
    'const made = madeStandIns[index] ?? addressFromBytes(new Uint8Array(32).fill(index + 1));',
    ['drop call', 'change constant'],
    anyStandIn,
  ),
  ...explain(planSize, 'madeStandIns[index] = made;', 'delete statement', 'It saves to make the same address again.'),
  ...explain(
    `${core}/plan/read-back.ts`,
    "reading.expectAddress('blockhash', reading.layout.blockhashOffset, toAddress(blockhash));",
    'drop call',
    'What compares the bytes of an address refuses the same texts.',
    'toAddress(blockhash)',
  ),
  ...explain(
    `${core}/plan/read-back.ts`,
    'const offset = reading.addressOffset(reading.bytes[transfer.accountsOffset + position] ?? 0);',
    'change constant',
    'The accounts of the instruction were compared before, so that the byte is there.',
  ),
  ...explain(
    `${core}/plan/compute-limit.ts`,
    'priorityFee: 0n,',
    'change constant',
    'Version 1 alone has the fee in its bytes, and its limit was decided before.',
  ),
  ...explain(
    `${core}/plan/plan-transfer.ts`,
    'const allowed = price < highest ? price : highest;',
    'shift boundary',
    sameNumber,
  ),
  ...explain(
    `${core}/plan/plan-transfer.ts`,
    "return layout === 'x402' && allowed > x402Limits.maxComputeUnitPrice ? x402Limits.maxComputeUnitPrice : allowed;",
    'shift boundary',
    sameNumber,
  ),
  ...['if (request.splits.length === 0) return noSplits;', 'return noSplits;'].flatMap((original) =>
    explain(
      `${core}/plan/plan-transfer.ts`,
      'if (request.splits.length === 0) return noSplits;',
      'delete statement',
      'It saves a list: of no splits the loop makes an empty one, too.',
      original,
    ),
  ),
  ...explain(
    `${core}/decide/check-memo.ts`,
    'const { read } = new TextEncoder().encodeInto(text, new Uint8Array(Math.max(room, 0)));',
    'change constant',
    'A start of one byte needs a compute limit no more than none does.',
  ),
  ...explain(
    `${core}/decide/check-memo.ts`,
    'memo.bytes.length > minMemoRoom || request.splits.length > 0',
    'shift boundary',
    'It saves to measure a memo for which every transaction without splits has room.',
  ),
  ...explain(
    `${core}/decide/check-memo.ts`,
    'const isTooLongAnyway = memo.bytes.length > plainRoom;',
    'shift boundary',
    'The start of a memo that fills the room is all of it, so that either way the same is measured.',
  ),
  ...explain(
    `${core}/decide/decide-transfer.ts`,
    '...payeesOf(request, 0n).map((payee) => checkPayeeOfAnyMint(request, payee, read.get(payee.to) ?? null)),',
    'change constant',
    'No check of a recipient of any mint looks at the amount.',
  ),
  ...explain(
    `${core}/decide/payee.ts`,
    'if (splits.length === 0) return [recipient];',
    'delete statement',
    'It saves a list: of no splits there are no others to add.',
  ),
];
