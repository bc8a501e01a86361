// A stranger's TypeScript: what the packages declare fits together, checked with every declaration file.
import { SplwrightClient, type SplwrightError } from 'splwright-client';
import { type Address, findAssociatedTokenAddress, toAddress, tokenProgram } from 'splwright-core';
import { type Sandbox, startSandbox } from 'splwright-sandbox';

const owner: Address = toAddress('FeX3j8c1hrxQACQ97tbVaQWFbJ6Gz87wCoTXkp6jjvDn');
export const account: Address = findAssociatedTokenAddress({ owner, tokenProgram, mint: owner }).address;
export const client = new SplwrightClient({ url: 'http://127.0.0.1:3000', apiKey: 'key' });
export const sandbox: Promise<Sandbox> = startSandbox();
export const code = (error: SplwrightError): string => `${error.code} ${error.status} ${error.requestId}`;
// @ts-expect-error an address is no plain text
export const wrong: Address = 'text';
