import { AddressIndex } from './address-index.ts';
import { recordLayout as layout, recordLength } from './transfer-record.ts';

const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const rentSysvar = 'SysvarRent111111111111111111111111111111111';
const clockSysvar = 'SysvarC1ock11111111111111111111111111111111';
const slotsPerEpoch = 432_000;

function accountJson(data: string, space: number, lamports: number, owner: string): string {
  return `{"data":["${data}","base64"],"executable":false,"lamports":${lamports},"owner":"${owner}","rentEpoch":18446744073709551615,"space":${space}}`;
}

const walletJson = Buffer.from(accountJson('', 0, 5_000_000_000, '11111111111111111111111111111111'));
const mintJson = Buffer.from(accountJson(mintData().toString('base64'), 82, 1_461_600, tokenProgram));
const [tokenAccountHead = '', tokenAccountTail = ''] = accountJson('|', 165, 2_039_280, tokenProgram).split('|');
const tokenAccountStart = Buffer.from(tokenAccountHead);
const tokenAccountEnd = Buffer.from(tokenAccountRest().toString('base64') + tokenAccountTail);
const nothing = Buffer.from('null');

// `spl_token::state::Mint`: authority, supply, 6 decimals, initialized, no freeze authority.
function mintData(): Buffer {
  const data = Buffer.alloc(82);
  data.writeUInt32LE(1, 0);
  data.fill(9, 4, 36);
  data.writeBigUInt64LE(10n ** 18n, 36);
  data[44] = 6;
  data[45] = 1;
  return data;
}

const balance = Buffer.alloc(8);
balance.writeBigUInt64LE(10n ** 15n);

// `spl_token::state::Account` after mint, owner and amount: no delegate, initialized, not native, no close authority.
function tokenAccountRest(): Buffer {
  const rest = Buffer.alloc(165 - 72);
  rest[36] = 1;
  return rest;
}

function rentJson(): string {
  const data = Buffer.alloc(17);
  data.writeBigUInt64LE(3_480n, 0);
  data.writeDoubleLE(2, 8);
  data[16] = 50;
  return accountJson(data.toString('base64'), 17, 1_009_200, 'Sysvar1111111111111111111111111111111111111');
}

function clockJson(slot: number): string {
  const data = Buffer.alloc(40);
  data.writeBigUInt64LE(BigInt(slot), 0);
  data.writeBigUInt64LE(BigInt(Math.floor(slot / slotsPerEpoch)), 16);
  data.writeBigInt64LE(BigInt(Math.floor(Date.now() / 1000)), 32);
  return accountJson(data.toString('base64'), 40, 1_169_280, 'Sysvar1111111111111111111111111111111111111');
}

/** Answers which accounts the upstream has, written straight into the bytes of its answer. */
export class UpstreamAccounts {
  readonly #pool: Buffer;
  readonly #index: AddressIndex;
  readonly #rent = Buffer.from(rentJson());
  #clock = Buffer.from('');
  #clockSlot = -1;

  constructor(pool: Buffer) {
    this.#pool = pool;
    this.#index = new AddressIndex(pool);
  }

  /**
   * Writes the JSON of the account whose address stands in `request` from `start` to `end`.
   *
   * Returns the offset behind it. `target` needs some 400 bytes of room.
   */
  write(request: Buffer, start: number, end: number, slot: number, target: Buffer, offset: number): number {
    const found = this.#index.find(request, start, end);
    switch (found?.kind) {
      case undefined:
        return put(this.#outsidePool(request.toString('latin1', start, end), slot), target, offset);
      case 'senderText':
      case 'recipientText':
        return put(walletJson, target, offset);
      case 'mintText':
        return put(mintJson, target, offset);
      case 'senderTokenText':
      case 'recipientTokenText': {
        const owner = found.kind === 'senderTokenText' ? layout.senderBytes : layout.recipientBytes;
        return this.#writeTokenAccount(found.record * recordLength, owner, target, offset);
      }
    }
  }

  #writeTokenAccount(record: number, owner: number, target: Buffer, offset: number): number {
    const state = tokenAccountState;
    this.#pool.copy(state, 0, record + layout.mintBytes, record + layout.mintBytes + 32);
    this.#pool.copy(state, 32, record + owner, record + owner + 32);
    state.set(balance, 64);
    const at = put(tokenAccountStart, target, offset);
    return put(tokenAccountEnd, target, at + target.write(state.toString('base64'), at, 'latin1'));
  }

  #outsidePool(address: string, slot: number): Buffer {
    if (address === rentSysvar) return this.#rent;
    if (address !== clockSysvar) return nothing;
    if (slot !== this.#clockSlot) {
      this.#clock = Buffer.from(clockJson(slot));
      this.#clockSlot = slot;
    }
    return this.#clock;
  }
}

// Mint, owner and amount: 72 bytes are 96 characters of base64 with no padding, so that what follows is a constant.
const tokenAccountState = Buffer.alloc(72);

function put(bytes: Buffer, target: Buffer, offset: number): number {
  target.set(bytes, offset);
  return offset + bytes.length;
}
