import { readFileSync, statSync } from 'node:fs';

/** The shop as the pages and cards of payment links show it. */
export interface Brand {
  name: string | undefined;
  /** A picture, with its media type; `undefined`: the first letter of each link's label. */
  logo: { mediaType: 'image/svg+xml' | 'image/png' | 'image/webp'; bytes: Buffer } | undefined;
  /** The color of buttons, such as `#14532d`. */
  color: string | undefined;
}

const maxLogoBytes = 262_144;

/** Returns the values of `PAY_BRAND_NAME`, `PAY_BRAND_LOGO`, whose file it reads, and `PAY_BRAND_COLOR`. Adds a sentence to `faults` for each that is wrong. */
export function readBrand(
  { name, logoPath, color }: { name: string; logoPath: string; color: string },
  faults: string[],
): Brand {
  if (!/^(?=.*[\p{L}\p{N}])[^\p{C}\p{Zl}\p{Zp}]{0,60}$/u.test(name || 'none')) {
    faults.push('PAY_BRAND_NAME must be 1 to 60 characters, with a letter or digit and none that is invisible.');
  }
  if (!/^(?:#[0-9a-f]{6})?$/i.test(color)) {
    faults.push(`PAY_BRAND_COLOR must be # and six hexadecimal digits, such as #14532d, not ${JSON.stringify(color)}.`);
  }
  return Object.freeze({
    name: name || undefined,
    logo: logoPath === '' ? undefined : readLogo(logoPath, faults),
    color: color.toLowerCase() || undefined,
  });
}

function readLogo(path: string, faults: string[]): Brand['logo'] {
  const file = JSON.stringify(path);
  try {
    const { size } = statSync(path);
    if (size > maxLogoBytes) {
      faults.push(`PAY_BRAND_LOGO: ${file} has ${size} bytes, and may have ${maxLogoBytes}.`);
      return undefined;
    }
    const bytes = readFileSync(path);
    const mediaType = mediaTypeOf(bytes);
    if (mediaType) return { mediaType, bytes };
    faults.push(`PAY_BRAND_LOGO: ${file} is not an SVG, PNG or WebP image.`);
  } catch (error) {
    faults.push(`PAY_BRAND_LOGO: ${file} cannot be read: ${Object(error).code}.`);
  }
  return undefined;
}

/** Returns what an image is, by its first bytes; `undefined` for what is none of the three. */
function mediaTypeOf(bytes: Buffer): NonNullable<Brand['logo']>['mediaType'] | undefined {
  if (bytes.subarray(0, 8).toString('latin1') === '\x89PNG\r\n\x1a\n') return 'image/png';
  if (/^RIFF.{4}WEBP$/s.test(bytes.subarray(0, 12).toString('latin1'))) return 'image/webp';
  const beforeRoot = /^\uFEFF?\s*(?:<\?xml[^>]*\?>\s*)?(?:<!--.*?-->\s*|<!DOCTYPE[^>[]*>\s*)*<svg[\s>]/s;
  return beforeRoot.test(bytes.toString('utf8')) ? 'image/svg+xml' : undefined;
}
