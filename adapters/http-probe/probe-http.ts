import { type IncomingMessage, request } from 'node:http';
import { z } from 'zod';
import type { ProbeResult } from '../../domain/deploys/workload-runtime.ts';

const TIMEOUT_MS = 5_000;
const READ_LIMIT_BYTES = 64 * 1024;

const healthAnswer = z.object({ commit: z.string().max(200) });

export interface Probe {
  /** Where to connect, such as `http://127.0.0.1:20001`. */
  readonly address: string;
  /** Path with query. An author chose it: it never changes the host that is asked. */
  readonly path: string;
  /** Public address the request is for, when it is not the one connected to: sent as Host and shown in the summary. */
  readonly publicUrl?: string;
}

/**
 * One GET of a health endpoint over a connection of its own. Ok is any 2xx within 5 s; a failed connection is a result
 * with a readable summary, not an error.
 * @throws the abort reason
 */
export async function probeHttp({ address, path, publicUrl }: Probe, signal: AbortSignal): Promise<ProbeResult> {
  signal.throwIfAborted();
  const url = withPath(publicUrl ?? address, path);
  const deadline = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const { status, body } = await get(withPath(address, path), url.host, AbortSignal.any([signal, deadline]));
    const ok = status >= 200 && status < 300;
    return { ok, status, summary: `GET ${url.href} answered ${status}`, commit: ok ? commitOf(body) : null };
  } catch (error) {
    signal.throwIfAborted();
    const why = deadline.aborted ? `did not answer within ${TIMEOUT_MS / 1000} s` : explain(error);
    return { ok: false, status: null, summary: `GET ${url.href} ${why}`, commit: null };
  }
}

/** The address with that path. A relative URL such as `//host/` or `/\\host/` would name another host. */
function withPath(address: string, path: string): URL {
  const url = new URL(address);
  const [, pathname = '', search = ''] = /^([^?#]*)(\?[^#]*)?/.exec(path) ?? [];
  url.pathname = pathname;
  url.search = search;
  return url;
}

async function get(url: URL, host: string, signal: AbortSignal): Promise<{ status: number; body: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { host, accept: 'application/json', 'user-agent': 'fairlead-probe', connection: 'close' };
  request(url, { agent: false, signal, headers }, resolve)
    .once('error', reject)
    // One that switches protocols ends without an error, and no signal ends it any more.
    .once('close', () => reject(new Error('it is no answer of HTTP')))
    .end();
  const answer = await promise;
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of answer) {
    parts.push(part);
    size += part.length;
    if (size >= READ_LIMIT_BYTES) break;
  }
  answer.destroy();
  return { status: answer.statusCode ?? 0, body: Buffer.concat(parts).subarray(0, READ_LIMIT_BYTES).toString('utf8') };
}

function commitOf(body: string): string | null {
  try {
    return healthAnswer.parse(JSON.parse(body)).commit;
  } catch {
    // A health endpoint need not answer JSON, nor name a commit.
    return null;
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'was refused: the container does not run',
  // The engine's port forwarder accepts a connection before it knows whether anything listens in the container.
  ECONNRESET: 'was cut off: nothing listens on the declared port yet',
  EPIPE: 'was cut off: nothing listens on the declared port yet',
};

function explain(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return REASONS[code] ?? `failed: ${error instanceof Error ? error.message : String(error)}`;
}
