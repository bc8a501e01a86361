import { readTableOf } from './table-field.js';

/** @import { Fault } from './refusals.js' */
/** @typedef {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} Control */

/**
 * The controls of a form that are fields of its request.
 * @param {HTMLFormElement} form
 */
export function controlsOf(form) {
  return /** @type {Control[]} */ ([...form.querySelectorAll('[data-kind]')]);
}

/**
 * The body of the request that a form stands for, and what keeps it from being one. A field that is empty, or as without it, is absent.
 * @param {HTMLFormElement} form
 * @returns {Promise<{ body: Record<string, unknown>, faults: Fault[] }>}
 */
export async function readBody(form) {
  /** @type {Record<string, unknown>} */
  const body = {};
  /** @type {Fault[]} */
  const faults = [];
  for (const control of controlsOf(form)) {
    const { name, value, dataset } = control;
    if (dataset.kind === 'flag') {
      const checked = 'checked' in control && control.checked;
      if (String(checked) !== dataset.default) body[name] = checked;
      continue;
    }
    if (value.trim() === '') continue;
    switch (dataset.kind) {
      case 'choice':
        body[name] = JSON.parse(value);
        break;
      case 'integer':
        body[name] = /^-?[0-9]{1,15}$/.test(value.trim()) ? Number(value) : value;
        break;
      case 'list':
        body[name] = value.trim().split(/[\s,;]+/);
        break;
      case 'objects': {
        const read = await readTableOf(/** @type {HTMLTextAreaElement} */ (control));
        body[name] = read.payments;
        faults.push(...read.faults.map((fault) => ({ pointer: `/${name}`, ...fault })));
        break;
      }
      case 'bytes':
        body[name] = value.trim().startsWith('[') ? numbersOf(value) : value.trim();
        break;
      default:
        // A memo may begin with a space; an address that was pasted must not.
        body[name] = name === 'memo' || name === 'yid' ? value : value.trim();
    }
  }
  return { body, faults };
}

/**
 * An array of integers as it stands in a reply; any other text as it is, for the service to refuse.
 * @param {string} text
 */
function numbersOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
