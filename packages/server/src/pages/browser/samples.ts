import { copyButton, make } from './dom.ts';
import { readBody } from './form.ts';
import { jsonText } from './reply-view.ts';

/** Offers the request of a form, as it is filled in: as a command, and in the programs that sign its reply and send it. */
export function offerSamples(form: HTMLFormElement, path: string): void {
  const kind = document.querySelector('main')?.dataset.form;
  const languages = kind === 'transfer' || kind === 'batch' ? ['curl', 'TypeScript', 'Python'] : ['curl'];
  form.after(...languages.map((language) => sampleIn(language, form, path)));
}

function sampleIn(language: string, form: HTMLFormElement, path: string): HTMLElement {
  const isCurl = language === 'curl';
  const pre = make('pre', { tabindex: '0', role: 'region', 'aria-label': `The request in ${language}` });
  const copy = copyButton(isCurl ? 'the command' : 'the program', () => pre.textContent ?? '');
  const hint = isCurl
    ? 'The API key is read from the environment variable SPLWRIGHT_API_KEY.'
    : 'The URLs, the API key and the path of the keypair file are read from the environment.';
  const title = make('summary', {}, `The same in ${language}`);
  const snippet = make('div', { class: 'snippet' }, pre, copy, make('p', { class: 'hint' }, hint));
  const details = make('details', { class: 'options' }, title, snippet);
  const show = async () => {
    if (!details.open) return;
    const body = jsonText((await readBody(form)).body);
    pre.textContent = isCurl ? curlCommand(path, body) : await programIn(language, path, body);
  };
  details.addEventListener('toggle', show);
  form.addEventListener('input', show);
  form.addEventListener('change', show);
  return details;
}

let apiDocument: Promise<unknown> | undefined;

/** The program that the reference shows, with another request. */
async function programIn(language: string, path: string, body: string): Promise<string> {
  apiDocument ??= fetch('/openapi.json').then((reply) => reply.json());
  const { requestBody, ...operation } = Object(await apiDocument).paths[path].post;
  const [example] = Object.values<{ value: object }>(requestBody.content['application/json'].examples);
  const samples: readonly { label: string; source: string }[] = operation['x-codeSamples'];
  const source = samples.find(({ label }) => label === language)?.source ?? '';
  return source.replace(JSON.stringify(example?.value, undefined, 2), () => body);
}

function curlCommand(path: string, body: string): string {
  return [
    `curl --silent --show-error --fail-with-body '${location.origin}${path}'`,
    '  --header "Authorization: Bearer $SPLWRIGHT_API_KEY"',
    "  --header 'Content-Type: application/json'",
    // Not an argument: a batch would be too long for one. No line of JSON is the word that ends it.
    `  --data @- <<'JSON'\n${body}\nJSON\n`,
  ].join(' \\\n');
}
