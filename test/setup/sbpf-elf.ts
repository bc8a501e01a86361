const fileHeaderBytes = 64;
const programHeaderBytes = 56;
const sectionHeaderBytes = 64;
const symbolBytes = 24;
const relocationBytes = 16;

/** Shared object (`ET_DYN`): the loader takes no other type. */
const sharedObject = 3;
/** The machine number of BPF (`EM_BPF`). */
const bpfMachine = 247;

const programSection = 1;
const stringTableSection = 3;
const dynamicSection = 6;
const relocationSection = 9;
const dynamicSymbolSection = 11;

/** `SHF_ALLOC | SHF_EXECINSTR`. */
const executableSectionFlags = 6n;

/** Entries of the dynamic table: where the symbols and the relocations are. */
const dynamicTags = { symbols: 6n, relocations: 17n, relocationsSize: 18n, relocationSize: 19n } as const;

/** `R_BPF_64_32`: a call whose immediate becomes the hash of a symbol's name. */
const callRelocation = 10n;
const firstSymbol = 1n;

interface Section {
  name: string;
  type: number;
  flags: bigint;
  bytes: Uint8Array;
}

/** A section at its place in the file. */
interface PlacedSection extends Section {
  offset: number;
}

/**
 * Makes the file of an sBPF version 0 program whose entrypoint is its first instruction.
 *
 * `syscall` is the one that its calls mean (`callSyscall` of the assembler). A program that calls nothing has what the validator's
 * loader asks for and no more: a file header, `.text` at the same address as offset, and `.shstrtab`, in file order, the section
 * headers on a multiple of 8 bytes (`load_with_lenient_parser` of anza-xyz/sbpf). One that calls also has the symbol, its name, a
 * relocation for each call, and the dynamic table by which the loader finds them.
 */
export function encodeSbpfElf(text: Uint8Array, syscall?: string): Uint8Array {
  const code: Section = { name: '.text', type: programSection, flags: executableSectionFlags, bytes: text };
  const called = syscall === undefined ? [] : dynamicSections(text, syscall);
  const names: Section = { name: '.shstrtab', type: stringTableSection, flags: 0n, bytes: new Uint8Array() };
  const named = [code, ...called, names].map(({ name }) => name);
  const nameBytes = Buffer.from(`\0${named.join('\0')}\0`);
  const placed = place([code, ...called, { ...names, bytes: nameBytes }]);
  const end = Math.max(...placed.map(({ offset, bytes }) => offset + bytes.length));
  const sectionHeadersOffset = aligned(end);
  const file = Buffer.alloc(sectionHeadersOffset + sectionHeaderBytes * (placed.length + 1));
  encodeFileHeader(sectionHeadersOffset, placed.length + 1).copy(file);
  for (const [index, section] of placed.entries()) {
    file.set(section.bytes, section.offset);
    const header = encodeSectionHeader(section, nameBytes.indexOf(`${section.name}\0`));
    // The first header is of no section.
    header.copy(file, sectionHeadersOffset + sectionHeaderBytes * (index + 1));
  }
  return Uint8Array.from(file);
}

function aligned(offset: number): number {
  return Math.ceil(offset / 8) * 8;
}

function place(sections: readonly Section[]): PlacedSection[] {
  let offset = fileHeaderBytes;
  return sections.map((section) => {
    const placed = { ...section, offset };
    offset = aligned(offset + section.bytes.length);
    return placed;
  });
}

/** The sections by which a loader finds the syscall that the calls of a program mean. */
function dynamicSections(text: Uint8Array, syscall: string): readonly Section[] {
  const symbols = Buffer.alloc(2 * symbolBytes);
  // The first symbol is none. `STB_GLOBAL`, no type; its name is after the empty one.
  symbols.writeUInt32LE(1, symbolBytes);
  symbols.writeUInt8(0x10, symbolBytes + 4);
  const calls: number[] = [];
  for (let offset = 0; offset < text.length; offset += 8) {
    if (text[offset] === 0x85) calls.push(fileHeaderBytes + offset);
  }
  const relocations = Buffer.alloc(calls.length * relocationBytes);
  for (const [index, address] of calls.entries()) {
    relocations.writeBigUInt64LE(BigInt(address), index * relocationBytes);
    relocations.writeBigUInt64LE((firstSymbol << 32n) | callRelocation, index * relocationBytes + 8);
  }
  const symbolsSection: Section = { name: '.dynsym', type: dynamicSymbolSection, flags: 0n, bytes: symbols };
  const namesSection: Section = {
    name: '.dynstr',
    type: stringTableSection,
    flags: 0n,
    bytes: Buffer.from(`\0${syscall}\0`),
  };
  const relocationsSection: Section = { name: '.rel.dyn', type: relocationSection, flags: 0n, bytes: relocations };
  const code: Section = { name: '.text', type: programSection, flags: executableSectionFlags, bytes: text };
  const [, symbolsAt, , relocationsAt] = place([code, symbolsSection, namesSection, relocationsSection]);
  const dynamic = encodeDynamicTable([
    [dynamicTags.symbols, symbolsAt?.offset ?? 0],
    [dynamicTags.relocations, relocationsAt?.offset ?? 0],
    [dynamicTags.relocationsSize, relocations.length],
    [dynamicTags.relocationSize, relocationBytes],
    [0n, 0],
  ]);
  return [
    symbolsSection,
    namesSection,
    relocationsSection,
    { name: '.dynamic', type: dynamicSection, flags: 0n, bytes: dynamic },
  ];
}

function encodeDynamicTable(entries: readonly (readonly [tag: bigint, value: number])[]): Uint8Array {
  const bytes = Buffer.alloc(entries.length * 16);
  for (const [index, [tag, value]] of entries.entries()) {
    bytes.writeBigUInt64LE(tag, index * 16);
    bytes.writeBigUInt64LE(BigInt(value), index * 16 + 8);
  }
  return bytes;
}

/** Fields as in `Elf64_Ehdr`; the section names are the last section. */
function encodeFileHeader(sectionHeadersOffset: number, sectionCount: number): Buffer {
  const header = Buffer.alloc(fileHeaderBytes);
  // Magic, 64 bits, little-endian, version 1; the ABI stays 0.
  header.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1]);
  header.writeUInt16LE(sharedObject, 16);
  header.writeUInt16LE(bpfMachine, 18);
  header.writeUInt32LE(1, 20);
  header.writeBigUInt64LE(BigInt(fileHeaderBytes), 24);
  header.writeBigUInt64LE(BigInt(sectionHeadersOffset), 40);
  // The flags at 48 are the sBPF version, and stay 0.
  header.writeUInt16LE(fileHeaderBytes, 52);
  // Checked by the loader although there are no program headers.
  header.writeUInt16LE(programHeaderBytes, 54);
  header.writeUInt16LE(sectionHeaderBytes, 58);
  header.writeUInt16LE(sectionCount, 60);
  header.writeUInt16LE(sectionCount - 1, 62);
  return header;
}

/** Fields as in `Elf64_Shdr`; its address is its offset. */
function encodeSectionHeader(section: PlacedSection, name: number): Buffer {
  const header = Buffer.alloc(sectionHeaderBytes);
  header.writeUInt32LE(name, 0);
  header.writeUInt32LE(section.type, 4);
  header.writeBigUInt64LE(section.flags, 8);
  header.writeBigUInt64LE(BigInt(section.name === '.shstrtab' ? 0 : section.offset), 16);
  header.writeBigUInt64LE(BigInt(section.offset), 24);
  header.writeBigUInt64LE(BigInt(section.bytes.length), 32);
  return header;
}
