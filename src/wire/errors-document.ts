import { type Problem, problems } from '../errors.ts';

/** The whole text of `docs/errors.md`, made from the table of problems. */
export function errorsDocument(): string {
  const statuses = [...new Set(Object.values(problems).map(({ status }) => status))].sort((a, b) => a - b);
  return `# Refusals

Every refusal is \`application/problem+json\` (RFC 9457):

| member | meaning |
|---|---|
| \`type\` | the page of the problem on the service itself, \`/problems/<code>\` |
| \`title\` | a short sentence, the same for every occurrence |
| \`status\` | the HTTP status |
| \`detail\` | what happened this time: it names the address, the numbers and the remedy |
| \`code\` | stable: switch on this, never on the texts |
| \`request_id\` | the same as the \`X-Request-Id\` header; quote it to the operator |
| \`errors\` | every fault of the request, each with \`pointer\` (JSON pointer into the body), \`code\` and \`detail\` |

A body that is at fault in itself is \`invalid_request\`, and its \`errors\` say where and why. When the chain says no, \`code\`
is the first reason by a fixed order and \`errors\` holds them all. An upstream fault is never reported as a fact of the chain.

Some refusals are **safety** refusals: the transaction could land on chain, and is refused all the same for the reason that the
table gives. Every other refusal of a transfer would fail on chain.

<!-- The tables below are written by \`npm run docs\` from src/errors.ts. -->
${statuses.map(section).join('\n')}`;
}

function section(status: number): string {
  const rows = Object.entries(problems)
    .filter(([, problem]) => problem.status === status)
    .map(([code, problem]) => `| \`${code}\` | ${problem.title} | ${problem.remedy}${safetyOf(problem)} |`);
  return `
## ${status}

| code | title | remedy |
|---|---|---|
${rows.join('\n')}
`;
}

function safetyOf(problem: Problem): string {
  return problem.safety === undefined ? '' : ` **Safety:** ${problem.safety}`;
}
