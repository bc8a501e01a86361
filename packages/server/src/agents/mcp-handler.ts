import {
  type CallToolResult,
  createMcpHandler,
  type McpHttpHandler,
  Server,
  type Tool,
} from '@modelcontextprotocol/server';
import { instructions, toolDescriptions } from './tool-descriptions.ts';
import { type AskRoute, tools } from './tools.ts';

/** Answers one message of the Model Context Protocol: a parsed JSON body with the headers that it came with. */
export type AnswerMessage = (message: unknown, headers: Headers, ask: AskRoute) => Promise<Response>;

/** Makes what answers messages. It keeps nothing between them: there are no sessions. */
export function createMessageHandler(version: string): AnswerMessage {
  return async (message, headers, ask) => {
    const { fetch }: McpHttpHandler = createMcpHandler(() => createServer(version, ask), {
      // Nothing here changes of which a client could be told.
      maxSubscriptions: 0,
    });
    // The body is parsed: of the request only the headers are read.
    return fetch(new Request('http://splwright/mcp', { method: 'POST', headers }), { parsedBody: message });
  };
}

function createServer(version: string, ask: AskRoute): Server {
  const server = new Server({ name: 'splwright', version }, { capabilities: { tools: {} }, instructions });
  server.setRequestHandler('tools/list', () => ({ tools: listedTools }));
  server.setRequestHandler('tools/call', async ({ params }): Promise<CallToolResult> => {
    const tool = Object.hasOwn(tools, params.name) ? tools[params.name] : undefined;
    if (!tool) return resultOf(true, { detail: `There is no such tool. Use one of ${Object.keys(tools).join(', ')}.` });
    const { isError, value } = await tool(params.arguments ?? {}, ask);
    return resultOf(isError, value);
  });
  return server;
}

function resultOf(isError: boolean, value: object): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }], isError };
}

const notes: ReadonlySet<string> = new Set([
  'component',
  'expected',
  'synonyms',
  'reportsUnknownFieldsOnce',
  'x-examples',
]);

const listedTools: Tool[] = Object.entries(toolDescriptions).map(([name, { description, input, isReadOnly }]) => ({
  name,
  description,
  inputSchema: withoutNotes(input),
  annotations: { readOnlyHint: isReadOnly, destructiveHint: false, idempotentHint: true, openWorldHint: true },
}));

/** A schema without what only this service reads of it. */
function withoutNotes(schema: object): Tool['inputSchema'] {
  return JSON.parse(JSON.stringify(schema, (name, member) => (notes.has(name) ? undefined : member)));
}
