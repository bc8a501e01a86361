import { groupDigits } from 'splwright-core/format-amount';
import { find, make, setText } from './dom.ts';
import { counted, shortName, tokens, unitOf } from './names.ts';
import { callSandbox, network } from './sandbox.ts';

/**
 * Shows what wallets hold of a token, and once a transaction has landed what they hold then. Only the sandbox says: on a real network
 * a page connects to nothing but the service.
 */
export function balanceTable(owners: readonly string[], mint: string): { element: HTMLElement; showAfter: () => void } {
  const known = [...new Set(owners)];
  const head = make('tr', {}, make('th', { scope: 'col' }, 'Wallet'), make('th', { scope: 'col' }, 'Before'));
  const rows = known.map((owner) => make('tr', {}, make('th', { scope: 'row' }, shortName(owner))));
  const element = make(
    'table',
    { class: 'balances', hidden: true },
    make('caption', {}, `Balances in ${unitOf(mint)}`),
    make('thead', {}, head),
    make('tbody', {}, ...rows),
  );
  const addColumn = async () => {
    const balances = await Promise.all(known.map((owner) => readBalance(owner, mint)));
    if (balances.includes(undefined)) return false;
    for (const [index, row] of rows.entries()) row.append(make('td', {}, groupDigits(balances[index] ?? '')));
    return true;
  };
  const before = addColumn();
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
      if (await addColumn()) head.append(make('th', { scope: 'col' }, 'After'));
      document.dispatchEvent(new Event('balances'));
    },
  };
}

/** Shows what the sender has of the token, beside the amount, and offers all of it. Only the sandbox's ledger is asked. */
export function followBalance(): void {
  const max = find('max');
  const [sender, mint] = [find<HTMLInputElement>('from_address'), find<HTMLInputElement>('token_mint_address')];
  const amount = find<HTMLInputElement>('amount_decimal') ?? find<HTMLInputElement>('amount');
  if (!max || !sender || !mint || !amount) return;
  const show = async () => {
    const [owner, token] = [sender.value.trim(), mint.value.trim()];
    const balance = await readBalance(owner, token);
    // Another wallet or token may have been chosen in between.
    if (owner !== sender.value.trim() || token !== mint.value.trim()) return undefined;
    max.hidden = balance === undefined;
    const words = balance === undefined ? '' : `${shortName(owner)} has ${counted(balance, unitOf(token))}.`;
    setText(find('balance'), words);
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

/** A token account as `jsonParsed` writes it. */
interface TokenAccount {
  account: { data: { parsed: { info: { tokenAmount: { amount: string; decimals: number } } } } };
}

/** The balance of a wallet in whole tokens; `undefined` where it is not known. */
async function readBalance(owner: string, mint: string): Promise<string | undefined> {
  if (!network.rpcUrl) return undefined;
  try {
    const params = [owner, { mint }, { encoding: 'jsonParsed', commitment: 'confirmed' }];
    const reply = await callSandbox<{ value: readonly TokenAccount[] }>('getTokenAccountsByOwner', params);
    if (reply.error) return undefined;
    // A wallet of the sandbox has one account of a token.
    const [account] = reply.result.value;
    if (!account) return '0';
    const { amount, decimals } = account.account.data.parsed.info.tokenAmount;
    return tokens(amount, decimals);
  } catch {
    return undefined;
  }
}
