import { type Explanation, explain } from './explanation.ts';

const service = 'packages/server/src/service';
const builder = `${service}/transfer-builder.ts`;
const batchBuilder = `${service}/batch-builder.ts`;
const turns = `${service}/turns.ts`;

const askOfNonce = `${service}/outcome/ask-of-nonce.ts`;

const outcomeFinder = `${service}/outcome/outcome-finder.ts`;

const narrowsVerdict = 'It narrows a type: once every node was asked, there is a verdict.';
const savesDerivation = 'It saves a derivation, which gives the same token accounts again.';
const eitherBegins = 'Short work and all work take the turns by rotation, whichever begins.';
const savesTurn = 'The token accounts are derived in one go instead, and are the same.';

/** The mutants of the server's service that no test can or need notice. */
export const explainedInService: readonly Explanation[] = [
  ...explain(turns, 'let workCount = 0;', 'change constant', 'Ages are only compared.'),
  ...explain(turns, 'let isTurnOfShortWork = false;', 'change constant', eitherBegins),
  ...explain(turns, 'let lastTurnAt = 0;', 'change constant', 'The first turn sets it before it is looked at.'),
  ...explain(
    turns,
    'const short = isTurnOfShortWork ? waiting.findIndex(({ isShort }) => isShort) : 0;',
    'negate condition',
    eitherBegins,
  ),
  ...explain(
    `${service}/mint-hints.ts`,
    'if (known?.tokenProgram === tokenProgram && known.transferHookProgram === transferHookProgram) return;',
    'delete statement',
    'It saves a write: the same hint is remembered again, at its old place in the order.',
  ),
  ...explain(
    `${service}/mint-hints.ts`,
    'const known = this.#hints.peek(address);',
    'drop call',
    'It saves a write, as the next line.',
  ),
  ...explain(
    `${service}/decide-from-chain.ts`,
    'if ((read.get(sysvar)?.data.length ?? 0) >= length) continue;',
    'change constant',
    'Every sysvar that is read is longer than 1 byte.',
  ),
  ...explain(
    builder,
    'for (const pair of pairs) if (pair.tokenProgram === tokenProgram) return pair;',
    'delete statement',
    savesDerivation,
  ),
  ...explain(builder, 'pairs.push(pair);', 'delete statement', savesDerivation),
  ...explain(
    batchBuilder,
    'builtInTurn = 0;',
    'change constant',
    'A turn is over when so many transfers are built or more: one more or less changes it rarely.',
  ),
  ...explain(
    batchBuilder,
    'if (start > 0) await turns.next();',
    'change constant',
    'The second turn starts far behind 1.',
  ),
  ...explain(
    batchBuilder,
    'const part = { ...rest, transfers: transfers.slice(start, start + derivationsPerTurn) };',
    'drop call',
    'More are derived in a turn; the first ones are the same.',
  ),
  ...explain(batchBuilder, 'parts.push(deriveBatchTokenAccounts(part, tokenProgram));', 'delete statement', savesTurn),
  ...explain(
    batchBuilder,
    'if (first) derived.set(tokenProgram, { ...first, recipients: parts.flatMap(({ recipients }) => recipients) });',
    ['delete statement', 'negate condition'],
    savesTurn,
  ),
  ...explain(batchBuilder, 'derived.set(tokenProgram, known);', 'delete statement', savesDerivation),
  ...explain(
    `${service}/outcome/life.ts`,
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
    'const { entries } = await view.history(nonceAccount, { minContextSlot }).read({ floorSlot: 0n, needsProof: false });',
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
    'if (open.length > 0) await askNodes(others, open, deadline);',
    'shift boundary',
    'Nodes that are asked for nothing get no call.',
  ),
  ...explain(
    outcomeFinder,
    'const verdicts = open.length > 0 ? await this.#decide(asked, isAnother, true) : first;',
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
