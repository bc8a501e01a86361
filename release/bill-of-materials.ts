import { createHash } from 'node:crypto';

/** One package of a CycloneDX bill of materials, as far as it is read here. */
export interface Component {
  name: string;
  version: string;
  licences: readonly string[];
}

/** Whoever uses the service may do so under these, without publishing anything of their own. */
const allowedLicences: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  '(MIT OR Apache-2.0)',
  '(MIT OR CC0-1.0)',
]);

/**
 * The bill of materials that npm writes, with nothing in it that differs from one run to the next: the time is that of the
 * commit, and the serial number follows from the rest.
 */
export function stableBillOfMaterials(text: string, timestamp: string): string {
  const bill: unknown = JSON.parse(text);
  if (!isRecord(bill) || !isRecord(bill.metadata)) throw new TypeError('npm wrote no bill of materials');
  const { serialNumber: _, ...rest } = bill;
  const stable = { ...rest, metadata: { ...bill.metadata, timestamp } };
  const serialNumber = `urn:uuid:${uuidOf(JSON.stringify(stable))}`;
  return `${JSON.stringify({ ...stable, serialNumber }, null, 2)}\n`;
}

/** Lists the packages of a bill of materials. Throws a `TypeError` when it is none. */
export function componentsOf(text: string): Component[] {
  const bill: unknown = JSON.parse(text);
  if (!isRecord(bill) || !Array.isArray(bill.components)) throw new TypeError('this is no bill of materials');
  return bill.components.map((component: unknown) => {
    if (!isRecord(component)) throw new TypeError('a component is no object');
    const licences = Array.isArray(component.licenses) ? component.licenses.map(licenceName) : [];
    return { name: String(component.name), version: String(component.version), licences };
  });
}

/** The packages that have no licence, or one that is not among those that are allowed. */
export function withoutAllowedLicence(components: readonly Component[]): Component[] {
  return components.filter(({ licences }) => !licences.some((licence) => allowedLicences.has(licence)));
}

function licenceName(entry: unknown): string {
  if (!isRecord(entry)) return '';
  if (typeof entry.expression === 'string') return entry.expression;
  const licence = isRecord(entry.license) ? (entry.license.id ?? entry.license.name) : undefined;
  return typeof licence === 'string' ? licence : '';
}

// Version 8 (RFC 9562, section 5.8): 122 bits of our own choosing.
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
