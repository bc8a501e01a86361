import { readBody } from './form-body.js';
import { followPicks } from './names.js';
import { clearRefusal, showFaults, showRefusal } from './refusals.js';
import { clearReply, showTransfer } from './reply-view.js';
import { ask, keepApiKey } from './service.js';

const form = /** @type {HTMLFormElement} */ (document.getElementById('form'));
const button = /** @type {HTMLButtonElement} */ (form.querySelector('[type=submit]'));

/** Sends the form as it is filled in, and shows the answer or every reason why there is none. */
async function submit() {
  const { body, faults } = readBody(form);
  if (faults.length > 0) {
    clearReply();
    return showFaults('The table cannot be read', faults);
  }
  clearRefusal();
  button.setAttribute('aria-disabled', 'true');
  const reply = await ask('POST', form.dataset.path ?? '', body);
  button.removeAttribute('aria-disabled');
  if (reply.ok) return showTransfer(reply, body);
  clearReply();
  showRefusal(reply);
}

keepApiKey();
followPicks();
form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (!button.hasAttribute('aria-disabled')) submit();
});
