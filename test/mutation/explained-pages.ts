import { type Explanation, explain } from './explanation.ts';

const pages = 'packages/server/src/pages';
const qrCode = `${pages}/qr-code.ts`;
const assets = `${pages}/assets.ts`;

const importsItself =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a line of source
  "if (importers.includes(file.href)) throw new Error(`${path} imports itself, by ${importers.join(', ')}`);";
const nobodyDoes = 'No file of ours imports itself: it is said to whoever writes one that does.';

/** The mutants of the server's pages that no test can or need notice. */
export const explainedInPages: readonly Explanation[] = [
  ...explain(
    qrCode,
    'const end = light === -1 ? row.length : light;',
    'change constant',
    'Every row ends with the light modules of the quiet zone.',
  ),
  ...explain(
    qrCode,
    'for (let y = 0; y < modules.length; y += 2) {',
    'shift boundary',
    'A code has an odd number of rows.',
  ),
  ...explain(
    qrCode,
    'const [row = [], next = []] = modules.slice(y, y + 2);',
    'change constant',
    'Of more rows the first two are taken.',
  ),
  ...explain(
    assets,
    'if (known) return known;',
    'delete statement',
    'It saves to read a file again, which gives the same.',
  ),
  ...explain(assets, importsItself, 'delete statement', nobodyDoes),
  ...explain(assets, importsItself, 'drop call', nobodyDoes, "importers.join(', ')"),
];
