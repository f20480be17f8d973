import { once } from 'node:events';
import type { Response } from 'express';
import { z } from 'zod';
import { defineRoute, type Reply, type Route, type RouteResponse } from '../api/http/define-route.ts';
import { REDIRECT_RESPONSE } from '../api/http/pages/page-responses.ts';
import { redirectTo } from '../api/http/pages/send-page.ts';
import { FairleadError } from '../domain/errors.ts';
import type { ShellDeps } from './deps.ts';
import { errorDocument } from './error-page.ts';
import type { Download, TextFile } from './page.ts';
import { pageContext, requireCaller, type Visit } from './page-document.ts';
import { sendDocument } from './respond.ts';
import { signInPath } from './session/sign-in-pages.ts';

const TEXT: RouteResponse = {
  description: 'The text',
  schema: z.string(),
  alternative: { contentType: 'text/plain', description: 'A file of text' },
};

/** The route of a file of text. What fails before its first part is a page; later the connection is cut. */
export function downloadRoute(shell: ShellDeps, download: Download): Route {
  return defineRoute({
    method: 'get',
    path: download.path,
    summary: download.summary,
    description: 'For people; others are sent to sign in.',
    tag: download.module,
    callers: 'public',
    replies: 'page',
    responses: { ...REDIRECT_RESPONSE, 200: TEXT },
    errors: ['FORBIDDEN', 'NOT_FOUND', 'UNAUTHORIZED', 'UNAVAILABLE'],
    params: download.params,
    handle: async ({ params }, context) => {
      const session = await shell.sessions.open(context);
      if (session === null) return redirectTo(signInPath(context.url));
      return sendFile(shell, download, { session, params, query: {}, context });
    },
  });
}

async function sendFile(shell: ShellDeps, download: Download, visit: Visit): Promise<Reply> {
  const { session, context } = visit;
  try {
    requireCaller(download, session);
    const { fileName, text } = await download.load(pageContext(shell, visit, null));
    const parts = text[Symbol.asyncIterator]();
    const first = await parts.next();
    return async (response) => {
      response.set(headersOf(fileName));
      for (const cookie of session.cookies()) response.append('Set-Cookie', cookie);
      for (let part = first; part.done !== true; part = await parts.next())
        await write(response, part.value, context.gone);
      response.end();
    };
  } catch (error) {
    if (!(error instanceof FairleadError)) throw error;
    return sendDocument(errorDocument(shell, error, { session, context, page: null }));
  }
}

function headersOf(fileName: TextFile['fileName']): Readonly<Record<string, string>> {
  return {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Disposition': `attachment; filename="${fileName.replace(/[^\w.-]/g, '_')}"`,
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  };
}

async function write(response: Response, text: string, gone: AbortSignal): Promise<void> {
  gone.throwIfAborted();
  if (!response.write(text)) await once(response, 'drain', { signal: gone });
}
