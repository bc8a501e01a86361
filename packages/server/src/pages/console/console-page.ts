import type { SandboxWorldJson } from '../../wire/sandbox-world.ts';
import { assetPath, assets } from '../assets.ts';
import { type Html, html } from '../html.ts';
import { pagePolicy, pageShell } from '../page-shell.ts';
import { networkNotes, type PayChain } from '../pay-page.ts';
import { fieldOf, plainField, prose } from './console-fields.ts';
import { type ConsoleForm, consoleForms, formFields } from './console-forms.ts';

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
    head: html`<script type="module" src="${assetPath(assets.consoleScript)}"></script>
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
${form.path === '' ? undefined : html`<p class="path"><code>POST ${form.path}</code> <a href="/docs#${form.operationId}">Reference</a></p>`}
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
  if (operation === undefined) return bytesFields(id === 'outcome');
  const { main, options } = formFields(operation);
  return html`<div class="fields">${main.map((name) => fieldOf(name, operation, world))}</div>
<details class="options"><summary>Options <span class="count">${options.length}</span></summary>
<div class="fields">${options.map((name) => fieldOf(name, operation, world))}</div></details>`;
}

function bytesFields(hasHeight: boolean): Html {
  const bytes = prose('As it was built or as it was signed: base64, base58, or an array of integers.');
  const height = prose('As it came with the transaction: without it we cannot tell whether it expired.');
  return html`<div class="fields">${plainField('transaction', 'bytes', bytes)}${hasHeight ? plainField('last_valid_block_height', 'text', height) : undefined}</div>`;
}
