import { followBalance } from './balance.js';
import { offerCurl } from './curl.js';
import { followTables, readBody } from './form-body.js';
import { followItems } from './items.js';
import { followPicks } from './names.js';
import { clearFaultOf, clearRefusal, showFaults, showRefusal } from './refusals.js';
import { clearReply, showTransfer } from './reply-view.js';
import { ask, keepApiKey } from './service.js';

const kind = document.querySelector('main')?.dataset.form;
const form = /** @type {HTMLFormElement} */ (document.getElementById('form'));
const button = /** @type {HTMLButtonElement} */ (form.querySelector('[type=submit]'));

/** Sends the form as it is filled in, and shows the reply or every reason for its refusal. */
async function submit() {
  const { body, faults } = await readBody(form);
  if (faults.length > 0) {
    clearReply();
    return showFaults('Not sent', faults);
  }
  clearRefusal();
  if (kind === 'inspect') {
    const fault = await (await import('./inspect-view.js')).inspect(body.transaction);
    if (fault) clearReply();
    if (fault) showFaults('No bytes', [{ pointer: '/transaction', detail: fault }]);
    return;
  }
  if (kind === 'usage') return (await import('./usage-view.js')).showUsage();
  if (kind === 'batch') return (await import('./batch-view.js')).submitBatch(body);
  const reply = await ask('POST', form.dataset.path ?? '', body);
  if (!reply.ok) {
    clearReply();
    return showRefusal(reply);
  }
  if (kind === 'outcome') return (await import('./outcome-view.js')).showOutcome(reply.body);
  if (kind === 'payment_link') return (await import('./link-view.js')).showLink(reply.body.data);
  await showTransfer(reply, body, form.dataset.path ?? '');
}

keepApiKey();
followPicks();
followTables();
followItems();
followBalance();
form.addEventListener('input', ({ target }) => clearFaultOf(target));
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  if (button.hasAttribute('aria-disabled')) return;
  button.setAttribute('aria-disabled', 'true');
  try {
    await submit();
  } catch (error) {
    // Such as a browser that keeps nothing, or a module that did not arrive.
    showFaults('That does not work in this browser', [{ pointer: '', detail: String(error) }]);
  }
  button.removeAttribute('aria-disabled');
});
if (form.dataset.path && kind !== 'usage') offerCurl(form);
if (kind === 'batch') import('./batch-view.js').then(({ offerResume }) => offerResume());
if (kind === 'payment_link') import('./link-view.js').then(({ showLinks }) => showLinks());
else if (kind === 'usage') import('./usage-view.js').then(({ followKey }) => followKey());
else if (kind !== 'inspect') import('./recent-view.js').then(({ showRecent }) => showRecent());
