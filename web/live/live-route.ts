import { z } from 'zod';
import { defineRoute, type Route, type RouteContext } from '../../api/http/define-route.ts';
import { type EventStream, sendEvents } from '../../api/http/event-stream.ts';
import { renderHtml } from '../../api/http/pages/html.ts';
import { FairleadError } from '../../domain/errors.ts';
import type { ShellDeps } from '../deps.ts';
import { visibleText } from '../look/visible-text.ts';
import type { LiveContext, Page } from '../page.ts';
import { pageContext, requireCaller } from '../page-document.ts';
import { requireOwnStream } from '../session/csrf.ts';
import type { Session } from '../session/sessions.ts';
import { livePathOf } from './live-path.ts';

/** A stream ends so long before its token does; the browser then asks again, and gets the cookies of the next token. */
const EARLY_MS = 30_000;

/** Of a browser that asks again by itself a header; of the script, which cannot set one, in the query. */
const LAST_EVENT_ID = 'last-event-id';

const EVENTS =
  'Server-sent events: `change` (data: a region, `replace` or `append`, and its markup) and `end` (data: a reason and a ' +
  'message; nobody need ask again). Resume with Last-Event-ID.';

/** The stream of a page's changes, for pages that have any. */
export function liveRoute(shell: ShellDeps, page: Page): readonly Route[] {
  const { live } = page;
  if (live === null) return [];
  const route = defineRoute({
    method: 'get',
    path: livePathOf(page.path),
    summary: `Changes of the page "${page.summary}"`,
    tag: page.module,
    callers: 'public',
    replies: 'page',
    responses: {
      200: {
        description: 'The changes',
        schema: z.string(),
        alternative: { contentType: 'text/event-stream', description: EVENTS },
      },
    },
    errors: ['FORBIDDEN', 'NOT_FOUND', 'ORIGIN_REFUSED', 'RATE_LIMITED', 'UNAVAILABLE'],
    params: page.params,
    query: page.query.extend({ [LAST_EVENT_ID]: z.string().max(200).optional() }),
    handle: async ({ params, query: { [LAST_EVENT_ID]: resumed, ...query } }, context) => {
      requireOwnStream(context);
      const session = await openForStream(shell, context);
      if (session !== null) requireCaller(page, session);
      const leave = session === null ? () => undefined : shell.places.take(session.person.userId, context.gone);
      return async (response) => {
        for (const cookie of session?.cookies() ?? []) response.append('Set-Cookie', cookie);
        const request = { gone: context.gone, stopping: context.stopping, stillAllowed: async () => true };
        await sendEvents(response, request, async (events) => {
          if (session === null) return sayEnded(events);
          const stream = streamSession(session);
          const visit = { session: { ...session, token: stream.token }, params, query, context };
          const signal = AbortSignal.any([events.ended, stream.over]);
          const lastEventId = singleId(context.headers[LAST_EVENT_ID]) ?? singleId(resumed);
          const liveContext: LiveContext = { ...pageContext(shell, visit, null), signal, lastEventId };
          await sendChanges(events, live(liveContext), stream).finally(stream.close);
        }).finally(leave);
      };
    },
  });
  return [route];
}

/** Null for a session that is not there any more: an event stream says so by an event, not by a status. */
async function openForStream({ sessions }: ShellDeps, context: RouteContext): Promise<Session | null> {
  return sessions.open(context).catch((error: unknown) => {
    if (error instanceof FairleadError && error.code === 'UNAUTHORIZED') return null;
    throw error;
  });
}

interface StreamSession {
  readonly token: Session['token'];
  /** Aborted when the token is about to end, or was refused and there is another. */
  readonly over: AbortSignal;
  readonly close: () => void;
}

/**
 * A reply that has begun sets no cookies, so a stream takes no new token: it ends, the browser asks again, and that reply
 * has them. A token that was refused is exchanged all the same, which tells whether the session goes on.
 */
function streamSession(session: Session): StreamSession {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), Math.max(0, session.remainingMs() - EARLY_MS));
  timer.unref();
  return {
    over: over.signal,
    close: () => clearTimeout(timer),
    token: async (refused) => {
      const token = await session.token(refused);
      if (refused !== undefined) over.abort();
      return token;
    },
  };
}

async function sendChanges(
  events: EventStream,
  changes: AsyncIterable<{ region: string; mode: string; html: Parameters<typeof renderHtml>[0]; id?: string }>,
  { over }: StreamSession,
): Promise<void> {
  const beat = setInterval(() => void events.keepAlive().catch(() => undefined), 5_000);
  beat.unref();
  try {
    for await (const { region, mode, html, id } of changes) {
      if (over.aborted) return;
      await events.send('change', { region, mode, html: visibleText(renderHtml(html)) }, id);
    }
    if (!events.ended.aborted && !over.aborted) await events.send('end', { reason: 'complete' });
  } catch (error) {
    if (events.ended.aborted || over.aborted) return;
    if (!(error instanceof FairleadError)) throw error;
    if (error.code === 'UNAUTHORIZED') await sayEnded(events);
    else if (error.code !== 'UNAVAILABLE')
      await events.send('end', { reason: 'refused', message: `${error.message}.` });
    // A part that is away comes back: the browser asks again.
  } finally {
    clearInterval(beat);
  }
}

async function sayEnded(events: EventStream): Promise<void> {
  await events.send('end', {
    reason: 'signed-out',
    message: 'Your session has ended. Load the page to sign in again.',
  });
}

function singleId(header: unknown): string | undefined {
  return typeof header === 'string' && header !== '' ? header.slice(0, 200) : undefined;
}
