import { followBalance } from './balances.ts';
import { find } from './dom.ts';
import { followItems, followTables, readBody } from './form.ts';
import { followPicks } from './names.ts';
import { clearFaultOf, clearRefusal, showFaults } from './refusals.ts';
import { buildTransfer, clearReply } from './reply-view.ts';
import { keepApiKey } from './service.ts';

const kind = document.querySelector('main')?.dataset.form;
const form = find<HTMLFormElement>('form');
if (form) follow(form);

function follow(form: HTMLFormElement): void {
  const { path = '' } = form.dataset;
  const button = form.querySelector('[type=submit]');
  keepApiKey();
  followPicks();
  followTables();
  followItems();
  followBalance();
  form.addEventListener('input', ({ target }) => clearFaultOf(target));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (button?.hasAttribute('aria-disabled')) return;
    button?.setAttribute('aria-disabled', 'true');
    try {
      await submit(form, path);
    } catch (error) {
      // Such as a module that did not arrive.
      showFaults('That does not work in this browser', [{ pointer: '', detail: String(error) }]);
    }
    button?.removeAttribute('aria-disabled');
  });
  showBeside(form, path);
}

/** Sends the form as it is filled in, and shows the reply or every reason for its refusal. */
async function submit(form: HTMLFormElement, path: string): Promise<void> {
  const { body, faults } = await readBody(form);
  if (faults.length > 0) {
    clearReply();
    return showFaults('Not sent', faults);
  }
  clearRefusal();
  if (kind === 'inspect') return (await import('./inspect-view.ts')).inspect(body.transaction);
  if (kind === 'usage') return (await import('./usage-view.ts')).showUsage(path);
  if (kind === 'batch') return (await import('./batch-view.ts')).submitBatch(body);
  if (kind === 'outcome') return (await import('./outcome-view.ts')).findOutcome(path, body);
  if (kind === 'payment_link') return (await import('./links.ts')).makeLink(path, body);
  if (kind === 'webhook') return (await import('./webhooks.ts')).makeEndpoint(path, body);
  await buildTransfer(path, body);
}

/** Shows what stands beside a form before it is sent: its request in other languages, what was paid or made before, or the usage of the key. */
async function showBeside(form: HTMLFormElement, path: string): Promise<void> {
  // First: it takes the place of what is shown.
  if (kind === 'batch') (await import('./batch-view.ts')).offerResume();
  if (path && kind !== 'usage') (await import('./samples.ts')).offerSamples(form, path);
  if (kind === 'payment_link') (await import('./links.ts')).showLinks();
  else if (kind === 'webhook') (await import('./webhooks.ts')).showWebhooks();
  else if (kind === 'usage') (await import('./usage-view.ts')).followKey(path);
  else if (kind !== 'inspect') (await import('./recent-view.ts')).showRecent();
}
