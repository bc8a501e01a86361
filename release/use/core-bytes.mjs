// Prints what the core makes of fixed requests, in hex; its first argument is the module that is imported.
const core = await import(process.argv[2] ?? 'splwright-core');
const toHex = (bytes) => Buffer.from(bytes).toString('hex');
const mint = core.toAddress('Gr6zXNs3LaVMRGKwTUrWgFFQSggMvnPiWiQikW2a2tD1');
for (let seed = 0; seed < 50; seed++) {
  const owner = core.addressFromBytes(new Uint8Array(32).fill(seed));
  const { address, bump } = core.findAssociatedTokenAddress({ owner, tokenProgram: core.tokenProgram, mint });
  const bytes = core.addressToBytes(address);
  console.log(address, bump, core.isOnCurve(bytes), core.isOnCurve(core.addressToBytes(owner)), toHex(bytes));
}
