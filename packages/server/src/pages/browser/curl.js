import { copyButton } from './copy-button.js';
import { readBody } from './form-body.js';
import { make } from './make.js';
import { jsonText } from './reply-view.js';

/**
 * Offers the request of a form, as it is filled in, as a command.
 * @param {HTMLFormElement} form
 */
export function offerCurl(form) {
  const pre = make('pre', { tabindex: '0', role: 'region', 'aria-label': 'The request in curl' });
  const copy = copyButton('the command', () => pre.textContent ?? '');
  const note = make('p', { class: 'hint' }, 'The API key is read from the environment variable SPLWRIGHT_API_KEY.');
  const title = make('summary', {}, 'The same in curl');
  const details = make('details', { class: 'options' }, title, make('div', { class: 'snippet' }, pre, copy, note));
  form.after(details);
  const show = async () => {
    if (details.open) pre.textContent = curlCommand(form.dataset.path ?? '', (await readBody(form)).body);
  };
  details.addEventListener('toggle', show);
  form.addEventListener('input', show);
  form.addEventListener('change', show);
}

/**
 * @param {string} path
 * @param {Record<string, unknown>} body
 */
function curlCommand(path, body) {
  return [
    `curl --silent --show-error --fail-with-body '${location.origin}${path}'`,
    '  --header "Authorization: Bearer $SPLWRIGHT_API_KEY"',
    "  --header 'Content-Type: application/json'",
    // Not an argument: a batch would be too long for one. No line of JSON is the word that ends it.
    `  --data @- <<'JSON'\n${jsonText(body)}\nJSON\n`,
  ].join(' \\\n');
}
