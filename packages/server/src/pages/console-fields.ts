import type { Operation } from '../operation.ts';
import type { FieldRow } from '../wire/field-row.ts';
import { exampleBody, type FieldName, rowOf } from '../wire/fields.ts';
import type { SandboxWorldJson } from '../wire/schemas/public-schema.ts';
import { type Html, html, markup } from './html.ts';

/** A field as its row of the table describes it, with what it is filled in with. */
interface FieldView {
  name: string;
  row: FieldRow;
  value: string | boolean | undefined;
  /** What can be chosen in place of typing: names and addresses of the sandbox's world. */
  choices: readonly { name: string; address: string }[];
}

/** The text of a table in HTML: what stands between backticks is code. */
export function prose(text: string): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))}`;
}

/** A field of an operation, on the sandbox filled in with its world. */
export function fieldOf(name: FieldName, operation: Operation, world: SandboxWorldJson | undefined): Html {
  const row = rowOf(name);
  const filled = world && sandboxValue(name, operation, world);
  const value = row.kind === 'flag' ? row.default || name === 'summary' : filled;
  return fieldHtml({ name, row, value, choices: world ? choicesOf(name, world) : [] });
}

/** A field of a request that the table does not have: that of an outcome, or of bytes to look at. */
export function plainField(name: string, kind: 'bytes' | 'text', hint: Html): Html {
  const control =
    kind === 'bytes'
      ? html`<textarea rows="6" ${attributes(name, kind)}></textarea>`
      : html`<input ${attributes(name, kind)}>`;
  return html`<div class="field wide" data-field="${name}"><label for="${name}">${labelText(name)}</label>
<div class="control">${control}</div><p class="fault" id="${name}-fault"></p><p class="hint" id="${name}-hint">${hint}</p></div>
`;
}

function fieldHtml(field: FieldView): Html {
  const { name, row } = field;
  const hint = html`<p class="hint" id="${name}-hint">${prose(row.description)}</p>`;
  const fault = html`<p class="fault" id="${name}-fault"></p>`;
  if (row.kind === 'flag') {
    const checked = field.value === true ? html` checked` : undefined;
    return html`<div class="field" data-field="${name}"><label class="flag"><input type="checkbox" ${attributes(name, row.kind)}${checked} data-default="${String(row.default)}"> ${labelText(name)}</label>${fault}${hint}</div>
`;
  }
  const control = controlOf(field);
  return html`<div class="field${row.kind === 'objects' ? ' wide' : undefined}" data-field="${name}"><label for="${name}">${labelText(name)}</label>
<div class="control">${control}${choicesHtml(field)}</div>${fault}${hint}</div>
`;
}

function controlOf(field: FieldView): Html {
  const { name, row } = field;
  const value = typeof field.value === 'string' ? field.value : '';
  switch (row.kind) {
    case 'choice': {
      const options = row.choices.map((choice) => html`<option value="${JSON.stringify(choice)}">${choice}</option>`);
      return html`<select ${attributes(name, row.kind)}><option value="">default: ${row.default}</option>${options}</select>`;
    }
    case 'integer':
      return html`<input inputmode="numeric" value="${value}" ${attributes(name, row.kind)}>`;
    case 'list':
      return html`<textarea rows="2" ${attributes(name, row.kind)}>${value}</textarea>`;
    case 'objects': {
      const columns = [...row.members, ...row.optionalMembers].join(',');
      const lines = value.split('\n').map((line, index) => html`${index === 0 ? undefined : markup('\n')}${line}`);
      return html`<textarea rows="${row.minItems > 0 ? 8 : 3}" wrap="off" data-columns="${columns}" ${attributes(name, row.kind)}>
${lines}</textarea>`;
    }
    default:
      return html`<input value="${value}" ${attributes(name, row.kind)}>`;
  }
}

function attributes(name: string, kind: string): Html {
  return html`id="${name}" name="${name}" data-kind="${kind}" autocomplete="off" autocapitalize="off" spellcheck="false" aria-describedby="${name}-fault ${name}-hint"`;
}

function choicesHtml({ name, choices }: FieldView): Html | undefined {
  if (choices.length === 0) return undefined;
  return html`<select class="pick" data-for="${name}" aria-label="Choose from the sandbox: ${words(name)}"><option value="">other</option>${choices.map((choice) => html`<option value="${choice.address}">${choice.name}</option>`)}</select>`;
}

function labelText(name: string): Html {
  return html`<span>${words(name)}</span> <code>${name}</code>`;
}

/** `from_address` as words: `From address`. */
function words(name: string): string {
  const text = name.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function choicesOf(name: FieldName, world: SandboxWorldJson): FieldView['choices'] {
  switch (name) {
    case 'from_address':
    case 'to_address':
    case 'fee_payer':
      return world.wallets;
    case 'token_mint_address':
      return world.mints;
    case 'nonce_account':
      return world.nonce_accounts.map(({ address, authority }) => {
        const owner = world.wallets.find((wallet) => wallet.address === authority);
        return { name: `of ${owner?.name ?? authority}`, address };
      });
    default:
      return [];
  }
}

/** What a field is filled in with on the sandbox: its request lands as it is. */
function sandboxValue(name: FieldName, operation: Operation, world: SandboxWorldJson): string | undefined {
  if (name === 'transfers') return sampleRecipients(world);
  if (operation === 'transfer') {
    if (name === 'amount') return undefined;
    if (name === 'amount_decimal' || name === 'memo') return String(rowOf(name).example);
  }
  const example = exampleBody(operation)[name];
  return typeof example === 'string' ? example : undefined;
}

function sampleRecipients({ wallets }: SandboxWorldJson): string {
  const [, ...recipients] = wallets;
  const rows = recipients.map(({ address, name }, index) => `${address},${index + 1}.5,salary of ${name}`);
  return ['to_address,amount_decimal,memo', ...rows].join('\n');
}
