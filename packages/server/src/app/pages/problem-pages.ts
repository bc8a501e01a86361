import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AppError } from '../../problems.ts';
import { maskApiKeys } from '../api-key.ts';
import type { StaticDocument } from '../document-handler.ts';
import { startProblem } from '../problem-replies.ts';
import { pageHeaders, prefersPage } from './page-replies.ts';
import type { ProblemPlaces } from './problem-page.ts';

/** Whether a request is that of a browser for a page: a program, which does not name HTML, gets a problem document. */
export function asksForPage({ method, headers }: FastifyRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && prefersPage(headers.accept);
}

export function placesOf(app: FastifyInstance): ProblemPlaces {
  return { hasPages: app.hasRoute({ method: 'GET', url: '/docs' }) };
}

/** Returns a page about problems as a document. */
export async function problemDocument(text: string): Promise<StaticDocument> {
  const { pagePolicy } = await import('./page-shell.ts');
  return { text, headers: pageHeaders(pagePolicy([])) };
}

/** Sends a refusal to a browser: the page that says where to go, with the status and headers of the problem. */
export async function sendRefusalPage(
  request: FastifyRequest,
  reply: FastifyReply,
  error: AppError,
): Promise<FastifyReply> {
  const { refusalPage } = await import('./problem-page.ts');
  const page = refusalPage(error.code, error.message, placesOf(request.server));
  // A detail may repeat a path, in which a key may have been pasted.
  const { text, headers } = await problemDocument(maskApiKeys(page));
  return startProblem(request, reply, error).header('vary', 'Accept').headers(headers).send(text);
}
