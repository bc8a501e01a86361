import asc from 'assemblyscript/asc';

/** Where the compiled code is kept, as a module of the core. */
export const target = new URL('../src/addresses/wasm-code.ts', import.meta.url);

const entry = 'wasm/assembly/index.ts';
const lineLength = 100;

/**
 * Compiles `assembly/` and returns the text of the module that holds the result: always the same for the same source.
 *
 * Throws an `Error` with the compiler's report when the source is at fault.
 */
export async function compileToSource(): Promise<string> {
  let binary: Uint8Array | undefined;
  const { error, stderr } = await asc.main(
    [
      entry,
      '--baseDir',
      new URL('..', import.meta.url).pathname,
      '--outFile',
      'code.wasm',
      '-O3',
      '--converge',
      '--noAssert',
      '--runtime',
      'stub',
      '--use',
      'abort=',
    ],
    {
      writeFile: (_name: string, contents: Uint8Array | string) => {
        if (typeof contents !== 'string') binary = contents;
      },
    },
  );
  if (error || !binary) throw new Error(stderr.toString(), { cause: error });
  const base64 = Buffer.from(binary).toString('base64');
  const lines = base64.match(new RegExp(`.{1,${lineLength}}`, 'g')) ?? [];
  return `// Made from wasm/assembly by \`npm run wasm\`: not to be edited.

/** The base64 of the WebAssembly module that derives addresses. */
export const wasmCode =
${lines.map((line) => `  '${line}'`).join(' +\n')};
`;
}
