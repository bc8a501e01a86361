import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../../../../test/setup/temporary-folder.ts';
import { type Brand, readBrand } from '../../src/config/brand.ts';

const nothing = { name: '', logoPath: '', color: '' };

/** What is read, and what is wrong with it. */
function read(values: Partial<typeof nothing>): { brand: Brand; faults: readonly string[] } {
  const faults: string[] = [];
  return { brand: readBrand({ ...nothing, ...values }, faults), faults };
}

describe('the brand of a shop', () => {
  it('has a logo whose type its first bytes decide', (t) => {
    const folder = temporaryFolder(t);
    const path = join(folder, 'logo.png');
    const typeOf = (bytes: string): string | undefined => {
      writeFileSync(path, bytes, 'latin1');
      return read({ logoPath: path }).brand.logo?.mediaType;
    };
    assert.equal(typeOf('\x89PNG\r\n\x1a\n…'), 'image/png');
    assert.equal(typeOf('RIFF\x01\x02\x03\x04WEBPVP8 '), 'image/webp');
    for (const svg of ['<svg xmlns="x">', '<?xml version="1.0"?>\n<!-- a -->\n<!DOCTYPE svg>\n<svg >']) {
      assert.equal(typeOf(svg), 'image/svg+xml', svg);
    }
    for (const other of ['', 'GIF89a', '<html><svg ></svg>', '<!DOCTYPE svg [<!ENTITY a "b">]><svg >']) {
      assert.equal(typeOf(other), undefined, other);
      assert.deepEqual(read({ logoPath: path }).faults, [
        `PAY_BRAND_LOGO: ${JSON.stringify(path)} is not an SVG, PNG or WebP image.`,
      ]);
    }
  });

  it('has no logo of a file that is too large or cannot be read', (t) => {
    const folder = temporaryFolder(t);
    const path = join(folder, 'logo.svg');
    writeFileSync(path, `<svg >${' '.repeat(262_144)}`);
    const large = `PAY_BRAND_LOGO: ${JSON.stringify(path)} has 262150 bytes, and may have 262144.`;
    assert.deepEqual(read({ logoPath: path }).faults, [large]);
    for (const [wrong, code] of [
      [join(folder, 'none.svg'), 'ENOENT'],
      [folder, 'EISDIR'],
    ] as const) {
      assert.deepEqual(read({ logoPath: wrong }).faults, [
        `PAY_BRAND_LOGO: ${JSON.stringify(wrong)} cannot be read: ${code}.`,
      ]);
    }
  });

  it('has a name that is seen, and a color in six digits', () => {
    for (const name of ['Tea house', '茶', '7', 'x'.repeat(60)]) assert.deepEqual(read({ name }).faults, [], name);
    for (const name of ['—', 'a\u202eb', 'a\nb', 'x'.repeat(61)]) {
      assert.deepEqual(read({ name }).faults, [
        'PAY_BRAND_NAME must be 1 to 60 characters, with a letter or digit and none that is invisible.',
      ]);
    }
    assert.equal(read({ color: '#14532D' }).brand.color, '#14532d');
    for (const color of ['red', '#fff', '#14532d;', '14532d']) {
      assert.deepEqual(read({ color }).faults, [
        `PAY_BRAND_COLOR must be # and six hexadecimal digits, such as #14532d, not ${JSON.stringify(color)}.`,
      ]);
    }
  });
});
