const fileHeaderBytes = 64;
const programHeaderBytes = 56;
const sectionHeaderBytes = 64;

/** Shared object (`ET_DYN`): the loader takes no other type. */
const sharedObject = 3;
/** The machine number of BPF (`EM_BPF`). */
const bpfMachine = 247;

const programSection = 1;
const stringTableSection = 3;
/** `SHF_ALLOC | SHF_EXECINSTR`. */
const executableSectionFlags = 6n;

/** Section names, each ended by a zero byte; a name is given by the offset of its first byte. */
const sectionNames = Buffer.from('\0.text\0.shstrtab\0');
const textName = sectionNames.indexOf('.text');
const sectionNamesName = sectionNames.indexOf('.shstrtab');

interface Section {
  name: number;
  type: number;
  flags: bigint;
  address: number;
  offset: number;
  size: number;
}

const nullSection: Section = { name: 0, type: 0, flags: 0n, address: 0, offset: 0, size: 0 };

/**
 * Makes the file of an sBPF version 0 program whose entrypoint is its first instruction.
 *
 * It has what the validator's loader asks for and no more: a file header, `.text` at the same address as offset, and
 * `.shstrtab`, in file order, the section headers on a multiple of 8 bytes. A program that calls nothing and has no data
 * needs no program headers, symbols, dynamic table or relocations (`load_with_lenient_parser` of anza-xyz/sbpf).
 */
export function encodeSbpfElf(text: Uint8Array): Uint8Array {
  const namesOffset = fileHeaderBytes + text.length;
  const sectionHeadersOffset = Math.ceil((namesOffset + sectionNames.length) / 8) * 8;
  const sections: readonly Section[] = [
    nullSection,
    {
      name: textName,
      type: programSection,
      flags: executableSectionFlags,
      address: fileHeaderBytes,
      offset: fileHeaderBytes,
      size: text.length,
    },
    {
      name: sectionNamesName,
      type: stringTableSection,
      flags: 0n,
      address: 0,
      offset: namesOffset,
      size: sectionNames.length,
    },
  ];
  const padding = Buffer.alloc(sectionHeadersOffset - namesOffset - sectionNames.length);
  const fileHeader = encodeFileHeader(sectionHeadersOffset, sections.length);
  return Uint8Array.from(
    Buffer.concat([fileHeader, text, sectionNames, padding, ...sections.map(encodeSectionHeader)]),
  );
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

/** Fields as in `Elf64_Shdr`. */
function encodeSectionHeader(section: Section): Buffer {
  const header = Buffer.alloc(sectionHeaderBytes);
  header.writeUInt32LE(section.name, 0);
  header.writeUInt32LE(section.type, 4);
  header.writeBigUInt64LE(section.flags, 8);
  header.writeBigUInt64LE(BigInt(section.address), 16);
  header.writeBigUInt64LE(BigInt(section.offset), 24);
  header.writeBigUInt64LE(BigInt(section.size), 32);
  return header;
}
