import { tokens } from './amounts.js';
import { make } from './make.js';
import { shortName } from './names.js';
import { callSandbox } from './sandbox-node.js';
import { network } from './signing.js';
import { bytesOf } from './transaction-bytes.js';

/** @typedef {{ owner: string, tokenAccount: string }} Holder */

// Of every token program: mint and owner come first.
const amountOffset = 64;

/**
 * Shows what wallets hold, and once a transaction has landed what they hold then. Only the sandbox says: on a real network a page
 * connects to nothing but the service.
 * @param {readonly Holder[]} holders
 * @param {{ decimals: number, unit: string }} token
 */
export function balanceTable(holders, { decimals, unit }) {
  const known = holders.filter(
    ({ tokenAccount }, index) => holders.findIndex((each) => each.tokenAccount === tokenAccount) === index,
  );
  const head = make('tr', {}, cell('th', 'Wallet', 'col'), cell('th', 'Before', 'col'));
  const rows = known.map(({ owner }) => make('tr', {}, cell('th', shortName(owner), 'row')));
  const element = make(
    'table',
    { class: 'balances', hidden: true },
    make('caption', {}, `Balances in ${unit}`),
    make('thead', {}, head),
    make('tbody', {}, ...rows),
  );
  const addColumn = async () => {
    const amounts = await readAmounts(known.map(({ tokenAccount }) => tokenAccount));
    if (!amounts) return false;
    for (const [index, row] of rows.entries()) {
      row.append(cell('td', tokens(amounts[index] ?? 0n, decimals)));
    }
    return true;
  };
  const before = network.rpcUrl ? addColumn() : Promise.resolve(false);
  before.then((isRead) => {
    element.hidden = !isRead;
  });
  let isAsked = false;
  return {
    element,
    /** Adds what the wallets hold now, once, and tells the page that it has changed. */
    showAfter: async () => {
      if (isAsked || !(await before)) return;
      isAsked = true;
      if (await addColumn()) head.append(cell('th', 'After', 'col'));
      document.dispatchEvent(new Event('balances'));
    },
  };
}

/**
 * @param {'th' | 'td'} tag
 * @param {string} text
 * @param {'col' | 'row'} [scope]
 */
function cell(tag, text, scope) {
  return make(tag, { scope }, text);
}

/**
 * The base units in token accounts of the sandbox, 0 of one that does not exist; nothing where it does not answer.
 * @param {readonly string[]} accounts
 * @returns {Promise<bigint[] | undefined>}
 */
async function readAmounts(accounts) {
  const params = [accounts, { encoding: 'base64', commitment: 'confirmed' }];
  try {
    const { result } = await callSandbox(network.rpcUrl, 'getMultipleAccounts', params);
    /** @type {({ data: [string] } | null)[]} */
    const found = result.value;
    return found.map((account) => (account ? amountIn(bytesOf(account.data[0])) : 0n));
  } catch {
    return undefined;
  }
}

/** @param {Uint8Array} data of a token account */
function amountIn(data) {
  return new DataView(data.buffer, data.byteOffset).getBigUint64(amountOffset, true);
}
