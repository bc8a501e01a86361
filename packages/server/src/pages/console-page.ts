import type { Operation } from '../operation.ts';
import { type FieldName, isFieldName, neededFields, optionalFields, takesField } from '../wire/fields.ts';
import { type RouteName, routes } from '../wire/routes/route-table.ts';
import type { SandboxWorldJson } from '../wire/schemas/public-schema.ts';
import { assetPath, assets } from './assets.ts';
import { fieldOf, plainField, prose } from './console-fields.ts';
import { type Html, html } from './html.ts';
import { pagePolicy, pageShell } from './page-shell.ts';
import { networkNotes, type PayChain } from './pay-page.ts';

/** A form of the console. */
export interface ConsoleForm {
  /** What its address names: `/?form=transfer`. */
  id: 'outcome' | 'inspect' | 'usage' | Operation;
  /** What the list of forms calls it. */
  name: string;
  title: string;
  text: string;
  path: string;
  /** The operation in the reference, `/docs#buildTransfer`, and its path; none of what is done in the browser. */
  operationId: RouteName | undefined;
  /** What its button says. */
  action: string;
  /** The operation whose fields it has; none of an outcome or of bytes. */
  operation: Operation | undefined;
}

const build = 'Build the transaction';

/** The forms, in the order of the list. The first one is what `/` shows. */
export const consoleForms: readonly [ConsoleForm, ...ConsoleForm[]] = [
  formOf('transfer', 'Transfer', 'buildTransfer', build),
  formOf('batch', 'Many recipients', 'buildBatch', 'Build the transactions'),
  formOf('payment_link', 'Payment links', 'createPaymentLink', 'Make the link'),
  { ...formOf('transfer', 'Outcome', 'findOutcome', 'Find the outcome'), id: 'outcome', operation: undefined },
  {
    id: 'inspect',
    name: 'Inspect',
    title: 'Inspect a transaction',
    text: 'Shows what each byte of any transaction means, signed or unsigned. The bytes stay in the browser.',
    path: '',
    operationId: undefined,
    action: 'Inspect',
    operation: undefined,
  },
  formOf('memo_transfer', 'Memo transfer', 'buildTokenTransfer', build),
  formOf('yid_transfer', 'Yid transfer', 'buildTokenTransfer', build),
  formOf('create_transfer', 'Create transfer', 'buildCreateTokenAccountTransfer', build),
  {
    id: 'usage',
    name: 'Usage',
    title: 'Usage and limits',
    text: 'What the API key is limited to, what it has used today, and what is left.',
    path: routes.readApiKey.path,
    operationId: 'readApiKey',
    action: 'Refresh',
    operation: undefined,
  },
];

/** Returns the form with an id, otherwise the first one. */
export function formCalled(id: string | undefined): ConsoleForm {
  return consoleForms.find((form) => form.id === id) ?? consoleForms[0];
}

/** The fields of an operation: those of its first lines, and those that few requests have. */
function formFields(operation: Operation): { main: readonly FieldName[]; options: readonly FieldName[] } {
  const needed = neededFields(operation);
  const optional = optionalFields(operation);
  const isCommon = (name: FieldName): boolean => common.includes(name);
  return {
    main: [...needed.filter((name) => !isCommon(name)), ...common.filter((name) => takesField(operation, name))],
    options: optional.filter((name) => !isCommon(name)),
  };
}

// Amounts and notes are what people write first, in this order, whether an operation needs them or not.
const common: readonly FieldName[] = ['amount', 'amount_decimal', 'amount_min', 'amount_max', 'memo', 'yid'].filter(
  isFieldName,
);

function formOf(operation: Operation, name: string, operationId: RouteName, action: string): ConsoleForm {
  const { path, summary, description } = routes[operationId];
  return { id: operation, name, title: summary, text: description, path, operationId, action, operation };
}

/** What the console needs in addition to its form. */
export interface ConsoleContext {
  /** The network; `undefined` while it is not known: then no wallet of the browser is offered. */
  chain: PayChain | undefined;
  /** What the sandbox has; absent on a real network. */
  world: SandboxWorldJson | undefined;
}

/** The console with one of its forms, as an HTML document. */
export function consolePage(form: ConsoleForm, { chain, world }: ConsoleContext): string {
  const note = chain && networkNotes[chain];
  return pageShell({
    title: `${form.name}: splwright`,
    style: assets.consoleStyle,
    head: html`<link rel="stylesheet" href="${assetPath(assets.recordsStyle)}">
<script type="module" src="${assetPath(assets.consoleScript)}"></script>
`,
    body: html`<a class="skip" href="#main">Skip to the form</a>
<header class="top">
<a class="brand" href="/"><img src="${assetPath(assets.icon)}" alt="" width="28" height="28"> splwright</a>
${note && html`<p class="network">${note}</p>`}
<a class="docs" href="/docs">API reference</a>
<form class="key" id="key-form" autocomplete="off"><label for="api-key">API key</label> <input id="api-key" type="password" autocomplete="off" spellcheck="false" value="${world?.api_key ?? ''}"></form>
</header>
<nav aria-label="Operations"><ul>${consoleForms.map((each) => navigationItem(each, form))}</ul></nav>
<main id="main" data-form="${form.id}" data-chain="${chain ?? ''}" data-rpc="${world?.rpc_url ?? ''}">
<section class="request" aria-labelledby="title">
<h1 id="title">${form.title}</h1>
<p class="lead">${prose(form.text)}</p>
${form.operationId && html`<p class="path"><code>${routes[form.operationId].method} ${form.path}</code> <a href="/docs#${form.operationId}">Reference</a></p>`}
<noscript><p class="alert">The console needs scripts. The API works without them: see <a href="/openapi.json">/openapi.json</a>.</p></noscript>
<form id="form" data-path="${form.path}" novalidate>
<div class="alert" id="refusal" role="alert" tabindex="-1"></div>
${fieldsOf(form, world)}
<button class="button" type="submit">${form.action}</button>
</form>
</section>
<section class="reply" aria-labelledby="reply-title">
<h2 id="reply-title">Reply</h2>
<div id="reply" tabindex="-1"><p class="hint">No request yet.</p></div>
</section>
</main>`,
  });
}

/** The Content-Security-Policy of the console: that of pages, and on the sandbox the JSON-RPC of its ledger. */
export function consolePolicy(world: SandboxWorldJson | undefined): string {
  return pagePolicy([], world ? [new URL(world.rpc_url).origin] : []);
}

function navigationItem(each: ConsoleForm, current: ConsoleForm): Html {
  const isCurrent = each === current ? html` aria-current="page"` : undefined;
  return html`<li><a href="/?form=${each.id}"${isCurrent}>${each.name}</a></li>`;
}

function fieldsOf({ operation, id }: ConsoleForm, world: SandboxWorldJson | undefined): Html {
  if (operation === undefined)
    return html`${id === 'usage' ? undefined : bytesFields(id === 'outcome')}${world && namesOf(world)}`;
  const { main, options } = formFields(operation);
  return html`<div class="fields">${main.map((name) => fieldOf(name, operation, world))}</div>
<details class="options"><summary>Options <span class="count">${options.length}</span></summary>
<div class="fields">${options.map((name) => fieldOf(name, operation, world))}</div></details>`;
}

/** The names of the sandbox's wallets and mints, for a form that does not offer them. */
function namesOf({ wallets, mints }: SandboxWorldJson): Html {
  return html`<datalist id="names">${wallets.map(({ name, address }) => html`<option value="${address}">${name}</option>`)}${mints.map(
    ({ name, address, decimals }) => html`<option value="${address}" data-decimals="${decimals}">${name}</option>`,
  )}</datalist>`;
}

function bytesFields(hasHeight: boolean): Html {
  const bytes = prose('Unsigned or signed: base64, base58, or an array of integers.');
  const height = prose('As it came with the transaction: without it we cannot tell whether it expired.');
  return html`<div class="fields">${plainField('transaction', 'bytes', bytes)}${hasHeight ? plainField('last_valid_block_height', 'text', height) : undefined}</div>`;
}
