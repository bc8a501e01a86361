import { make, makeButton } from './make.js';

const shownMs = 2_000;

/** What was copied last, for those who hear the page. */
const spoken = make('p', { class: 'spoken', role: 'status' });

/**
 * A button that copies a text, and says that it has: on itself and aloud. It is hidden where the browser lets no page copy, such as on
 * plain HTTP from another machine.
 * @param {string} what such as `the signature`
 * @param {string | (() => string)} text
 */
export function copyButton(what, text) {
  const label = `Copy ${what}`;
  const button = makeButton(label, 'copy', async () => {
    const said = await copy(typeof text === 'string' ? text : text()).then(
      () => 'Copied',
      () => 'Not copied: the browser does not allow it.',
    );
    button.textContent = said;
    spoken.textContent = `${said}: ${what}`;
    setTimeout(() => {
      button.textContent = label;
      spoken.textContent = '';
    }, shownMs);
  });
  button.hidden = !navigator.clipboard;
  // Said only by an element that was in the page before.
  if (!spoken.isConnected) document.querySelector('main')?.append(spoken);
  return button;
}

/**
 * A text that cannot be read aloud or typed, with a button that copies it.
 * @param {string} what
 * @param {string} text
 */
export function copyable(what, text) {
  return make('span', {}, make('span', { class: 'address', translate: 'no' }, text), ' ', copyButton(what, text));
}

/** @param {string} text */
async function copy(text) {
  await navigator.clipboard.writeText(text);
}
