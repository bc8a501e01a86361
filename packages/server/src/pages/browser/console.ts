import { followBalance } from './balances.ts';
import { copyButton, find, make } from './dom.ts';
import { followItems, followTables, readBody } from './form.ts';
import { followPicks } from './names.ts';
import { clearFaultOf, clearRefusal, showFaults } from './refusals.ts';
import { buildTransfer, clearReply, jsonText } from './reply-view.ts';
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
      // Such as a browser that keeps nothing, or a module that did not arrive.
      showFaults('That does not work in this browser', [{ pointer: '', detail: String(error) }]);
    }
    button?.removeAttribute('aria-disabled');
  });
  if (path && kind !== 'usage') offerCurl(form, path);
  showBeside(path);
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

/** Shows what stands beside a form before it is sent: what was paid or made before, what goes on, or the usage of the key. */
async function showBeside(path: string): Promise<void> {
  if (kind === 'batch') (await import('./batch-view.ts')).offerResume();
  if (kind === 'payment_link') (await import('./links.ts')).showLinks();
  else if (kind === 'webhook') (await import('./webhooks.ts')).showWebhooks();
  else if (kind === 'usage') (await import('./usage-view.ts')).followKey(path);
  else if (kind !== 'inspect') (await import('./recent-view.ts')).showRecent();
}

/** Offers the request of a form, as it is filled in, as a command. */
function offerCurl(form: HTMLFormElement, path: string): void {
  const pre = make('pre', { tabindex: '0', role: 'region', 'aria-label': 'The request in curl' });
  const copy = copyButton('the command', () => pre.textContent ?? '');
  const note = make('p', { class: 'hint' }, 'The API key is read from the environment variable SPLWRIGHT_API_KEY.');
  const title = make('summary', {}, 'The same in curl');
  const details = make('details', { class: 'options' }, title, make('div', { class: 'snippet' }, pre, copy, note));
  form.after(details);
  const show = async () => {
    if (details.open) pre.textContent = curlCommand(path, (await readBody(form)).body);
  };
  details.addEventListener('toggle', show);
  form.addEventListener('input', show);
  form.addEventListener('change', show);
}

function curlCommand(path: string, body: Record<string, unknown>): string {
  return [
    `curl --silent --show-error --fail-with-body '${location.origin}${path}'`,
    '  --header "Authorization: Bearer $SPLWRIGHT_API_KEY"',
    "  --header 'Content-Type: application/json'",
    // Not an argument: a batch would be too long for one. No line of JSON is the word that ends it.
    `  --data @- <<'JSON'\n${jsonText(body)}\nJSON\n`,
  ].join(' \\\n');
}
