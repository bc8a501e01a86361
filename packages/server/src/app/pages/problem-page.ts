import { STATUS_CODES } from 'node:http';
import { type Problem, type ProblemCode, problems, uncheckedOf } from '../../problems.ts';
import { problemBody } from '../problem-schema.ts';
import { assetPath } from './assets.ts';
import { type Html, html, linesOf, withCode } from './html.ts';
import { pageShell } from './page-shell.ts';
import { problemExamples } from './problem-examples.ts';

/** Where a problem page can lead: with pages there is a console at `/` and a reference at `/docs`. */
export interface ProblemPlaces {
  hasPages: boolean;
}

const codes = Object.keys(problems).filter(isProblemCode);

/** Whether a text is the code of a problem. */
export function isProblemCode(text: string): text is ProblemCode {
  return Object.hasOwn(problems, text);
}

/** The HTML page of a problem, which the `type` of its replies points to. */
export function problemPage(code: ProblemCode, places: ProblemPlaces): string {
  const { status, title, remedy, safety }: Problem = problems[code];
  const unchecked = uncheckedOf(code);
  const isLeftOut = unchecked === 'funding' || unchecked === 'time';
  return documentOf(
    `${code}: ${title}`,
    html`<h1>${withCode(title)}</h1>
<p class="lead"><code>${code}</code>, HTTP status ${status} ${STATUS_CODES[status]}</p>
<p>${withCode(remedy)}</p>
${safety === undefined ? undefined : html`<p>A safety refusal: the transaction could land on chain. ${withCode(safety)}</p>`}
${isLeftOut ? html`<p>Skipped when <code>checks</code> is "none": ${unchecked} can change it.</p>` : undefined}
<h2>Example</h2>
<p>The reply is <code>application/problem+json</code>. Its <code>detail</code> says what is wrong, with the numbers, and how to fix it.</p>
<pre tabindex="0"><code>${linesOf(JSON.stringify(exampleOf(code), null, 2))}</code></pre>
<p>The ${referenceLink(places)} lists every refusal of every operation. <a href="/problems/">All problems</a></p>`,
    places,
  );
}

/** The page of all problems, by status. */
export function problemIndexPage(places: ProblemPlaces): string {
  const statuses = [...new Set(codes.map((code) => problems[code].status))].sort((one, other) => one - other);
  const section = (status: number): Html => html`<section aria-labelledby="status-${status}">
<h2 id="status-${status}">${status} ${STATUS_CODES[status]}</h2>
<ul>${codes
    .filter((code) => problems[code].status === status)
    .map(
      (code) =>
        html`<li><a href="/problems/${code}"><code>${code}</code></a> <span>${withCode(problems[code].title)}</span></li>`,
    )}</ul>
</section>`;
  return documentOf(
    'Problems: splwright',
    html`<h1>Problems</h1>
<p class="lead">Every refusal has one of these codes, in <code>code</code> and in <code>type</code>. They never change: switch on them, not on the texts.</p>
${statuses.map(section)}`,
    places,
  );
}

/** The page in place of a refusal that a browser gets, with where to go. */
export function refusalPage(code: ProblemCode, detail: string, places: ProblemPlaces): string {
  const { status, title } = problems[code];
  const link = (path: string, text: string): Html =>
    html`<li><a href="${path}"><code>${path}</code></a> <span>${text}</span></li>`;
  return documentOf(
    `${status}: ${title}`,
    html`<h1>${withCode(title)}</h1>
<p class="lead">HTTP status ${status} ${STATUS_CODES[status]}</p>
<p>${detail}</p>
<h2>Where to go</h2>
<ul class="places">
${places.hasPages ? [link('/', 'The console: try every operation'), link('/docs', 'The API reference')] : undefined}
${link('/openapi.json', 'The API, for programs')}
${link('/problems/', 'What each refusal means')}
</ul>`,
    places,
  );
}

function documentOf(title: string, content: Html, places: ProblemPlaces): string {
  return pageShell({
    title,
    style: 'problem.css',
    body: html`<header class="top">
<a class="brand" href="/"><img src="${assetPath('icon.svg')}" alt="" width="28" height="28"> splwright</a>
<nav aria-label="Pages"><a href="/problems/">Problems</a> ${referenceLink(places)}</nav>
</header>
<main>
${content}
</main>`,
  });
}

function referenceLink({ hasPages }: ProblemPlaces): Html {
  return hasPages ? html`<a href="/docs">API reference</a>` : html`<a href="/openapi.json">OpenAPI document</a>`;
}

const exampleRequestId = '0b0bc6a4-3d5c-4d4e-9f0b-2f5a1c1d7e11';

/** A reply with the problem. What is wrong with a field is reported by `invalid_request`. */
function exampleOf(code: ProblemCode): object {
  const { detail = '…', pointer } = problemExamples[code] ?? {};
  if (pointer === undefined) return problemBody(code, detail, exampleRequestId, {});
  const findings = [{ code, pointer, detail }];
  return problems[code].status === problems.invalid_request.status
    ? problemBody('invalid_request', detail, exampleRequestId, { findings })
    : problemBody(code, detail, exampleRequestId, { findings });
}
