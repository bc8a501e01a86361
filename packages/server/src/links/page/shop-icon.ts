import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Brand } from '../../config/brand.ts';
import { AppError } from '../../problems.ts';
import { walletRoute } from '../pay-schema.ts';

const logoPath = '/pay/logo';
/** Where the page finds the color of the operator. */
export const brandStylePath = '/pay/brand.css';

const letterPattern = /[\p{L}\p{N}\p{Extended_Pictographic}•]/u;

/** The path of the picture of a shop: the operator's logo, otherwise the first letter of the link's label. */
export function shopIconPath(label: string, { logo }: Pick<Brand, 'logo'>): string {
  if (logo) return logoPath;
  const [letter = '•'] = letterPattern.exec(label)?.[0].toUpperCase() ?? '';
  return `/pay/icon/${encodeURIComponent(letter)}.svg`;
}

/** Registers the logo, the letters that stand for it, and the color of the operator. */
export function registerBrand(app: FastifyInstance, { logo, color }: Brand): void {
  app.get('/pay/icon/:name', walletRoute, (request, reply) => {
    const letter = /^(.)\.svg$/u.exec(String(Object(request.params).name))?.[1];
    if (letter === undefined || !letterPattern.test(letter))
      throw new AppError('route_not_found', 'There is no icon of this name.');
    return sendImage(reply, 'image/svg+xml', letterSvg(letter, color ?? '#3f4652'));
  });
  if (logo) app.get(logoPath, walletRoute, (_request, reply) => sendImage(reply, logo.mediaType, logo.bytes));
  if (!color) return;
  const ink = inkOn(color);
  const style = `:root{--key:${color};--on-key:${ink};--key-over:color-mix(in srgb,${color},${ink} 12%)}
.button{border:1px solid color-mix(in srgb,var(--key),var(--ink) 25%)}`;
  app.get(brandStylePath, walletRoute, (_request, reply) => reply.type('text/css; charset=utf-8').send(style));
}

function sendImage(reply: FastifyReply, mediaType: string, image: string | Buffer): FastifyReply {
  reply.headers({
    'cache-control': 'public, max-age=3600',
    // An SVG that is opened by itself is a document: one that may load nothing and run nothing.
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'",
  });
  return reply.type(mediaType).send(image);
}

function letterSvg(letter: string, color: string): string {
  const escaped = `&#${letter.codePointAt(0)};`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="16" fill="${color}"/>` +
    `<text x="32" y="32" dy=".35em" text-anchor="middle" font-family="system-ui,sans-serif" font-size="32" font-weight="600" ` +
    `fill="${inkOn(color)}">${escaped}</text></svg>`
  );
}

/** Black or white, whichever has the higher contrast with a color (WCAG 2.2): at least 4.5. */
function inkOn(color: string): '#000' | '#fff' {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000' : '#fff';
}
