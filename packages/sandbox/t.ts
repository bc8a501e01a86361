const { startSandbox } = await import('./src/index.ts');
const s = await startSandbox();
await s.close();
