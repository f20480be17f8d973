import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { type HttpCheck, MOST_BODY_BYTES } from '../../../domain/monitors/check-kinds.ts';
import { judgeBody, judgeStatus, needsBody } from '../../../domain/monitors/judge-http.ts';
import { dialOptions, openTls } from '../dial.ts';
import { type Finding, failed, OK } from '../finding.ts';
import type { ProbeGuard } from '../probe-guard.ts';
import { readStart } from '../read-start.ts';

const MOST_HEADER_BYTES = 16 * 1024;
const HEADERS = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'Fairlead-Monitor', connection: 'close' };

/**
 * One request on a connection of its own. Redirects are not followed. The body is read, up to a limit, where something is
 * expected of it; otherwise the status decides.
 */
export async function checkHttp(check: HttpCheck, guard: ProbeGuard, signal: AbortSignal): Promise<Finding> {
  const url = new URL(check.url);
  const sent = await send(url, check.method, guard, signal);
  const stop = (): void => void sent.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const answer = await answerTo(sent);
    const finding = await judge(check, url, answer);
    // A short answer is there whole by now, and its connection ends by itself: to cut it off costs more.
    if (answer.complete) answer.resume();
    else sent.destroy();
    return finding;
  } catch (error) {
    sent.destroy();
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

async function send(url: URL, method: string, guard: ProbeGuard, signal: AbortSignal): Promise<ClientRequest> {
  const isTls = url.protocol === 'https:';
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port);
  const options = await dialOptions({ host: url.hostname, port }, guard);
  signal.throwIfAborted();
  const open = (): Socket =>
    isTls ? openTls(options, guard, { servername: url.hostname, rejectUnauthorized: true }) : connect(options);
  return request({
    ...{ host: url.hostname, port, method, path: url.pathname + url.search, defaultPort: isTls ? 443 : 80 },
    headers: method === 'POST' ? { ...HEADERS, 'content-length': 0 } : HEADERS,
    createConnection: open,
    maxHeaderSize: MOST_HEADER_BYTES,
  }).end();
}

async function answerTo(sent: ClientRequest): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  sent.once('response', resolve);
  // It stays: an error that comes later would end the thread.
  sent.on('error', reject);
  // Of a server that switches protocols, nothing else is heard.
  sent.once('close', () => reject(Object.assign(new Error('no answer'), { code: 'HPE_NO_ANSWER' })));
  return await promise;
}

async function judge(check: HttpCheck, url: URL, answer: IncomingMessage): Promise<Finding> {
  const status = answer.statusCode ?? 0;
  answer.on('error', () => undefined);
  const fault = judgeStatus(check, { status, redirectsTo: redirectOf(answer, url) });
  if (fault !== null) return failed(fault.problem, fault.message, status);
  if (check.method === 'HEAD' || !needsBody(check)) return { ...OK, status };
  const encoding = answer.headers['content-encoding'] ?? null;
  const body = await readStart(answer, { encoding, most: MOST_BODY_BYTES });
  if (body === null) return failed('protocol', 'the answer has an encoding that was not asked for', status);
  const bodyFault = judgeBody(check, body);
  return bodyFault === null ? { ...OK, status } : failed(bodyFault.problem, bodyFault.message, status);
}

/** The host alone: a path or a query may hold what nobody but its reader may know. */
function redirectOf({ statusCode = 0, headers: { location } }: IncomingMessage, url: URL): string | null {
  if (statusCode < 300 || statusCode > 399 || location === undefined) return null;
  return URL.parse(location, url.href)?.host.slice(0, 100) ?? null;
}
