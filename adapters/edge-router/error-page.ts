import type { EdgeRequest, EdgeResponse } from './edge-message.ts';

/** What a person, or a program, is told when no workload answers. */
export interface EdgeError {
  readonly status: 400 | 404 | 421 | 502 | 503 | 504;
  readonly title: string;
  readonly advice: string;
}

/** Answers with a small page, or with JSON for whoever asks for it. Does nothing once an answer has begun. */
export function answerError(request: EdgeRequest, response: EdgeResponse, error: EdgeError): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const html = request.headers.accept?.includes('text/html') ?? false;
  const body = html ? page(error) : JSON.stringify({ error: error.title, advice: error.advice });
  const headers = {
    'content-type': html ? 'text/html; charset=utf-8' : 'application/json',
    'cache-control': 'no-store',
    ...(error.status >= 502 ? { 'retry-after': '2' } : {}),
  };
  answerPlainly(request, response, { status: error.status, headers, body });
}

/** What the router itself says, without a service. */
export interface PlainAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Answers with it. Does nothing once an answer has begun. */
export function answerPlainly(
  request: EdgeRequest,
  response: EdgeResponse,
  { status, headers, body }: PlainAnswer,
): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const all = {
    ...headers,
    'content-length': String(Buffer.byteLength(body)),
    'x-content-type-options': 'nosniff',
    // What is left of the request's body is not read: nothing can follow on this connection.
    ...(request.complete ? {} : { connection: 'close' }),
  };
  response.writeHead(status, undefined, Object.entries(all).flat());
  if (!response.writableEnded) response.end(request.method === 'HEAD' ? undefined : body);
}

function page({ status, title, advice }: EdgeError): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${status} ${title}</title>
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:18vh auto;padding:0 1rem;color:#1c2430}
h1{font-size:1.4rem}code{background:#eef1f5;padding:.1rem .3rem;border-radius:.2rem}</style>
<h1>${title}</h1><p>${advice}</p></html>`;
}
