import encodeQR from 'qr';

// The quiet zone that ISO/IEC 18004 asks for on each side, in modules.
const quietModules = 4;

/**
 * Returns a QR code that holds a text as an SVG image: black on white with its quiet zone, one unit per module.
 *
 * The image has no size of its own, so that it scales to its container. Throws when the text is too long for a code: more
 * than 2,331 bytes.
 */
export function qrSvg(text: string): string {
  const modules = encodeQR(text, 'raw', { ecc: 'medium', border: quietModules });
  const size = modules.length;
  const lines = modules.map((row, y) => lineOf(row, y)).join('');
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">` +
    `<path fill="#fff" d="M0 0h${size}v${size}H0z"/><path stroke="#000" d="${lines}"/></svg>`
  );
}

/** The dark runs of one row as strokes through the middle of it. */
function lineOf(row: readonly boolean[], y: number): string {
  let path = '';
  for (let start = row.indexOf(true); start !== -1; ) {
    const light = row.indexOf(false, start);
    const end = light === -1 ? row.length : light;
    path += `M${start} ${y}.5h${end - start}`;
    start = row.indexOf(true, end);
  }
  return path;
}
