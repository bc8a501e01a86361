import { type Problem, problems } from '../../packages/server/src/problems.ts';
import type { ChainError } from '../setup/token-unchecked-transfer.ts';
import type { Observation } from './observe.ts';
import { litesvmVersion, programs } from './programs.ts';
import type { Operation } from './situation.ts';
import type { SupportRow } from './support-row.ts';
import { type SupportTable, supportTables } from './tables.ts';

/** The cells of a row, an operation each. */
export type Cells = Readonly<Partial<Record<Operation, string>>>;

const problemTable: Readonly<Record<string, Problem>> = problems;

const introduction = `# Which transfers land

For every kind of mint and every state of an account: what splwright answers, and what the programs on chain do.

- **lands**: splwright built the transaction. Signed and sent, it moved exactly the stated amounts, fees and rent.
- **\`code\` → error**: splwright refused with this [code](errors.md). The same transfer, built without any check and sent,
  failed with this error. A number is an error of the token program, as in "custom program error: 0x11".
- **\`code\` (safety) → …**: splwright refused a transfer that may land, because the money would be lost or paid to another
  owner. What follows is what happened on chain.

The tables have what depends on the operation: \`/v1/token-transfer-memo-hash\`, with \`memo\` and with \`yid\`, and
\`/v1/create-token-account-transfer\`. A transfer hook may also refuse a transfer for reasons of its own, which only \`simulate\` shows.

Every row is tested over HTTP on an embedded ledger with the programs of LiteSVM ${litesvmVersion}: ${programs.map(({ name }) => name).join(', ')}.
To run some:

\`\`\`sh
npx node --test --test-name-pattern 'token account frozen' test/token-support/token-support.test.ts
\`\`\`

<!-- Written by \`node test/token-support/make.ts\` from what it observes. A test fails when this file says otherwise. -->
`;

/** Writes the document from the cells of every row, by its id. Throws when one is missing, or `memo` and `yid` differ. */
export function supportDocument(cellsOf: ReadonlyMap<string, Cells>): string {
  const tables = supportTables.map(({ title, note, rows }) => {
    const [landing, refused, mixed] = [new Set<string>(), new Set<string>(), new Set<string>()];
    for (const { id, words } of rows) {
      const { memo, yid, create } = cellsOf.get(id) ?? {};
      if (memo === undefined || create === undefined) throw new Error(`nothing was observed of ${id}`);
      if (memo !== yid) throw new Error(`${id} needs a column of its own for yid: ${memo}, ${yid}`);
      if (memo !== create) mixed.add(`| ${words} | ${memo} | ${create} |\n`);
      else if (memo === 'lands') landing.add(`- ${words}\n`);
      else refused.add(`- ${words}: ${memo}\n`);
    }
    const lists = `${note} These land:\n\n${[...landing].join('')}\nThese are refused:\n\n${[...refused].join('')}`;
    return `## ${title}\n\n${lists}\n| | memo, yid | create |\n|---|---|---|\n${[...mixed].join('')}`;
  });
  return [introduction, ...tables].join('\n');
}

/** Reads what the document says of a row of a table; empty when it has no such row. */
export function documentedCells(document: string, { title }: SupportTable, { words }: SupportRow): Cells {
  const lines = document.split(`\n## ${title}\n`)[1]?.split('\n## ')[0]?.split('\n') ?? [];
  if (lines.includes(`- ${words}`)) return { memo: 'lands', yid: 'lands', create: 'lands' };
  const refusal = lines.find((each) => each.startsWith(`- ${words}: \``))?.slice(`- ${words}: `.length);
  if (refusal !== undefined) return { memo: refusal, yid: refusal, create: refusal };
  const line = lines.find((each) => each.startsWith(`| ${words} |`));
  const [, , memo, create] = (line ?? '').split('|').map((cell) => cell.trim());
  return memo === undefined || create === undefined ? {} : { memo, yid: memo, create };
}

/** Writes a cell. */
export function supportCell(observation: Observation): string {
  if (observation === 'lands') return 'lands';
  const codes = observation.codes.map((code) => {
    const mark = problemTable[code]?.safety === undefined ? '' : ' (safety)';
    return `\`${code}\`${mark}`;
  });
  return `${codes.join(', ')} → ${renderChainError(observation.chain)}`;
}

function renderChainError(error: ChainError): string {
  if (error === null) return 'lands';
  if (typeof error === 'string') return error;
  if (!('InstructionError' in error)) return Object.keys(error).join();
  const [, reason] = error.InstructionError;
  if (typeof reason === 'string') return reason;
  return 'Custom' in reason ? `0x${reason.Custom.toString(16)}` : Object.keys(reason).join();
}
