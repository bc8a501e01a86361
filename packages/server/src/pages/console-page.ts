import type { TObject } from 'typebox';
import { assetPath, tableReaderPath } from '../app/pages/assets.ts';
import { type Html, html } from '../app/pages/html.ts';
import { pagePolicy, pageShell } from '../app/pages/page-shell.ts';
import type { SandboxWorldJson } from '../app/public-schema.ts';
import { keyPath } from '../keys/key-routes.ts';
import { linkBody } from '../links/link-body.ts';
import { linksPath } from '../links/link-route-schemas.ts';
import { networkNotes, type PayChain } from '../links/pay-chain.ts';
import type { Operation } from '../operation.ts';
import { outcomePath } from '../outcomes/outcome-routes.ts';
import { batchBody, createTransferBody, paths, tokenTransferBody, transferBody } from '../transfers/transfer-schema.ts';
import { endpointBody } from '../webhooks/webhook-schema.ts';
import { type FieldSchema, fieldOf, plainField } from './console-fields.ts';
import { type FieldName, fieldTexts, isFieldName, optionGroups } from './console-labels.ts';

/** A form of the console. */
export interface ConsoleForm {
  /** Its name in the address: `/?form=transfer`. */
  id: 'outcome' | 'inspect' | 'usage' | Operation;
  /** Its name in the list of forms. */
  name: string;
  title: string;
  /** Its purpose, in a sentence or two for people. */
  text: string;
  path: string;
  /** The section of the reference that its operation stands in, as its address names it; none of what is done in the browser. */
  section: 'transfers' | 'payment-links' | 'webhooks' | 'service' | undefined;
  /** The text of its button. */
  action: string;
  /** The operation whose fields it has; none of an outcome or of bytes. */
  operation: Operation | undefined;
  /** Whether it is one of the operations that existing clients speak: they have no tab of their own. */
  isOlder?: boolean;
}

const build = 'Build the transaction';
const olderText = 'For existing clients. New code: use Transfer.';

const older = { action: build, text: olderText, isOlder: true };
const olderMemoForm: Omit<ConsoleForm, 'id' | 'name' | 'operation'> = {
  ...older,
  title: 'Build with memo',
  path: paths.memoTransfer,
  section: 'transfers',
};

/** The forms, in the order of the tabs. The first one is what `/` shows. */
export const consoleForms: readonly [ConsoleForm, ...ConsoleForm[]] = [
  formOf('transfer', 'Transfer', {
    title: 'Build a transfer',
    path: paths.transfers,
    section: 'transfers',
    action: build,
    text: 'Pays one wallet, and creates its token account if it is missing. Sign the transaction here, or copy its bytes and sign elsewhere.',
  }),
  formOf('batch', 'Batch', {
    title: 'Build a batch',
    path: paths.batch,
    section: 'transfers',
    action: 'Build the transactions',
    text: 'Pays up to 1,000 wallets in as few transactions as possible. Retrying never pays a wallet twice.',
  }),
  formOf('payment_link', 'Links', {
    title: 'Create a payment link',
    path: linksPath,
    section: 'payment-links',
    action: 'Create the link',
    text: 'Creates a link and a QR code that any Solana wallet can pay.',
  }),
  formOf('webhook', 'Webhooks', {
    title: 'Add a webhook endpoint',
    path: '/v1/webhook-endpoints',
    section: 'webhooks',
    action: 'Add the endpoint',
    text: 'Sends your server an event when a payment link is paid, or when tokens arrive in a wallet you watch.',
  }),
  {
    id: 'outcome',
    name: 'Outcome',
    title: 'Find the outcome',
    text: 'Tells you whether a transaction landed, failed, can still land or never will.',
    path: outcomePath,
    section: 'transfers',
    action: 'Find the outcome',
    operation: undefined,
  },
  {
    id: 'inspect',
    name: 'Inspect',
    title: 'Inspect a transaction',
    text: 'Explains each byte of a transaction, signed or unsigned. The bytes never leave your browser.',
    path: '',
    section: undefined,
    action: 'Inspect',
    operation: undefined,
  },
  {
    id: 'usage',
    name: 'Usage',
    title: 'Usage and limits',
    text: 'The limits of your API key, what it has used today, and what is left.',
    path: keyPath,
    section: 'service',
    action: 'Refresh',
    operation: undefined,
  },
  formOf('memo_transfer', 'Memo transfer', olderMemoForm),
  formOf('yid_transfer', 'YID transfer', { ...olderMemoForm, title: 'Build with YID' }),
  formOf('create_transfer', 'Create transfer', {
    ...older,
    title: 'Create and transfer',
    path: paths.createTransfer,
    section: 'transfers',
  }),
];

/** Returns the form with an id, otherwise the first one. */
export function formCalled(id: string | undefined): ConsoleForm {
  return consoleForms.find((form) => form.id === id) ?? consoleForms[0];
}

/** The bodies of the operations. */
export const bodies: Readonly<Record<Operation, TObject>> = {
  memo_transfer: tokenTransferBody,
  yid_transfer: tokenTransferBody,
  create_transfer: createTransferBody,
  transfer: transferBody,
  batch: batchBody,
  payment_link: linkBody,
  webhook: endpointBody,
};

/** Of two fields that choose the operation, the one that a form leaves out. */
const otherFields: Readonly<Partial<Record<Operation, FieldName>>> = { memo_transfer: 'yid', yid_transfer: 'memo' };

/** The notes that a form has filled in on the sandbox. */
const filledIn: Readonly<Partial<Record<Operation, FieldName>>> = {
  memo_transfer: 'memo',
  yid_transfer: 'yid',
  transfer: 'memo',
};

/** A field of a form. */
interface FormField {
  name: FieldName;
  schema: FieldSchema;
  isFilledIn: boolean;
}

/** The fields of an operation: those of its first lines, and those that few requests have. There is one amount, in whole tokens. */
function formFields(operation: Operation): { main: readonly FormField[]; options: readonly FormField[] } {
  const { properties, required } = bodies[operation];
  const amount = 'amount_decimal' in properties ? 'amount_decimal' : 'amount';
  // Amounts and notes are what people write last, whether an operation needs them or not.
  const common: readonly FieldName[] = [amount, 'memo', 'yid'];
  // A payment link may list several tokens in its place, which the form does not.
  const isMain = (name: FieldName): boolean => required.includes(name) || name === 'token_mint_address';
  const field = (name: FieldName): FormField => ({
    name,
    schema: properties[name] ?? {},
    isFilledIn: isMain(name) || name === amount || filledIn[operation] === name,
  });
  const names = Object.keys(properties)
    .filter(isFieldName)
    .filter((name) => otherFields[operation] !== name);
  const others = names.filter((name) => !common.includes(name) && name !== 'amount');
  return {
    main: [...others.filter(isMain), ...common.filter((name) => names.includes(name))].map(field),
    options: others.filter((name) => !isMain(name)).map(field),
  };
}

function formOf(operation: Operation, name: string, form: Omit<ConsoleForm, 'id' | 'name' | 'operation'>): ConsoleForm {
  return { id: operation, name, ...form, operation };
}

export interface ConsoleContext {
  /** The network; `undefined` while it is not known: then no wallet of the browser is offered. */
  chain: PayChain | undefined;
  /** Absent on a real network. */
  world: SandboxWorldJson | undefined;
}

/** The console with one of its forms, as an HTML document. */
export function consolePage(form: ConsoleForm, { chain, world }: ConsoleContext): string {
  const note = chain && networkNotes[chain];
  const method = form.id === 'usage' ? 'GET' : 'POST';
  return pageShell({
    title: `${form.name}: splwright`,
    style: 'console.css',
    head: html`${form.id === 'batch' ? html`<script src="${tableReaderPath}" defer></script>` : undefined}
<script type="module" src="${assetPath('console.ts')}"></script>
`,
    body: html`<a class="skip" href="#main">Skip to the form</a>
<header class="top">
<a class="brand" href="/"><img src="${assetPath('icon.svg')}" alt="" width="28" height="28"> splwright</a>
${note && html`<p class="network">${note}</p>`}
<a class="docs" href="/docs">API reference</a>
<form class="key" id="key-form" autocomplete="off"><label for="api-key">API key</label> <input id="api-key" type="password" autocomplete="off" spellcheck="false" aria-describedby="api-key-fault" value="${world?.api_key ?? ''}"><p class="fault" id="api-key-fault" role="alert"></p></form>
</header>
<nav aria-label="Operations"><ul>${consoleForms.filter(({ isOlder }) => !isOlder).map((each) => tabOf(each, form))}</ul></nav>
<main id="main" data-form="${form.id}" data-chain="${chain ?? ''}" data-rpc="${world?.rpc_url ?? ''}">
<section class="request" aria-labelledby="title">
<h1 id="title">${form.title}</h1>
<p class="lead">${form.text}</p>
${form.section && html`<p class="path"><code>${method} ${form.path}</code> <a href="/docs#tag/${form.section}/${method}${form.path}">Reference</a></p>`}
${olderForms(form)}
<noscript><p class="alert">The console needs JavaScript. The API does not: see <a href="/openapi.json">/openapi.json</a>.</p></noscript>
<form id="form" data-path="${form.path}" novalidate>
${fieldsOf(form, world)}
<div class="alert" id="refusal" role="alert" tabindex="-1"></div>
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

/** A tab. Operations that existing clients speak stand in that of the transfer. */
function tabOf(each: ConsoleForm, current: ConsoleForm): Html {
  const isCurrent = each === current || (current.isOlder === true && each.id === 'transfer');
  return html`<li>${linkTo(each, isCurrent)}</li>`;
}

function linkTo({ id, name }: ConsoleForm, isCurrent: boolean): Html {
  return html`<a href="/?form=${id}"${isCurrent ? html` aria-current="page"` : undefined}>${name}</a>`;
}

/** The operations that existing clients speak, on their own forms and on that of the transfer. */
function olderForms(current: ConsoleForm): Html | undefined {
  if (!current.isOlder && current.id !== 'transfer') return undefined;
  const links = consoleForms.filter(({ isOlder }) => isOlder).map((form) => html` ${linkTo(form, form === current)}`);
  return html`<p class="hint older">For existing clients:${links}</p>`;
}

function fieldsOf({ operation, id }: ConsoleForm, world: SandboxWorldJson | undefined): Html {
  if (operation === undefined)
    return html`${id === 'usage' ? undefined : bytesFields(id === 'outcome')}${world && namesOf(world)}`;
  const { main, options } = formFields(operation);
  const groups = optionGroups
    .map((title) => ({ title, fields: options.filter(({ name }) => fieldTexts[name].group === title) }))
    .filter(({ fields }) => fields.length > 0);
  const fieldIn = ({ name, schema, isFilledIn }: FormField): Html =>
    fieldOf(name, schema, { operation, world, isFilledIn });
  return html`<div class="fields">${main.map(fieldIn)}</div>
<details class="options"><summary>Options <span class="count">${groups.map(({ title }) => title).join(', ')}</span></summary>
${groups.map(
  ({ title, fields }) => html`<fieldset><legend>${title}</legend><div class="fields">
${fields.map(fieldIn)}</div></fieldset>
`,
)}</details>`;
}

/** The names of the sandbox's wallets and mints, for a form that does not offer them. */
function namesOf({ wallets, mints }: SandboxWorldJson): Html {
  return html`<datalist id="names">${wallets.map(({ name, address }) => html`<option value="${address}">${name}</option>`)}${mints.map(
    ({ name, address, decimals }) => html`<option value="${address}" data-decimals="${decimals}">${name}</option>`,
  )}</datalist>`;
}

function bytesFields(hasHeight: boolean): Html {
  const bytes = plainField(
    'transaction',
    'Transaction',
    'bytes',
    'Unsigned or signed: base64, base58, or an array of integers.',
  );
  const height = 'Returned with the transaction. Without it we cannot tell whether it expired.';
  return html`<div class="fields">${bytes}${hasHeight ? plainField('last_valid_block_height', 'Last block height', 'text', height) : undefined}</div>`;
}
