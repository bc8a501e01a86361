import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { qrSvg, qrTerminal } from '../../src/pages/qr-code.ts';
import { readQrPicture } from './qr-reader.ts';

const link = 'solana:https://pay.example.com/pay/3yZe7d9KqLmNpRsT';
const links = fc
  .tuple(fc.webUrl({ validSchemes: ['https'] }), fc.string({ minLength: 16, maxLength: 16 }))
  .map(([origin, id]) => `solana:${origin}/pay/${encodeURIComponent(id)}`);

/** Reads a code back from rows of dark modules, each drawn as so many pixels. */
function read(modules: readonly (readonly boolean[])[]): string {
  const pixels = 4;
  const [height, width] = [modules.length * pixels, (modules[0]?.length ?? 0) * pixels];
  const grays = new Uint8Array(width * height).map((_gray, at) => {
    const [x, y] = [at % width, Math.floor(at / width)];
    return modules[Math.floor(y / pixels)]?.[Math.floor(x / pixels)] ? 0 : 255;
  });
  return readQrPicture(width, height, grays);
}

/** The modules that an SVG image shows, read from its path. */
function modulesOfSvg(svg: string): boolean[][] {
  const size = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)?.[1]);
  const modules = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  for (const [, x, y, length] of svg.matchAll(/M(\d+) (\d+)\.5h(\d+)/g)) {
    modules[Number(y)]?.fill(true, Number(x), Number(x) + Number(length));
  }
  return modules;
}

/** The modules that lines of a terminal show. */
function modulesOfLines(lines: string): boolean[][] {
  const rows = lines
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => {
      const text = stripVTControlCharacters(line);
      return [[...text].map((shown) => '▀█'.includes(shown)), [...text].map((shown) => '▄█'.includes(shown))];
    });
  // An odd number of rows leaves half a line, which is light.
  return rows.slice(0, rows[0]?.length);
}

describe('a QR code', () => {
  it('holds the link, as an image and in a terminal', () => {
    fc.assert(
      fc.property(links, (text) => {
        assert.equal(read(modulesOfSvg(qrSvg(text))), text);
        assert.equal(read(modulesOfLines(qrTerminal(text))), text);
      }),
      { numRuns: 25 },
    );
  });

  it('has four light modules on each side', () => {
    for (const modules of [modulesOfSvg(qrSvg(link)), modulesOfLines(qrTerminal(link))]) {
      const dark = modules.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [[x, y]] : []))).flat();
      assert.deepEqual([Math.min(...dark), Math.max(...dark)], [4, modules.length - 5]);
    }
  });

  it('is small as an image, draws on white, and brings nothing from elsewhere', () => {
    const svg = qrSvg(link);
    assert.ok(svg.length < 4_000, `${svg.length} bytes`);
    assert.match(svg, /<path fill="#fff" d="M0 0h41v41H0z"\/>/);
    assert.match(svg, /d="(?:M\d+ \d+\.5h[1-9]\d*)+"/, 'strokes and nothing in between');
    assert.doesNotMatch(svg.replace('http://www.w3.org/2000/svg', ''), /href|http|style|script/);
  });

  it('is black on white in a terminal of any colors', () => {
    for (const line of qrTerminal(link).split('\n').slice(0, -1)) {
      assert.ok(line.startsWith('\u001b[38;5;16;48;5;231m') && line.endsWith('\u001b[0m'), JSON.stringify(line));
    }
  });

  it('fits in a terminal of 80 columns and 24 lines', () => {
    const lines = qrTerminal(link).split('\n').slice(0, -1);
    assert.ok(lines.length <= 24, `${lines.length} lines`);
    assert.ok(lines.every((line) => stripVTControlCharacters(line).length <= 80));
  });

  it('is refused for a text that no code can hold', () => {
    assert.ok(qrSvg('x'.repeat(2_331)).length > 0);
    assert.throws(() => qrSvg('x'.repeat(2_332)));
  });
});
