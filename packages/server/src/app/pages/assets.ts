import { existsSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import type { RouteHandlerMethod } from 'fastify';
import { AppError } from '../../problems.ts';
import { documentHandler, type StaticDocument } from '../document-handler.ts';

const root = '/pay-assets/';
const browserFolder = 'server/pages/browser/';

/** The folders of which pages load files. Their files import one another in a page as they do here. */
const folders: Readonly<Record<string, URL>> = {
  server: new URL('../../', import.meta.url),
  core: new URL('.', import.meta.resolve('splwright-core')),
  client: new URL('.', import.meta.resolve('splwright-client')),
  papaparse: new URL('.', import.meta.resolve('papaparse/papaparse.min.js')),
};

/** The files that are served, by their paths from those folders. */
const served: readonly RegExp[] = [
  /^server\/pages\/browser\/[\w-]+\.(?:[jt]s|css|svg)$/,
  /^server\/(?:app\/visible-text|links\/page\/chosen-amount|outcomes\/[\w-]+)\.[jt]s$/,
  /^(?:core|client)\/(?:[\w-]+\/)*[\w-]+\.[jt]s$/,
  /^papaparse\/papaparse\.min\.js$/,
];

const mediaTypes: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** The path of a file of `pages/browser/`, such as `pay.ts`. */
export function assetPath(name: string): string {
  return `${root}${browserFolder}${name}`;
}

/** The path of Papa Parse, which reads tables. */
export const tableReaderPath = `${root}papaparse/papaparse.min.js`;

const handlers = new Map<string, RouteHandlerMethod>();

/** Answers `/pay-assets/*`. */
export const sendAsset: RouteHandlerMethod = function (request, reply) {
  const path = String(Object(request.params)['*']);
  let handler = handlers.get(path);
  if (!handler) {
    const file = fileAt(path);
    if (!file) throw new AppError('route_not_found', 'There is no file of this name.');
    handler = documentHandler(async () => readAsset(file));
    handlers.set(path, handler);
  }
  return handler.call(this, request, reply);
};

/** The file that is served at a path below `/pay-assets/`. */
export function fileAt(path: string): URL | undefined {
  if (!served.some((pattern) => pattern.test(path))) return undefined;
  // The core's own is compiled code, which the policy of the pages does not allow.
  const place = path.replace(/^core\/addresses\/address\.[jt]s$/, `${browserFolder}core-address.ts`);
  const [folder = ''] = place.split('/', 1);
  const file = new URL(place.slice(folder.length + 1), folders[folder]);
  // In the packages that are published all is built.
  return [file, new URL(file.href.replace(/\.ts$/, '.js'))].find((each) => existsSync(each));
}

/** Reads a file for browsers, which know no types, and of packages only where they are. */
export function readAsset(file: URL): StaticDocument {
  const ending = file.pathname.slice(file.pathname.lastIndexOf('.') + 1);
  const source = readFileSync(file, 'utf8');
  const script = ending === 'ts' ? stripTypes(source) : source;
  return {
    text: script.replaceAll(
      /\b(from |import\()(['"])(splwright-[\w/-]+)\2/g,
      (_, before: string, quote: string, name: string) => {
        return `${before}${quote}${pathOf(new URL(import.meta.resolve(name)))}${quote}`;
      },
    ),
    headers: {
      'content-type': mediaTypes[ending === 'ts' ? 'js' : ending] ?? '',
      // An image that is opened by itself is a document: one that may load nothing and run nothing.
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    },
  };
}

function pathOf(file: URL): string {
  const [folder, { href }] = Object.entries(folders).find(([, each]) => file.href.startsWith(each.href)) ?? ['', file];
  return `${root}${folder}/${file.href.slice(href.length)}`;
}

function stripTypes(source: string): string {
  // The function is a release candidate, and says so in the log.
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}
