import type { Mutant, Operator } from './mutants.ts';

/** Mutants that no test can or need notice, and why. */
export interface Explained {
  path: string;
  operator: Operator;
  /** The source line where the mutant starts, without the space around it. */
  line: string;
  /** The code that is changed, where the line has several mutants of one operator. */
  original?: string;
  why: string;
}

const builder = 'packages/server/src/service/transfer-builder.ts';

const explained: readonly Explained[] = [
  {
    path: 'packages/core/src/accounts/hook-account-list.ts',
    operator: 'change constant',
    line: 'const [kind, first = 0, second = 0, third = 0] = config.subarray(offset);',
    why: 'A seed that lacks an argument ends behind its 32 bytes, and is refused for that whatever the argument is.',
  },
  {
    path: 'packages/core/src/accounts/transfer-fee.ts',
    operator: 'shift boundary',
    line: 'return fee < maximumFee ? fee : maximumFee;',
    why: 'Either one is the same number where they are equal.',
  },
  {
    path: 'packages/core/src/plan/plan-transfer.ts',
    operator: 'shift boundary',
    line: 'return price < highest ? price : highest;',
    why: 'Either one is the same number where they are equal.',
  },
  {
    path: 'packages/core/src/decide/decide-transfer.ts',
    operator: 'shift boundary',
    line: 'return held < minimum ? minimum - held : 0n;',
    why: 'Nothing is missing where they are equal.',
  },
  {
    path: 'packages/server/src/chain/reads/agreement.ts',
    operator: 'shift boundary',
    line: 'return answers.map(({ value }) => value).reduce((a, b) => (middleOf(b) < middleOf(a) ? b : a));',
    why: 'Of two lists with the same middle price either one will do.',
  },
  {
    path: 'packages/server/src/chain/reads/agreement.ts',
    operator: 'change constant',
    line: 'return [...prices].sort((a, b) => (a < b ? -1 : 1))[Math.floor(prices.length / 2)] ?? 0n;',
    original: '1',
    why: 'Sorting looks at the sign alone.',
  },
  {
    path: builder,
    operator: 'delete statement',
    line: 'if (hint?.tokenProgram === tokenProgram && hint.transferHookProgram === transferHookProgram) return;',
    why: 'It saves a write: the same hint is remembered again, at its old place in the order.',
  },
  {
    path: builder,
    operator: 'change constant',
    line: 'if ((read.get(sysvar)?.data.length ?? 0) >= length) continue;',
    why: 'Every sysvar that is read is longer than 1 byte.',
  },
  {
    path: builder,
    operator: 'delete statement',
    line: 'for (const pair of pairs) if (pair.tokenProgram === tokenProgram) return pair;',
    why: 'It saves a derivation, which gives the same token accounts again.',
  },
  {
    path: builder,
    operator: 'delete statement',
    line: 'pairs.push(pair);',
    why: 'It saves a derivation, which gives the same token accounts again.',
  },
];

/** Returns the explanation of a mutant, otherwise undefined. `text` is the source file's. */
export function explanationOf(path: string, text: string, mutant: Mutant): Explained | undefined {
  const line = text.split('\n')[mutant.line - 1]?.trim();
  return explained.find(
    (known) =>
      known.path === path &&
      known.operator === mutant.operator &&
      known.line === line &&
      (known.original ?? mutant.original) === mutant.original,
  );
}

/** Returns the explanations for a source file that fit none of its mutants: the code has changed since. */
export function outdatedExplanations(path: string, text: string, mutants: readonly Mutant[]): Explained[] {
  const used = new Set(mutants.map((mutant) => explanationOf(path, text, mutant)));
  return explained.filter((known) => known.path === path && !used.has(known));
}
