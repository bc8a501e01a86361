import { type Explanation, explain } from './explanation.ts';

const build = 'packages/server/src/build';
const outcomes = 'packages/server/src/outcomes';
const batchBuilder = `${build}/batch-builder.ts`;

const askOfNonce = `${outcomes}/ask-of-nonce.ts`;

const outcomeFinder = `${outcomes}/outcome-finder.ts`;

const narrowsVerdict = 'It narrows a type: once every node was asked, there is a verdict.';

/** The mutants of the server's service that no test can or need notice. */
export const explainedInService: readonly Explanation[] = [
  ...explain(
    `${build}/decide-from-chain.ts`,
    'if (known?.tokenProgram === tokenProgram && known.transferHookProgram === transferHookProgram) return;',
    'delete statement',
    'It saves a write: the same hint is remembered again, at its old place in the order.',
  ),
  ...explain(
    `${build}/decide-from-chain.ts`,
    'const known = this.#hints.peek(address);',
    'drop call',
    'It saves a write, as the next line.',
  ),
  ...explain(
    `${build}/decide-from-chain.ts`,
    'if ((read.get(sysvar)?.data.length ?? 0) >= length) continue;',
    'change constant',
    'Every sysvar that is read is longer than 1 byte.',
  ),
  ...explain(
    batchBuilder,
    'builtInTurn = 0;',
    'change constant',
    'A turn is over when so many transfers are built or more: one more or less changes it rarely.',
  ),
  ...explain(
    `${outcomes}/validity-window.ts`,
    'return value > 0n ? value : 0n;',
    'shift boundary',
    'Either one is zero where they are equal.',
  ),
  ...explain(
    askOfNonce,
    'const minContextSlot = current.slot > finalized.slot ? current.slot : finalized.slot;',
    'shift boundary',
    'Either one is the same slot where they are equal.',
  ),
  ...explain(
    askOfNonce,
    'const { entries, isOverfull } = await history.read({ floorSlot: 0n, needsProof: false });',
    'change constant',
    'No transaction that anybody sent is in slot 0.',
    '0n',
  ),
  ...explain(
    askOfNonce,
    "if ((await view.firstAvailableSlot()) > 0n) return { kind: 'cannot_tell', reason: 'history_pruned' };",
    'change constant',
    'No transaction that anybody sent is in slot 0.',
  ),
  ...explain(
    outcomeFinder,
    'if (open.length > 0) await askNodes(others, open, work);',
    'shift boundary',
    'Nodes that are asked for nothing get no call.',
  ),
  ...explain(
    outcomeFinder,
    'const verdicts = open.length > 0 ? await this.#decide(asked, { isAnother, work, isComplete: true }) : first;',
    'shift boundary',
    'The same answers are decided once more.',
  ),
  ...explain(outcomeFinder, 'return verdicts.map((verdict) => {', 'drop call', narrowsVerdict),
  ...explain(
    outcomeFinder,
    "if (!verdict) throw new Error('every node was asked, and a transaction has no verdict');",
    'delete statement',
    narrowsVerdict,
  ),
];
