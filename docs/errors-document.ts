import { type Problem, problems, uncheckedOf } from '../packages/server/src/problems.ts';

const rows = Object.entries<Problem>(problems);

/** The whole text of `docs/errors.md`, made from the table of problems. */
export function errorsDocument(): string {
  const statuses = [...new Set(rows.map(([, { status }]) => status))].sort((a, b) => a - b);
  return `# Refusals

Every refusal is \`application/problem+json\` (RFC 9457):

| member | meaning |
|---|---|
| \`type\` | \`/problems/<code>\`: the page of the problem, served by the service itself |
| \`title\` | a short sentence, the same each time |
| \`status\` | the HTTP status |
| \`detail\` | what happened in this request: the address or field, the numbers and the remedy |
| \`code\` | stable: switch on this, not on the texts |
| \`request_id\` | the same as the \`X-Request-Id\` header; quote it to the operator |
| \`errors\` | every error of the request, each with \`pointer\` (JSON pointer into the body), \`code\` and \`detail\` |
| \`logs\` | of \`simulation_failed\`: the logs of the programs |
| \`landed\` | of \`already_landed\`: \`signature\`, \`slot\` and \`block_time\` of the transaction |
| \`landed_transactions\`, \`pending_transactions\` | of a retry of a batch: [what became of it](api.md#retries-idempotency-key) |
| \`message\` | under \`/pay\`: what a wallet tells its user, in at most 80 characters |

A request with invalid fields is \`invalid_request\`; its \`errors\` say where and why. When the state of the chain is the reason,
\`code\` is the first of the \`errors\`. **Safety** says why something is refused that could land on chain; other refused transfers
would fail.

<!-- What follows is written by \`npm run docs\` from packages/server/src/problems.ts. -->
${statuses.map(section).join('')}`;
}

function section(status: number): string {
  const codesOf = new Map<string, string[]>();
  for (const [code, problem] of rows.filter(([, each]) => each.status === status)) {
    const text = textOf(problem);
    codesOf.set(text, [...(codesOf.get(text) ?? []), `\`${code}\``]);
  }
  const items = [...codesOf].map(([text, codes]) => `- ${codes.join(', ')}: ${text}\n`);
  return `\n## ${status}\n\n${status === 422 ? unchecked() : ''}${items.join('')}`;
}

function textOf({ remedy, safety }: Problem): string {
  return safety === undefined ? remedy : `${remedy} **Safety:** ${safety}`;
}

function unchecked(): string {
  const codes = rows.filter(([code]) => ['funding', 'time'].includes(uncheckedOf(code) ?? ''));
  return `With \`checks: "none"\` a transfer is built even if it cannot land yet. What funding or time can change is not checked:
${codes.map(([code]) => `\`${code}\``).join(', ')}.

`;
}
