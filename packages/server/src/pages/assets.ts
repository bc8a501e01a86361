import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A file that pages load. */
export interface Asset {
  /** With a hash of what it holds: it is another file as soon as it holds something else. */
  name: string;
  mediaType: string;
  bytes: Buffer;
}

const style = { file: 'pay.css', mediaType: 'text/css; charset=utf-8' };
const icon = { file: 'icon.svg', mediaType: 'image/svg+xml' };
// Each after those that it imports.
const scripts = ['page', 'amount', 'amount-field', 'base58', 'polling', 'sent-payment', 'wallets', 'pay'];

/** The files of the checkout page, read once. `script` is the module that imports the others. */
export const assets = readAssets();

/** The path under which an asset is served. */
export function assetPath({ name }: Asset): string {
  return `/pay-assets/${name}`;
}

/** The asset with a name, hash included. */
export function findAsset(name: string): Asset | undefined {
  return byName.get(name);
}

function readAssets(): { style: Asset; icon: Asset; script: Asset; all: readonly Asset[] } {
  const names = new Map<string, string>();
  const read = ({ file, mediaType }: { file: string; mediaType: string }): Asset => {
    const source = readFileSync(new URL(`./browser/${file}`, import.meta.url), 'utf8');
    const text = withoutComments(source).replaceAll(/(?<=from ['"]\.\/)[^'"]+/g, (imported) => {
      const name = names.get(imported);
      if (name === undefined) throw new Error(`${file} imports ${imported}, which is not read before it`);
      return name;
    });
    const hash = createHash('sha256').update(text).digest('base64url').slice(0, 12);
    const name = file.replace('.', `.${hash}.`);
    names.set(file, name);
    return { name, mediaType, bytes: Buffer.from(text) };
  };
  const modules = scripts.map((name) => read({ file: `${name}.js`, mediaType: 'text/javascript; charset=utf-8' }));
  const script = modules.at(-1);
  if (script === undefined) throw new Error('the page has no script');
  const files = { style: read(style), icon: read(icon), script };
  return { ...files, all: [files.style, files.icon, ...modules] };
}

// A third of what people would load is for those who read the source.
function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '').replaceAll(/^\s+/gm, '');
}

const byName = new Map(assets.all.map((asset) => [asset.name, asset]));
