import { assets } from '../assets.ts';
import { type Html, html } from '../html.ts';
import { pageShell } from '../page-shell.ts';
import { itemsOf, membersOf, textAt, valueAt } from './json-value.ts';
import { type OperationView, operationSection, operationsOf } from './operation-view.ts';
import { prose } from './prose.ts';
import { fieldList, schemaId, typeOf } from './schema-view.ts';

/** The policy of the page: its style and its icon, no script, and nothing of another origin. */
export const referencePolicy =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** An OpenAPI document as a page for people, who need no script to read it. */
export function referencePage(document: object): string {
  const title = textAt(document, 'info', 'title');
  const operations = operationsOf(document);
  const groups = itemsOf(valueAt(document, 'tags')).map((tag) => {
    const name = textAt(tag, 'name');
    return { name, text: textAt(tag, 'description'), operations: operations.filter((each) => each.tag === name) };
  });
  const schemas = membersOf(valueAt(document, 'components', 'schemas'));
  return pageShell({
    title: `${title}: API reference`,
    style: assets.referenceStyle,
    body: html`<a class="skip" href="#content">Skip to the reference</a>
<div class="sheet">
<nav aria-label="Contents">
<p class="name">${title} <span>${textAt(document, 'info', 'version')}</span></p>
${groups.map(({ name, operations }) => navGroup(name, operations))}<p><a href="#schemas">Schemas</a></p>
<p><a href="/">Console</a></p>
</nav>
<main id="content">
<header>
<h1>API reference</h1>
<p>${prose(textAt(document, 'info', 'summary'))} ${prose(textAt(document, 'info', 'description'))}</p>
<p>Send an API key as <code>Authorization: Bearer &lt;API key&gt;</code>. A refusal is <a href="#${schemaId('Problem')}">problem+json</a>: its code leads to what it means, and what to do. For tools: <a href="/openapi.json">the OpenAPI document</a>.</p>
</header>
${groups.map(
  (group) => html`<section class="group" aria-labelledby="${groupId(group.name)}">
<h2 id="${groupId(group.name)}">${group.name}</h2>
<p>${prose(group.text)}</p>
${group.operations.map((operation) => operationSection(operation, document))}</section>
`,
)}<section class="group" aria-labelledby="schemas">
<h2 id="schemas">Schemas</h2>
${schemas.map(([name, schema]) => schemaSection(name, schema))}</section>
</main>
</div>`,
  });
}

function navGroup(name: string, operations: readonly OperationView[]): Html {
  return html`<p><a href="#${groupId(name)}">${name}</a></p>
<ul>
${operations.map(
  ({ id, method, path, summary }) => html`<li><a href="#${id}" title="${method} ${path}">${summary}</a></li>
`,
)}</ul>
`;
}

function groupId(tag: string): string {
  return `group-${tag.toLowerCase().replaceAll(' ', '-')}`;
}

function schemaSection(name: string, schema: unknown): Html {
  const text = textAt(schema, 'description');
  return html`<section class="schema" id="${schemaId(name)}" aria-labelledby="${schemaId(name)}-title">
<h3 id="${schemaId(name)}-title">${name}</h3>
${
  text === ''
    ? undefined
    : html`<p>${prose(text)}</p>
`
}${fieldList(schema) ?? html`<p class="type">${typeOf(schema)}</p>`}
</section>
`;
}
