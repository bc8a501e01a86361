import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const byteLength = 74_800;
const sha256 = 'f520eaf096361abbb9639ea4dc3e5388a87b9330e121f476607b87c46ef67954';
const elfMagic = Buffer.from([0x7f, 0x45, 0x4c, 0x46]);

/**
 * The classic Memo program (SPL Memo 3.0.0) as it was deployed to the pinned address.
 *
 * The ledger carries a newer program there; an older release of the ledger has the classic one inside its native binding,
 * where it is found by its hash. Throws when it is not there.
 */
export function readClassicMemoProgram(): Uint8Array {
  const folder = fileURLToPath(new URL('../../node_modules/litesvm-classic/node_modules/', import.meta.url));
  for (const name of readdirSync(folder).filter((entry) => entry.startsWith('litesvm-'))) {
    for (const file of readdirSync(`${folder}${name}`).filter((entry) => entry.endsWith('.node'))) {
      const program = findProgram(readFileSync(`${folder}${name}/${file}`));
      if (program) return program;
    }
  }
  throw new Error(`no classic Memo program under ${folder}`);
}

function findProgram(binding: Buffer): Uint8Array | undefined {
  for (let start = binding.indexOf(elfMagic); start !== -1; start = binding.indexOf(elfMagic, start + 1)) {
    const candidate = binding.subarray(start, start + byteLength);
    if (createHash('sha256').update(candidate).digest('hex') === sha256) return Uint8Array.from(candidate);
  }
  return undefined;
}
