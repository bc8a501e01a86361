import { existsSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';

const core = 'splwright-core';

// Modules of the core that are others in a page, by the end of their path.
const substitutes: readonly { path: RegExp; file: URL }[] = [
  { path: /\/addresses\/address\.[jt]s$/, file: new URL('../../pages/browser/core-address.js', import.meta.url) },
];

// What pages load of other packages. Other specifiers may stand in texts that a page shows, and stay.
const libraries = ['papaparse/papaparse.min.js', 'splwright-client/payments-file', 'splwright-client/verify'];

/**
 * Reads a module for a browser: without comments and imports of types, with the files of the core that have what it imports in the
 * place of the core as a whole, and with the files of other packages. `nameOf` gives the name of each file that it imports.
 *
 * TypeScript is still TypeScript.
 */
export function readModule(file: URL, nameOf: (imported: URL) => string): string {
  const source = readFileSync(file, 'utf8');
  if (file.pathname.endsWith('.min.js')) return asModule(source);
  return withoutComments(source)
    .replaceAll(/^import type [^;]*;$/gm, '')
    .replaceAll(new RegExp(`^import \\{([^}]*)\\} from ['"]${core}['"];$`, 'gm'), (_, names: string) =>
      importsOf(names),
    )
    .replaceAll(/^(import [^'"]* from )['"]([^'"]+)['"];$/gm, (statement, before: string, name: string) =>
      libraries.includes(name) ? `${before}'${import.meta.resolve(name)}';` : statement,
    )
    .replaceAll(
      /(from |import\(|new URL\()['"]((?:\.|file:)[^'"]+)['"]/g,
      (_, before: string, specifier: string) => `${before}'./${nameOf(find(specifier, file))}'`,
    );
}

/** Takes the types from TypeScript. What is left of them is white space at the ends of lines. */
export function stripTypes(source: string): string {
  // The function is a release candidate, and says so in the log.
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return stripTypeScriptTypes(source)
      .replaceAll(/ +$/gm, '')
      .replaceAll(/\n{2,}/g, '\n');
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** A CommonJS library as a module, which a page can import. It is left as it is published, with its license. */
function asModule(source: string): string {
  return `const module = { exports: {} };\nconst { exports } = module;\n${source}\nexport default module.exports;\n`;
}

// A third of the bytes are comments.
function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '').replaceAll(/^\s+/gm, '');
}

function find(specifier: string, importer: URL): URL {
  const named = new URL(specifier, importer);
  // Pages are published as they are, what they import is built.
  const found = existsSync(named) ? named : new URL(named.href.replace(/\.ts$/, '.js'));
  return substitutes.find(({ path }) => path.test(found.pathname))?.file ?? found;
}

/** Imports of the core's members from the files that have them, so that a page loads only these. */
function importsOf(names: string): string {
  return names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => `import { ${name} } from ${JSON.stringify(fileOfMember(name))};`)
    .join('\n');
}

let members: ReadonlyMap<string, string> | undefined;

function fileOfMember(name: string): string {
  members ??= readMembers(new URL(import.meta.resolve(core)));
  const file = members.get(name);
  if (file === undefined) throw new Error(`${core} has no ${name}`);
  return file;
}

/** The files of the members of a package that only exports what its files have, by their names. */
function readMembers(index: URL): ReadonlyMap<string, string> {
  const exports = readFileSync(index, 'utf8').matchAll(/^export \{([^}]*)\} from ['"]([^'"]+)['"];$/gm);
  return new Map(
    [...exports].flatMap(([, names = '', path = '']) =>
      names.split(',').map((name): [string, string] => [name.trim(), new URL(path, index).href]),
    ),
  );
}
