import { type Html, html, linesOf, markup, withCode } from '../app/pages/html.ts';
import type { SandboxWorldJson } from '../app/public-schema.ts';
import type { Operation } from '../operation.ts';
import { type FieldName, fieldTexts, isFieldName, wordLabels } from './console-labels.ts';

type World = SandboxWorldJson | undefined;

/** A value to choose in place of typing. */
interface Choice {
  name: string;
  value: string;
  /** Of a mint. */
  decimals?: number;
}

/** The keywords of the schema of a field from which its input is made. */
export interface FieldSchema {
  type?: string;
  enum?: readonly (string | number)[];
  items?: { properties?: Readonly<Record<string, object>>; enum?: readonly string[] };
  default?: unknown;
  examples?: readonly unknown[];
}

/** A field of an operation; `isFilledIn`: on the sandbox, with a value of its world. */
export function fieldOf(
  name: FieldName,
  schema: FieldSchema,
  { operation, world, isFilledIn }: { operation: Operation; world: World; isFilledIn: boolean },
): Html {
  const value = (world && isFilledIn && sandboxValue(name, schema, world)) || '';
  const usual = schema.default;
  if (schema.enum) return fieldBox(name, selectOf(name, schema.enum, usual));
  switch (schema.type) {
    case 'boolean':
      return flagField(name, usual === true || name === 'summary', usual === true);
    case 'integer':
      return fieldBox(name, inputOf(name, 'integer', value, html` inputmode="numeric" placeholder="${String(usual)}"`));
    case 'array':
      return listField(name, schema, value, world);
    case 'object':
      return fieldBox(name, inputOf(name, 'json', '', html` placeholder="${JSON.stringify(schema.examples?.[0])}"`));
    default:
      if (isAmount(name)) return amountField(name, operation, value, world);
      return fieldBox(name, pickable(name, inputOf(name, 'text', String(usual ?? value), defaultOf(usual)), world));
  }
}

function listField(name: FieldName, { items }: FieldSchema, value: string, world: World): Html {
  const { properties, enum: words } = items ?? {};
  if (words) return listBox(name, words.map(wordItem));
  if (properties === undefined) return itemsField(name, [itemInput('', 'to_address', world)]);
  if (name === 'transfers') return tableField(name, Object.keys(properties), value);
  const names = Object.keys(properties).filter(isFieldName);
  // Of two amounts, the one in whole tokens.
  const members = names.filter((member) => member !== 'amount' || !names.includes('amount_decimal'));
  return itemsField(
    name,
    members.map((member) => itemInput(member, member, world)),
  );
}

/** A field of a request that the table does not have: that of an outcome, or of bytes to look at. */
export function plainField(name: string, label: string, kind: 'bytes' | 'text', hint: string): Html {
  const control =
    kind === 'bytes'
      ? html`<textarea rows="6" ${attributes(name, kind)}></textarea>`
      : html`<input ${attributes(name, kind)}>`;
  return box(name, label, control, hint, html` wide`);
}

// In base units on the wire. On the sandbox, whose mints are known, the page writes them in whole tokens.
const inBaseUnits = 'With 6 decimals, 1500000 is 1.5 tokens.';

function isAmount(name: string): boolean {
  return name.startsWith('amount');
}

/** The attribute of an amount that is typed in whole tokens and sent in base units. */
function unitsOf(name: string, world: World): Html | undefined {
  return world && !name.endsWith('_decimal') ? html` data-units` : undefined;
}

function amountField(name: FieldName, operation: Operation, value: string, world: World): Html {
  const { label: what, hint: own } = fieldTexts[name];
  const input = html`<input inputmode="decimal" value="${value}" ${attributes(name, 'text')}${unitsOf(name, world)}>`;
  const isWhole = world || name.endsWith('_decimal');
  const label = `${what}, in ${isWhole ? 'whole tokens' : 'base units'}`;
  const hint = [isWhole ? undefined : inBaseUnits, own].filter(Boolean).join(' ');
  // The balance is read from the sandbox's ledger, which browsers reach. A link has no sender before it is paid.
  if (!world || operation === 'payment_link' || name === 'amount_received_decimal')
    return box(name, label, input, hint);
  const max = html`<button type="button" class="tab" id="max" hidden>Max</button>`;
  return box(name, label, html`${input}${max}`, hint, undefined, html`<span id="balance" role="status"></span> `);
}

function fieldBox(name: FieldName, control: Html): Html {
  const { label, hint } = fieldTexts[name];
  return box(name, label, control, hint);
}

function box(name: string, label: string, control: Html, hint = '', more?: Html, live?: Html): Html {
  return html`<div class="field${more}"><label for="${name}">${labelText(name, label)}</label>
<div class="control">${control}</div>${notes(name, hint, live)}</div>
`;
}

function flagField(name: FieldName, isChecked: boolean, usual: boolean): Html {
  const { label, hint } = fieldTexts[name];
  return html`<div class="field"><label class="flag"><input type="checkbox" ${attributes(name, 'flag')}${isChecked ? html` checked` : undefined} data-default="${String(usual)}"> ${labelText(name, label)}</label>${notes(name, hint)}</div>
`;
}

/** A list to which the page adds items, each made from the template. */
function itemsField(name: FieldName, inputs: readonly Html[]): Html {
  const noun = name === 'accepts' ? 'token' : name.replace(/s$/, '');
  return listBox(
    name,
    [],
    html`<template><li class="item">${inputs}<button type="button" class="quiet remove" aria-label="Remove this ${noun}">Remove</button><div class="fault"></div></li></template>
<button type="button" class="tab add">Add a ${noun}</button>`,
  );
}

function listBox(name: FieldName, items: readonly Html[], more?: Html): Html {
  const { label, hint } = fieldTexts[name];
  return html`<div class="field wide" role="group" aria-labelledby="${name}-label" aria-describedby="${name}-hint"><p class="label" id="${name}-label">${labelText(name, label)}</p>
<ul class="items" id="${name}" data-kind="items">${items}</ul>
${more}${notes(name, hint)}</div>
`;
}

/** An item that is in the list when it is checked. */
function wordItem(word: string): Html {
  return html`<li><label class="flag"><input type="checkbox" data-member="" value="${word}"> ${word}</label></li>`;
}

/** An input of an item; `member` is the field of an object, and empty in a list of texts. */
function itemInput(member: string, name: FieldName, world: World): Html {
  const isUnits = member === 'amount';
  const label = isUnits && !world ? 'Amount in base units' : member === '' ? 'Address' : fieldTexts[name].label;
  const input = html`<input data-member="${member}" aria-label="${label}" placeholder="${isUnits && !world ? 'Base units' : label}" ${typing}${isUnits ? unitsOf(name, world) : undefined}>`;
  return html`<div class="control">${pickable(name, input, world)}</div>`;
}

function tableField(name: FieldName, columns: readonly string[], value: string): Html {
  const { label, hint } = fieldTexts[name];
  const area = html`<textarea rows="8" wrap="off" data-columns="${columns.join(',')}" ${attributes(name, 'objects')}>
${linesOf(value)}</textarea>`;
  return box(name, label, area, hint, html` wide`);
}

function selectOf(name: FieldName, choices: readonly (string | number)[], usual: unknown): Html {
  const options = choices.map((choice) => {
    // The default is absent from the request.
    const value = choice === usual ? '' : JSON.stringify(choice);
    return html`<option value="${value}">${wordLabels[choice] ?? choice}</option>`;
  });
  return html`<select ${attributes(name, 'choice')}>${options}</select>`;
}

function inputOf(name: FieldName, kind: string, value: string, more?: Html): Html {
  return html`<input value="${value}" ${attributes(name, kind)}${more}>`;
}

function defaultOf(usual: unknown): Html | undefined {
  return usual === undefined ? undefined : html` data-default="${String(usual)}"`;
}

const typing = markup('autocomplete="off" autocapitalize="off" spellcheck="false"');

function attributes(name: string, kind: string): Html {
  return html`id="${name}" name="${name}" data-kind="${kind}" ${typing} aria-describedby="${name}-fault ${name}-hint"`;
}

function notes(name: string, hint = '', live?: Html): Html {
  return html`<div class="fault" id="${name}-fault"></div><p class="hint" id="${name}-hint">${live}${withCode(hint)}</p>`;
}

function labelText(name: string, label: string): Html {
  return html`<span>${label}</span> <code>${name}</code>`;
}

/** An input after a choice of what it may hold, if there is one. */
function pickable(name: FieldName, input: Html, world: World): Html {
  const choices = choicesOf(name, world);
  if (choices.length === 0) return input;
  const isOfWords = name === 'priority_fee';
  const options = choices.map(
    (choice) =>
      html`<option value="${choice.value}"${choice.decimals === undefined ? undefined : html` data-decimals="${choice.decimals}"`}>${choice.name}</option>`,
  );
  return html`<select class="pick${isOfWords ? html` words` : undefined}" aria-label="Choose: ${fieldTexts[name].label}"><option value="">${isOfWords ? 'Custom price' : 'Choose'}</option>${options}</select>${input}`;
}

function choicesOf(field: FieldName, world: World): readonly Choice[] {
  const { wallets = [], mints = [], nonce_accounts: nonces = [] } = world ?? {};
  switch (field) {
    case 'priority_fee':
      return ['none', 'low', 'medium', 'high'].map((value) => ({ name: wordLabels[value] ?? value, value }));
    case 'from_address':
    case 'to_address':
    case 'fee_payer':
      return wallets.map(({ name, address }) => ({ name, value: address }));
    case 'token_mint_address':
      return mints.map(({ name, address, decimals }) => ({ name, value: address, decimals }));
    case 'nonce_account':
      return nonces.map(({ address, authority }) => {
        const owner = wallets.find((wallet) => wallet.address === authority);
        return { name: `of ${owner?.name ?? authority}`, value: address };
      });
    default:
      return [];
  }
}

/** The value of a field on the sandbox, where the filled-in request lands as it is. */
function sandboxValue(name: FieldName, { examples: [example] = [] }: FieldSchema, world: SandboxWorldJson): string {
  if (name === 'transfers') return sampleRecipients(world);
  // A server on this machine, as in docs/webhooks.md.
  if (name === 'url') return 'http://127.0.0.1:8080/webhooks';
  // In whole tokens, as all amounts of the page.
  return name === 'amount' || name === 'amount_decimal' ? '1.5' : String(example);
}

function sampleRecipients({ wallets }: SandboxWorldJson): string {
  const [, ...recipients] = wallets;
  const rows = recipients.map(({ address, name }, index) => `${address},${index + 1}.5,salary of ${name}`);
  return ['to_address,amount_decimal,memo', ...rows].join('\n');
}
