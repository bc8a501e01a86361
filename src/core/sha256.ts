import { hash } from 'node:crypto';

/** SHA-256 of the bytes, 32 bytes. The one file of the core that touches a `node:` module. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return hash('sha256', bytes, 'buffer');
}
