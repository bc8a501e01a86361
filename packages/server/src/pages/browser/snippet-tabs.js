import { copyButton } from './copy-button.js';
import { readBody } from './form-body.js';
import { make, makeButton } from './make.js';

/** @import { SnippetLanguage } from './snippets.js' */

/**
 * Offers the request of a form, as it is filled in, in other languages. The module that writes them is loaded when it is wanted.
 * @param {HTMLFormElement} form
 */
export function offerSnippets(form) {
  const place = make('div', { class: 'snippet' });
  const details = make(
    'details',
    { class: 'options' },
    make('summary', {}, 'The same in curl, TypeScript, Python, …'),
    place,
  );
  form.after(details);
  /** @type {(() => void) | undefined} */
  let show;
  details.addEventListener('toggle', async () => {
    if (!details.open) return;
    show ??= await showSnippets(place, form);
    show();
  });
  form.addEventListener('input', () => details.open && show?.());
  form.addEventListener('change', () => details.open && show?.());
}

/**
 * @param {HTMLElement} place
 * @param {HTMLFormElement} form
 */
async function showSnippets(place, form) {
  const { snippet, snippetLanguages } = await import('./snippets.js');
  /** @type {SnippetLanguage} */
  let chosen = 'curl';
  const pre = make('pre', { tabindex: '0', role: 'region', 'aria-label': 'Snippet' });
  const picks = snippetLanguages.map(({ id, name }) => {
    const button = makeButton(name, 'tab', () => {
      chosen = id;
      show();
    });
    return { id, button };
  });
  const copy = copyButton('the snippet', () => pre.textContent ?? '');
  const note = make('p', { class: 'hint' }, 'The API key is read from the environment variable SPLWRIGHT_API_KEY.');
  place.append(
    make('div', { class: 'tabs', role: 'group', 'aria-label': 'Language' }, ...picks.map(({ button }) => button)),
    pre,
    copy,
    note,
  );
  const show = async () => {
    for (const { id, button } of picks) button.setAttribute('aria-pressed', String(id === chosen));
    const { body } = await readBody(form);
    const request = { method: /** @type {const} */ ('POST'), path: form.dataset.path ?? '', origin: location.origin };
    pre.textContent = snippet(chosen, { ...request, body: /** @type {any} */ (body), hasKey: true });
  };
  return show;
}
