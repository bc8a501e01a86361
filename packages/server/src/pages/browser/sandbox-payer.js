import { find } from './page.js';
import { network, sendToSandbox, signOnSandbox } from './signing.js';
import { signatureOf } from './transaction-bytes.js';

/** @import { Payer } from './payers.js' */

// The page of a link loads this module on the sandbox alone.

/**
 * Offers to pay as a wallet of the sandbox, and calls `pay` with the one that was chosen.
 * @param {(payer: Payer) => void} pay
 */
export function offerSandboxWallets(pay) {
  const choice = /** @type {HTMLSelectElement} */ (find('sandbox-wallet'));
  const button = /** @type {HTMLButtonElement} */ (find('pay-as'));
  const showName = () => {
    button.textContent = `Pay as ${nameOf(choice)}`;
  };
  choice.addEventListener('change', showName);
  button.addEventListener('click', () => pay(sandboxPayer(nameOf(choice), choice.value)));
  // A browser may have kept the choice over a reload.
  showName();
  find('sandbox')?.removeAttribute('hidden');
}

/** @param {HTMLSelectElement} choice */
function nameOf({ selectedOptions: [option] }) {
  return option?.textContent ?? '';
}

/**
 * @param {string} name
 * @param {string} address
 * @returns {Payer}
 */
function sandboxPayer(name, address) {
  const send = async (/** @type {Uint8Array} */ transaction) => {
    const signed = await signOnSandbox(transaction);
    await sendToSandbox(network.rpcUrl, signed);
    return signatureOf(signed);
  };
  return {
    name,
    opening: { title: `Paying as ${name}`, message: 'A wallet of the sandbox.' },
    approving: { title: `Signing as ${name}`, message: 'With a key of the sandbox, in this browser.' },
    connect: async () => [{ address, send }],
  };
}
