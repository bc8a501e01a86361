import { type Static, Type } from 'typebox';

const closed = { additionalProperties: false } as const;
const address = Type.String({ description: 'Base58 of 32 bytes.' });

/** The body of `/sandbox/world`. */
export const sandboxWorldSchema = Type.Object(
  {
    api_key: Type.String({ description: 'A key that works on this sandbox alone.' }),
    rpc_url: Type.String({ description: "The sandbox's JSON-RPC." }),
    websocket_url: Type.String({ description: "The sandbox's WebSocket, on the port after that of the JSON-RPC." }),
    wallets: Type.Array(
      Type.Object(
        { name: Type.String(), address, secret_key: Type.String({ description: 'Base58 of 64 bytes; public.' }) },
        { $id: 'SandboxWallet', ...closed },
      ),
    ),
    nonce_accounts: Type.Array(
      Type.Object(
        { address, authority: Type.String({ description: 'The wallet that may advance the nonce.' }) },
        { $id: 'SandboxNonceAccount', ...closed },
      ),
    ),
    mints: Type.Array(
      Type.Object(
        { name: Type.String(), address, decimals: Type.Integer(), token_program: Type.String() },
        { $id: 'SandboxMint', ...closed },
      ),
    ),
  },
  { $id: 'SandboxWorld', ...closed },
);

/** What `/sandbox/world` answers. */
export type SandboxWorldJson = Static<typeof sandboxWorldSchema>;
