import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { type HttpCheck, MOST_BODY_BYTES } from '../../../domain/monitors/check-kinds.ts';
import { judgeBody, judgeStatus, needsBody } from '../../../domain/monitors/judge-http.ts';
import type { CheckReads } from '../check-reads.ts';
import { dialOptions, openMetered, openSocket, openTls } from '../dial.ts';
import { type Finding, failed, OK } from '../finding.ts';
import { refuseInterimAnswers } from '../interim-answers.ts';
import type { Probe } from '../probe.ts';
import { readStart } from '../read-start.ts';

const MOST_HEADER_BYTES = 16 * 1024;
/** A record of TLS, in which the body may begin. */
const RECORD_BYTES = 17 * 1024;
/** Of a body in many small chunks most bytes are of the chunks' own. */
const MOST_RAW_BODY_BYTES = 2 * MOST_BODY_BYTES;
const HEADERS = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'Fairlead-Monitor', connection: 'close' };

export interface HttpMeans {
  readonly probe: Probe;
  /** Headers besides the check's own, by lower-case names. */
  readonly send: Readonly<Record<string, string>>;
}

/**
 * One request on a connection of its own. Redirects are not followed. The body is read, up to a limit, where something is
 * expected of it; otherwise the status decides.
 */
export async function checkHttp(check: HttpCheck, means: HttpMeans, signal: AbortSignal): Promise<Finding> {
  const { probe } = means;
  const url = new URL(check.url);
  const sent = await send(url, check.method, means, signal);
  const stop = (): void => void sent.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const answer = await answerTo(sent, probe.reads);
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

async function send(
  url: URL,
  method: string,
  { probe, send: more }: HttpMeans,
  signal: AbortSignal,
): Promise<ClientRequest> {
  const socket = await open(url, probe, signal);
  probe.reads.allow(MOST_HEADER_BYTES + RECORD_BYTES);
  return request({
    ...{ host: url.hostname, port: url.port, method, path: url.pathname + url.search },
    defaultPort: url.protocol === 'https:' ? 443 : 80,
    headers: { ...HEADERS, ...more, ...(method === 'POST' && { 'content-length': 0 }) },
    createConnection: () => socket,
    maxHeaderSize: MOST_HEADER_BYTES,
  }).end();
}

/** Over plain HTTP the connection need not be there yet. */
async function open({ protocol, hostname, port }: URL, probe: Probe, signal: AbortSignal): Promise<Socket> {
  const isTls = protocol === 'https:';
  const target = { host: hostname, port: port === '' ? (isTls ? 443 : 80) : Number(port) };
  if (isTls) {
    const plain = await openSocket(target, probe, signal);
    return await openTls(plain, probe, { servername: hostname, rejectUnauthorized: true, signal });
  }
  const options = await dialOptions(target, probe);
  signal.throwIfAborted();
  return openMetered(options, probe);
}

async function answerTo(sent: ClientRequest, reads: CheckReads): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  sent.once('response', (answer) => {
    reads.allow(MOST_RAW_BODY_BYTES);
    resolve(answer);
  });
  refuseInterimAnswers(sent);
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
