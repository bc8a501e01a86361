import { type Explanation, explain } from './explanation.ts';

const chain = 'packages/server/src/chain';
const bodyHash = 'packages/server/src/idempotency/idempotency-key.ts';
const agreement = `${chain}/reads/agreement.ts`;
const batcher = `${chain}/reads/account-batcher.ts`;
const answers = `${chain}/reads/rpc-answers.ts`;
const transport = `${chain}/rpc/rpc-transport.ts`;
const exchange = `${chain}/rpc/http-exchange.ts`;
const memoryCounter = 'packages/server/src/limits/rate-limiter.ts';
const historyAnswers = `${chain}/history/history-answers.ts`;
const landed = `${chain}/history/landed-transaction.ts`;
const listAsText = 'A list as a text is its entries with commas in between.';
const boundsCache = 'It bounds or fills a cache, which no answer shows.';
const isRefusedNext = 'Whatever is no object lacks the member that is read next, and is refused for that.';

/** The mutants of the server's chain and idempotency that no test can or need notice. */
export const explainedInServer: readonly Explanation[] = [
  ...explain(
    agreement,
    'return answers.map(({ value }) => value).reduce((a, b) => (medianOf(b) < medianOf(a) ? b : a));',
    'shift boundary',
    'Of two lists with the same median either one will do.',
  ),
  ...explain(
    agreement,
    'return [...prices].sort((a, b) => (a < b ? -1 : 1))[Math.floor(prices.length / 2)] ?? 0n;',
    'change constant',
    'Sorting looks at the sign alone.',
    '1',
  ),
  ...explain(
    batcher,
    'cut.size > 0 && indices.some((index) => cut.has(index))',
    'shift boundary',
    'Where nothing is cut, no index is.',
  ),
  ...explain(
    batcher,
    'clearTimeout(batch.timer);',
    'delete statement',
    'When the timer runs out, the batch is found to be sent.',
  ),
  ...explain(
    batcher,
    'if (indices.size + addresses.length <= maxAddresses) return true;',
    ['delete statement', 'shift boundary'],
    'It saves to look for addresses that are there already, which comes to the same.',
  ),
  ...explain(
    `${chain}/reads/chain-head.ts`,
    'return slot < this.#newest ? this.#newest - slot : 0n;',
    'shift boundary',
    'Either one is zero where they are equal.',
  ),
  ...explain(
    `${chain}/reads/chain-head.ts`,
    'const distance = slot > clockSlot ? slot - clockSlot : clockSlot - slot;',
    'shift boundary',
    'Either one is zero where they are equal.',
  ),
  ...explain(answers, 'return { ...account, space: Number(entry.space) };', 'drop call', 'It is a number already.'),
  ...explain(
    answers,
    "if (!isRecord(value) || typeof value.blockhash !== 'string' || 'fault' in parseAddress(value.blockhash)) {",
    'drop call',
    isRefusedNext,
    'isRecord(value)',
  ),
  ...explain(
    answers,
    "if (!isRecord(entry)) throw malformed('a recent prioritization fee is malformed');",
    'drop call',
    isRefusedNext,
    'isRecord(entry)',
  ),
  ...explain(
    answers,
    "if (!isRecord(value) || value.err === undefined) throw malformed('its simulation is malformed');",
    'drop call',
    isRefusedNext,
    'isRecord(value)',
  ),
  ...['isRecord(result)', 'isRecord(result.context)'].flatMap((original) =>
    explain(
      answers,
      "if (!isRecord(result) || !isRecord(result.context)) throw malformed('its answer has no context');",
      'drop call',
      isRefusedNext,
      original,
    ),
  ),
  ...explain(
    answers,
    "if (!isRecord(value) || typeof value.executable !== 'boolean') throw malformed('an account is malformed');",
    'drop call',
    isRefusedNext,
    'isRecord(value)',
  ),
  ...(
    [
      [historyAnswers, "if (!isRecord(result)) throw malformed('its epoch info is malformed');", 'result'],
      [historyAnswers, "if (!isRecord(result)) throw malformed('its block is malformed');", 'result'],
      [historyAnswers, 'const { signature, memo, blockTime } = isRecord(value) ? value : {};', 'value'],
      [historyAnswers, 'if (!isRecord(value) || value.err === undefined || !isTransactionError(value.err)) {', 'value'],
      [landed, "if (!isRecord(result)) throw malformed('its transaction is malformed');", 'result'],
      [landed, 'if (!isRecord(meta) || meta.err === undefined || !isTransactionError(meta.err)) {', 'meta'],
    ] as const
  ).flatMap(([path, line, name]) => explain(path, line, 'drop call', isRefusedNext, `isRecord(${name})`)),
  ...explain(
    `${chain}/history/rpc-node-history.ts`,
    '#slot = 0n;',
    'change constant',
    'It is not read before a slot was noted.',
  ),
  ...explain(answers, 'const maxKnownOwners = 1_000;', 'change constant', boundsCache),
  ...explain(answers, 'if (known !== undefined) return known;', 'delete statement', boundsCache),
  ...explain(
    answers,
    'if (knownOwners.size >= maxKnownOwners) knownOwners.clear();',
    ['delete statement', 'negate condition', 'shift boundary'],
    boundsCache,
  ),
  ...explain(answers, 'knownOwners.set(parsed.address, parsed.address);', 'delete statement', boundsCache),
  ...explain(
    answers,
    'const parsed = parseAddress(Buffer.from(value).toString());',
    'drop call',
    'It only lets go of the text that the owner is a part of.',
    'Buffer.from(value)',
  ),
  ...explain(
    memoryCounter,
    'setTimeout(() => {',
    'delete statement',
    'A window that has ended is not used, kept or not.',
  ),
  ...explain(
    memoryCounter,
    'if (this.#windows.get(id) === window) this.#windows.delete(id);',
    ['delete statement', 'drop call'],
    'A window that has ended is not used, kept or not.',
  ),
  ...explain(
    answers,
    "if (text === '') return noBytes;",
    'delete statement',
    'It saves the decoding of an empty text, which gives no bytes either.',
  ),
  ...explain(
    answers,
    "if (padding > 0 && bytes.toString('base64', bytes.length - 3 + padding) !== text.slice(-4)) return undefined;",
    'shift boundary',
    'Without padding no bits are left over, so that the last group is always the same.',
  ),
  ...explain(
    `${chain}/reads/shared-answer.ts`,
    'if (deadline > this.#latestDeadline) this.#latestDeadline = deadline;',
    'shift boundary',
    'Either one is the same number where they are equal.',
  ),
  ...explain(
    `${chain}/reads/shared-answer.ts`,
    'if (!this.#waiters.some(isOverdue)) return;',
    'delete statement',
    'It saves two lists: where nobody is overdue, nobody is refused.',
  ),
  ...explain(
    exchange,
    "if (Number(headers['content-length']) > this.#maxBytes) this.#giveUp(this.#tooLarge());",
    'drop call',
    'A text is compared with a number as the number that it says.',
    "Number(headers['content-length'])",
  ),
  ...explain(
    exchange,
    'if (this.#isOver) return;',
    'delete statement',
    'What comes after the end is counted and kept, and ends with the connection.',
  ),
  ...explain(
    exchange,
    'this.#chunks.length = 0;',
    'delete statement',
    'It lets memory go sooner, which no answer shows.',
  ),
  ...explain(
    transport,
    'keepAliveTimeout: 30_000,',
    'change constant',
    'How long an idle connection is kept changes no answer.',
  ),
  ...explain(
    transport,
    'return read(result);',
    'delete statement',
    'It saves the exact parse, which gives the same where nothing was rounded.',
  ),
  ...explain(
    transport,
    'if (!(error instanceof RoundedInteger)) throw error;',
    'delete statement',
    'It saves the exact parse, at which the same is refused again.',
  ),
  ...explain(
    transport,
    'const isOwn = isRecord(answer) && answer.id === id;',
    'drop call',
    isRefusedNext,
    'isRecord(answer)',
  ),
  ...explain(
    bodyHash,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a line of source
    'if (Array.isArray(value)) return `[${value.map(canonicalText).join()}]`;',
    'drop call',
    listAsText,
    'value.map(canonicalText).join()',
  ),
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a line of source
  ...explain(bodyHash, 'return `{${members.join()}}`;', 'drop call', listAsText),
  ...explain(
    bodyHash,
    'return Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));',
    ['shift boundary', 'change constant'],
    'No two members have the same name, and sorting looks at the sign alone.',
  ),
  ...explain(
    `${chain}/upstreams/failover-call.ts`,
    'if (isUsable || upstream.probeDueAt > now()) this.advance();',
    'shift boundary',
    'A probe that is due this very millisecond is made now, or when the wait ends.',
  ),
  ...explain(
    `${chain}/upstreams/quorum-call.ts`,
    'await Promise.race([...revivals, sleep(leftMs, undefined, { ref: false })]);',
    ['delete statement', 'drop call'],
    'Without it the loop looks every 10 ms whether enough are usable, which comes to the same.',
  ),
  ...explain(
    `${chain}/upstreams/quorum-call.ts`,
    'if (isOver) return;',
    'delete statement',
    'A round that is over asks nobody more, and its promise is settled once.',
  ),
  ...explain(
    `${chain}/upstreams/upstream-pool.ts`,
    'if (this.#upstreams.length === 1) return;',
    'delete statement',
    'An upstream without others has no ledger to compare, and is not asked.',
  ),
  ...explain(
    `${chain}/upstreams/upstream-pool.ts`,
    'const timeoutMs = Math.max(0, deadline - this.#options.now());',
    'change constant',
    'A timer of no time takes a millisecond, too.',
  ),
  ...explain(
    `${chain}/upstreams/breaker.ts`,
    'this.#dueAt = since + Math.max(pauseMs, fault?.restMs ?? 0);',
    'change constant',
    'Every pause is longer.',
  ),
];
