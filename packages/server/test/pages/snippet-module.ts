/** The languages of snippets, as the page offers them. */
export type Language = 'curl' | 'typescript' | 'python' | 'go' | 'swift' | 'kotlin' | 'dart';

/** A request of which there is a snippet. */
export interface SnippetRequest {
  method: 'GET' | 'POST';
  path: string;
  body?: object;
  origin: string;
  hasKey: boolean;
}

/** The module of the page that writes snippets, which is a script and has no types of its own. */
export const { snippet, snippetLanguages } = (await import(
  new URL('../../src/pages/browser/snippets.js', import.meta.url).href
)) as {
  snippet: (language: Language, request: SnippetRequest) => string;
  snippetLanguages: readonly { id: Language; name: string }[];
};
