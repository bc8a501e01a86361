import type { WebhookEndpoint, WebhookEvent } from 'splwright-client';
import { copyable, make, makeButton, makeTerms } from './dom.ts';
import { makeRecords, type RecordRow, timeText } from './records.ts';
import { asJson, askOrShowRefusal, showReply } from './reply-view.ts';
import { ask, hasApiKey, onOtherApiKey, pauseAfter } from './service.ts';

const endpointsPath = '/v1/webhook-endpoints';
const eventsPath = '/v1/events';
const pollMs = 2_000;

/** An endpoint; with its secret when that was just made. */
type Endpoint = WebhookEndpoint & { secret?: string };

interface Reply<Data> {
  data: Data;
}

/** Reads both lists again. */
let refresh = (): void => {};

/** Lists the endpoints of the API key and its newest events below the form. */
export function showWebhooks(): void {
  const button = makeButton('Refresh', 'quiet', () => refresh());
  const endpoints = makeRecords({ id: 'endpoints-title', title: 'Endpoints', empty: '', button: make('span', {}) });
  const events = makeRecords({ id: 'events-title', title: 'Events', empty: '', button });
  refresh = () => {
    fill(endpoints, endpointsPath, 'No endpoints yet.', endpointRow);
    fill(events, eventsPath, 'No events yet. They are recorded once you have an endpoint.', eventRow);
  };
  refresh();
  onOtherApiKey(refresh);
}

async function fill<Item>(
  list: ReturnType<typeof makeRecords>,
  path: string,
  none: string,
  rowOf: (item: Item) => RecordRow,
): Promise<void> {
  const reply = hasApiKey() ? await ask<Reply<readonly Item[]>>('GET', path) : undefined;
  const noKey = 'Enter your API key at the top of this page.';
  list.none.textContent = !reply ? noKey : reply.ok ? none : (reply.body.detail ?? '');
  list.show(reply?.ok ? reply.body.data.map(rowOf) : []);
}

function endpointRow(endpoint: WebhookEndpoint): RecordRow {
  const { id, url, description, created_at: at } = endpoint;
  const { word: state, tone } = endpointState(endpoint);
  return { id, title: url, state, tone, detail: description ?? '', at, onClick: () => showEndpoint(endpoint) };
}

function endpointState({ disabled_at: disabledAt, disabled_reason: reason, failing_since: since }: WebhookEndpoint) {
  if (disabledAt !== null)
    return { word: 'disabled', tone: 'bad', text: `Disabled. ${reason} A test event enables it again.` } as const;
  if (since === null) return { word: 'enabled', tone: 'good', text: 'Enabled. Events are sent to it.' } as const;
  return { word: 'failing', tone: 'still', text: `Every attempt since ${timeText(since)} has failed.` } as const;
}

/** Makes an endpoint, and shows it with its secret. */
export async function makeEndpoint(path: string, body: unknown): Promise<void> {
  const reply = await askOrShowRefusal<Reply<Endpoint>>('POST', path, body);
  if (reply) showEndpoint(reply.body.data);
}

function showEndpoint(endpoint: Endpoint): void {
  refresh();
  const { id, url, events, description, created_at: at, secret } = endpoint;
  const path = `${endpointsPath}/${id}`;
  const text = secret === undefined ? endpointState(endpoint).text : 'Save the secret now. It is not shown again.';
  showReply(() => [
    make('p', { class: 'sentence' }, text),
    make(
      'p',
      { class: 'actions' },
      actionButton<WebhookEvent>('Send a test event', 'POST', `${path}/test`, showEvent),
      actionButton<Endpoint>('Rotate the secret', 'POST', `${path}/rotate-secret`, showEndpoint),
      actionButton<Endpoint>('Delete', 'DELETE', path, showDeleted),
    ),
    makeTerms([
      secret === undefined ? undefined : ['Secret', copyable('the secret', secret)],
      ['URL', make('bdi', {}, url)],
      ['Events', events?.join(', ') ?? 'All'],
      description === null ? undefined : ['Description', make('bdi', {}, description)],
      ['Created', timeText(at)],
      ['ID', copyable('the ID', id)],
    ]),
    asJson(endpoint),
  ]);
}

function showDeleted({ url }: WebhookEndpoint): void {
  refresh();
  showReply(() => [make('p', { class: 'sentence' }, 'No more events are sent to ', make('bdi', {}, url), '.')]);
}

/** A button that makes a request, and shows what comes of it. */
function actionButton<Data>(text: string, method: 'POST' | 'DELETE', path: string, show: (data: Data) => void) {
  return makeButton(text, 'tab', async () => {
    const reply = await askOrShowRefusal<Reply<Data>>(method, path);
    if (reply) show(reply.body.data);
  });
}

function eventRow(event: WebhookEvent): RecordRow {
  const { id, type, object_id: detail, created_at: at } = event;
  const { word: state, tone } = eventState(event);
  return { id, title: type, state, tone, detail, at, onClick: () => showEvent(event) };
}

function eventState({ deliveries }: WebhookEvent) {
  const has = (state: string): boolean => deliveries.some((delivery) => delivery.state === state);
  if (has('failed')) return { word: 'failed', tone: 'bad', text: 'Gave up after three days.' } as const;
  if (has('waiting')) return { word: 'waiting', tone: 'still', text: 'Not delivered yet.' } as const;
  if (has('delivered')) return { word: 'delivered', tone: 'good', text: 'Delivered.' } as const;
  return { word: 'not sent', tone: 'still', text: 'No endpoint receives it.' } as const;
}

/** Shows an event with the attempts to deliver it, as they go on. */
function showEvent(event: WebhookEvent): void {
  const state = make('p', { class: 'sentence', role: 'status' });
  const [deliveries, json] = [make('div', {}), make('div', {})];
  const show = (now: WebhookEvent) => {
    state.textContent = `${now.type}: ${eventState(now).text}`;
    deliveries.replaceChildren(...now.deliveries.map(describeDelivery));
    json.replaceChildren(asJson(now));
  };
  const again = actionButton<WebhookEvent>('Send again', 'POST', `${eventsPath}/${event.id}/redeliver`, showEvent);
  showReply((signal) => {
    show(event);
    follow(event, signal, show);
    return [state, make('p', { class: 'actions' }, again), deliveries, json];
  });
}

function describeDelivery({ endpoint_id: id, attempts, next_attempt_at: next }: WebhookEvent['deliveries'][number]) {
  const lines = attempts.map(({ at, status, error, milliseconds }) =>
    make('li', {}, `${timeText(at)}: ${status === null ? error : `status ${status}`}, ${milliseconds} ms`),
  );
  return makeTerms([
    ['Endpoint', copyable('the ID', id)],
    ['Attempts', lines.length === 0 ? 'None yet.' : make('ol', { class: 'parts' }, ...lines)],
    next === null ? undefined : ['Next attempt', timeText(next)],
  ]);
}

async function follow(shown: WebhookEvent, signal: AbortSignal, show: (event: WebhookEvent) => void): Promise<void> {
  const { id, object_id: object } = shown;
  for (let last = JSON.stringify(shown); ; ) {
    const reply = await ask<Reply<readonly WebhookEvent[]>>('GET', `${eventsPath}?object=${object}&limit=100`);
    if (signal.aborted) return;
    const event = reply.ok ? reply.body.data.find((each) => each.id === id) : undefined;
    if (event && JSON.stringify(event) !== last) {
      last = JSON.stringify(event);
      show(event);
      refresh();
    }
    if (event?.deliveries.every(({ state }) => state !== 'waiting')) return;
    await new Promise((resolve) => setTimeout(resolve, pauseAfter(reply, pollMs)));
  }
}
