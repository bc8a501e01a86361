import { assets } from './assets.ts';
import { type Html, html } from './html.ts';
import { pageShell } from './page-shell.ts';
import {
  field,
  fieldList,
  itemsOf,
  membersOf,
  prose,
  readableJson,
  referenceOf,
  schemaId,
  textAt,
  typeOf,
  valueAt,
} from './reference-schemas.ts';

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

/** An operation of the document: what one method of a path does. */
export interface OperationView {
  id: string;
  method: string;
  path: string;
  tag: string;
  summary: string;
  needsKey: boolean;
  operation: unknown;
}

/** Every operation that a document describes, in its order. */
export function operationsOf(document: unknown): OperationView[] {
  return membersOf(valueAt(document, 'paths')).flatMap(([path, item]) =>
    membersOf(item).map(([method, operation]) => ({
      id: textAt(operation, 'operationId'),
      method: method.toUpperCase(),
      path,
      tag: String(itemsOf(valueAt(operation, 'tags'))[0]),
      summary: textAt(operation, 'summary'),
      // What the document says of all operations, unless one says that it needs nothing.
      needsKey: valueAt(operation, 'security') === undefined,
      operation,
    })),
  );
}

/** All about one operation: what it takes, what it answers, and what it refuses. */
function operationSection(view: OperationView, document: unknown): Html {
  const { id, method, path, summary, needsKey, operation } = view;
  const replies = membersOf(valueAt(operation, 'responses'));
  const isRefusal = ([status]: [string, unknown]): boolean => Number(status) >= 400;
  return html`<section class="operation" id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title">${summary}</h3>
<p class="call"><span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code></p>
<p>${prose(textAt(operation, 'description'))}</p>
<p class="key">${needsKey ? 'Needs an API key.' : 'Needs no API key.'}</p>
${parameters(operation)}${requestBody(view, document)}${replies.filter((entry) => !isRefusal(entry)).map(([status, reply]) => replyPart(id, status, reply, document))}${refusals(id, replies.filter(isRefusal))}</section>
`;
}

function parameters(operation: unknown): Html | undefined {
  const all = itemsOf(valueAt(operation, 'parameters'));
  if (all.length === 0) return undefined;
  return html`<h4>Parameters</h4>
<dl class="fields">
${all.map((parameter) => field(textAt(parameter, 'name'), valueAt(parameter, 'schema'), valueAt(parameter, 'required') === true, `${placeOf(parameter)} ${textAt(parameter, 'description')}`))}</dl>
`;
}

function placeOf(parameter: unknown): string {
  const place = textAt(parameter, 'in');
  return place === 'header' ? 'A header.' : `In the ${place}.`;
}

function requestBody({ method, path, needsKey, operation }: OperationView, document: unknown): Html | undefined {
  const content = valueAt(operation, 'requestBody', 'content', 'application/json');
  if (content === undefined) return undefined;
  const head = [
    `${method} ${path}`,
    ...(needsKey ? ['Authorization: Bearer <API key>'] : []),
    'Content-Type: application/json',
  ];
  const examples = examplesOf(content).map(({ name, value }) => ({
    name,
    text: `${head.join('\n')}\n\n${readableJson(value)}`,
  }));
  return html`<h4>Body</h4>
${describeSchema(valueAt(content, 'schema'), document)}${examples.map((example) => exampleBox('request', example))}`;
}

function replyPart(id: string, status: string, reply: unknown, document: unknown): Html {
  const [[mediaType, content] = ['', undefined]] = membersOf(valueAt(reply, 'content'));
  const headers = membersOf(valueAt(reply, 'headers'));
  const isJson = mediaType.includes('json');
  return html`<h4 id="${id}-${status}">Reply ${status}</h4>
<p>${prose(textAt(reply, 'description'))}${isJson ? undefined : html` <code>${mediaType}</code>`}</p>
${isJson ? describeSchema(valueAt(content, 'schema'), document) : undefined}${
  headers.length === 0
    ? undefined
    : html`<details><summary>Headers of the reply</summary>
<dl class="fields">
${headers.map(([name, header]) => field(name, valueAt(header, 'schema'), false, textAt(header, 'description')))}</dl></details>
`
}${examplesOf(content).map(({ name, value }) => exampleBox('reply', { name, text: readableJson(value) }))}`;
}

/** What a schema of a body or a reply holds. One that is only a reference is shown in its place. */
function describeSchema(schema: unknown, document: unknown): Html {
  const name = referenceOf(schema);
  const target = name === undefined ? schema : valueAt(document, 'components', 'schemas', name);
  const fields = fieldList(target);
  const text = textAt(target, 'description');
  const note =
    text === ''
      ? undefined
      : html`<p>${prose(text)}</p>
`;
  return html`${note}${fields ?? alternatives(target, name)}
`;
}

function alternatives(schema: unknown, name: string | undefined): Html | undefined {
  const all = [...itemsOf(valueAt(schema, 'anyOf')), ...itemsOf(valueAt(schema, 'oneOf'))]
    .map(referenceOf)
    .filter((each) => each !== undefined);
  const names = all.length > 0 ? all : name === undefined ? [] : [name];
  if (names.length === 0) return undefined;
  return html`<p>Is ${names.map((each, index) => html`${index === 0 ? '' : ' or '}<a href="#${schemaId(each)}">${each}</a>`)}.</p>`;
}

function examplesOf(content: unknown): { name: string; value: unknown }[] {
  const single = valueAt(content, 'example');
  if (single !== undefined) return [{ name: '', value: single }];
  return membersOf(valueAt(content, 'examples')).map(([name, example]) => ({ name, value: valueAt(example, 'value') }));
}

function exampleBox(of: string, { name, text }: { name: string; text: string }): Html {
  const title = `Example of the ${of}${name === '' ? '' : `: ${name.replaceAll('_', ' ')}`}`;
  return html`<details><summary>${title}</summary>
<pre tabindex="0" aria-label="${title}"><code>${textLines(text)}</code></pre></details>
`;
}

// Within a line a line break would be made visible.
function textLines(text: string): Html[] {
  return text.split('\n').map((line, index) => html`${index === 0 ? undefined : html`\n`}${line}`);
}

function refusals(id: string, replies: readonly [string, unknown][]): Html | undefined {
  if (replies.length === 0) return undefined;
  return html`<h4 id="${id}-refusals">Refusals</h4>
<dl class="refusals">
${replies.map(
  ([status, reply]) => html`<div><dt>${status}</dt><dd>${prose(refusalText(reply))}</dd></div>
`,
)}</dl>
`;
}

/** The codes of a refusal; without a list of them its description and the usual code. */
function refusalText(reply: unknown): string {
  const [, codes] = /^Refused: (.*)\.$/.exec(textAt(reply, 'description')) ?? [];
  if (codes !== undefined) return codes.replaceAll(/\w+/g, '`$&`');
  const [[, content] = ['', undefined]] = membersOf(valueAt(reply, 'content'));
  const code = textAt(examplesOf(content)[0]?.value, 'code');
  return `${textAt(reply, 'description')}${code === '' ? '' : ` \`${code}\``}`;
}
