/**
 * Calls the JSON-RPC of the sandbox: its result or its error. Rejects where it cannot be reached.
 * @param {string} rpcUrl
 * @param {string} method
 * @param {readonly unknown[]} params
 */
export async function callSandbox(rpcUrl, method, params) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const reply = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return reply.json();
}
