import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AppError } from '../../problems.ts';
import { maskApiKeys } from '../api-key.ts';
import { startProblem } from '../problem-replies.ts';
import { pageHeaders, prefersPage } from './page-replies.ts';
import type { ProblemPlaces } from './problem-page.ts';

/** Whether a request is that of a browser for a page: a program, which does not name HTML, gets a problem document. */
export function asksForPage({ method, headers }: FastifyRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && prefersPage(headers.accept);
}

/** What the service has that a problem page leads to. */
export function placesOf(app: FastifyInstance): ProblemPlaces {
  return { hasPages: app.hasRoute({ method: 'GET', url: '/docs' }) };
}

/** Sends a page about problems. */
export async function sendProblemPage(reply: FastifyReply, page: string): Promise<FastifyReply> {
  const { pagePolicy } = await import('./page-shell.ts');
  // A detail may repeat a path, in which a key may have been pasted.
  return reply.headers(pageHeaders(pagePolicy([]))).send(maskApiKeys(page));
}

/** Sends a refusal to a browser: the page that says where to go, with the status and headers of the problem. */
export async function sendRefusalPage(
  request: FastifyRequest,
  reply: FastifyReply,
  error: AppError,
): Promise<FastifyReply> {
  const { refusalPage } = await import('./problem-page.ts');
  const page = refusalPage(error.code, error.message, placesOf(request.server));
  startProblem(request, reply, error).header('vary', 'Accept');
  return sendProblemPage(reply, page);
}
