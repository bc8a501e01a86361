import decodeQR from 'qr/decode.js';

/** Reads the text of a QR code from the gray values of a picture, row by row. Throws when there is none. */
export function readQrPicture(width: number, height: number, grays: Uint8Array): string {
  const data = new Uint8Array(width * height * 4).fill(255);
  for (const [index, gray] of grays.entries()) data.fill(gray, index * 4, index * 4 + 3);
  return decodeQR({ width, height, data }, { timeLimit: 60_000 });
}
