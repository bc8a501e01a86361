import { tokens } from './amounts.js';
import { counted, shortName, unitOf } from './names.js';
import { find, setText } from './page.js';
import { callSandbox } from './sandbox-node.js';
import { network } from './signing.js';

/** Shows what the sender has of the token, beside the amount, and offers all of it. Only the sandbox's ledger is asked. */
export function followBalance() {
  const max = find('max');
  const [sender, mint] = [inputCalled('from_address'), inputCalled('token_mint_address')];
  const amount = inputCalled('amount_decimal') ?? inputCalled('amount');
  if (!max || !sender || !mint || !amount) return;
  const show = async () => {
    const [owner, token] = [sender.value.trim(), mint.value.trim()];
    const balance = await readBalance(owner, token);
    // Another wallet or token may have been chosen in between.
    if (owner !== sender.value.trim() || token !== mint.value.trim()) return undefined;
    max.hidden = balance === undefined;
    setText('balance', balance === undefined ? '' : `${shortName(owner)} has ${counted(balance, unitOf(token))}.`);
    return balance;
  };
  sender.addEventListener('input', show);
  mint.addEventListener('input', show);
  document.addEventListener('balances', show);
  // Others may have paid in between.
  amount.addEventListener('focus', show);
  max.addEventListener('click', async () => {
    amount.value = (await show()) ?? amount.value;
    amount.dispatchEvent(new Event('input', { bubbles: true }));
  });
  show();
}

/**
 * What a wallet has of a token in whole tokens; `undefined` where that is not known.
 * @param {string} owner
 * @param {string} mint
 */
async function readBalance(owner, mint) {
  try {
    const params = [owner, { mint }, { encoding: 'jsonParsed', commitment: 'confirmed' }];
    const { result } = await callSandbox(network.rpcUrl, 'getTokenAccountsByOwner', params);
    // A wallet of the sandbox has one account of a token.
    const [account] = result.value;
    if (!account) return '0';
    const { amount, decimals } = account.account.data.parsed.info.tokenAmount;
    return tokens(amount, decimals);
  } catch {
    return undefined;
  }
}

/** @param {string} id */
function inputCalled(id) {
  return /** @type {HTMLInputElement | null} */ (find(id));
}
