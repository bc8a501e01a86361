import { html } from '../app/pages/html.ts';
import { pageShell } from '../app/pages/page-shell.ts';

const referenceScriptPath = '/docs/reference.js';

/** The policy of the page. Its script is ours to serve; it writes styles into the page, and calls nothing but this service. */
export const referencePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const hiddenLanguages =
  'c clojure csharp dart fsharp go http java js julia kotlin node objc ocaml php powershell python r ruby rust swift'.split(
    ' ',
  );

// Scalar's own have too little contrast (WCAG 2.2).
const colors = `
  .light-mode { --scalar-color-3: #6b6b6b; --scalar-color-green: #006b43; --scalar-color-blue: #005fa3; --scalar-color-red: #b3140c; --scalar-color-orange: #a63d00 }
  .dark-mode { --scalar-color-3: #8f8f8f; --scalar-color-red: #ff7b72 }`;

/**
 * The page of the API reference: it shows `/openapi.json`, by the script of Scalar.
 *
 * On the sandbox, its requests can be tried with the sandbox's API key.
 */
export function referencePage(apiKey: string | undefined): string {
  const configuration = {
    url: '/openapi.json',
    // Nothing of another origin: no fonts, no telemetry, no service of Scalar's.
    withDefaultFonts: false,
    telemetry: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    hideClientButton: true,
    showDeveloperTools: 'never',
    documentDownloadType: 'json',
    persistAuth: false,
    customCss: colors,
    // Snippets of Scalar's own end with the reply. In these languages the document has programs that sign it and send it.
    hiddenClients: [...hiddenLanguages, 'httpie', 'wget'],
    // Otherwise required fields come first, and all of them by the alphabet.
    orderRequiredPropertiesFirst: false,
    orderSchemaPropertiesBy: 'preserve',
    defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
    ...(apiKey !== undefined && {
      authentication: { preferredSecurityScheme: 'apiKey', securitySchemes: { apiKey: { token: apiKey } } },
    }),
  };
  return pageShell({
    title: 'splwright: API reference',
    style: null,
    body: html`<script id="api-reference" type="application/json" data-configuration="${JSON.stringify(configuration)}"></script>
<script src="${referenceScriptPath}"></script>`,
  });
}
