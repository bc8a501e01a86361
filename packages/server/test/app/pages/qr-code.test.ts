import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { qrSvg } from '../../../src/app/pages/qr-code.ts';
import { readQrPicture } from '../../pages/qr-reader.ts';

const link = 'solana:https://pay.example.com/pay/3yZe7d9KqLmNpRsT';
const links = fc
  .tuple(fc.webUrl({ validSchemes: ['https'] }), fc.string({ minLength: 16, maxLength: 16 }))
  .map(([origin, id]) => `solana:${origin}/pay/${encodeURIComponent(id)}`);

/** Reads a code back from rows of dark modules, each drawn as some pixels: the reader fails for one in some hundred codes at any one size. */
function read(modules: readonly (readonly boolean[])[]): string {
  const texts = [4, 5, 3].values().map((pixels) => readDrawn(modules, pixels));
  return texts.find((text) => text !== undefined) ?? assert.fail('it cannot be read at any size');
}

function readDrawn(modules: readonly (readonly boolean[])[], pixels: number): string | undefined {
  const [height, width] = [modules.length * pixels, (modules[0]?.length ?? 0) * pixels];
  const grays = new Uint8Array(width * height).map((_gray, at) => {
    const [x, y] = [at % width, Math.floor(at / width)];
    return modules[Math.floor(y / pixels)]?.[Math.floor(x / pixels)] ? 0 : 255;
  });
  try {
    return readQrPicture(width, height, grays);
  } catch {
    return undefined;
  }
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

describe('a QR code', () => {
  it('holds the link', () => {
    fc.assert(
      fc.property(links, (text) => {
        assert.equal(read(modulesOfSvg(qrSvg(text))), text);
      }),
      { numRuns: 25, examples: [['solana:https://d57j6-k2q0.vst/vAaaqXP/pay/__lAfhC_AbJtH2NX']] },
    );
  });

  it('has four light modules on each side', () => {
    const modules = modulesOfSvg(qrSvg(link));
    const dark = modules.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [[x, y]] : []))).flat();
    assert.deepEqual([Math.min(...dark), Math.max(...dark)], [4, modules.length - 5]);
  });

  it('is small as an image, draws on white, and brings nothing from elsewhere', () => {
    const svg = qrSvg(link);
    assert.ok(svg.length < 4_000, `${svg.length} bytes`);
    assert.match(svg, /<path fill="#fff" d="M0 0h41v41H0z"\/>/);
    assert.match(svg, /d="(?:M\d+ \d+\.5h[1-9]\d*)+"/, 'strokes and nothing in between');
    assert.doesNotMatch(svg.replace('http://www.w3.org/2000/svg', ''), /href|http|style|script/);
  });

  it('is refused for a text that no code can hold', () => {
    assert.ok(qrSvg('x'.repeat(2_331)).length > 0);
    assert.throws(() => qrSvg('x'.repeat(2_332)));
  });
});
