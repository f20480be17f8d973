import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { pipeline } from 'node:stream';
import { BAD_ANSWER, faultOf } from './bad-answer.ts';
import type { EdgeRequest, EdgeResponse } from './edge-message.ts';
import { answerError, answerPlainly, type EdgeError, type PlainAnswer } from './error-page.ts';
import { hasBody, requestHeaders, responseHeaders } from './forward-headers.ts';

/** Where a request goes. */
export interface Destination {
  readonly address: URL;
  /** The IPv4 address of this machine that the service sees it come from; without it, the system chooses. */
  readonly localAddress?: string;
  /** Whether the client is told to come over TLS alone (RFC 6797), unless the service says something of that itself. */
  readonly strictTransport?: true;
  /** How long its first byte may take, where that is less than elsewhere. */
  readonly answerTimeoutMs?: number;
  /** What is answered while nobody does there; null for the error that says so. */
  readonly instead?: (request: EdgeRequest) => PlainAnswer | null;
}

export type Finding = Destination | { readonly error: EdgeError } | { readonly answer: PlainAnswer };

/** Says where a request goes at this moment, or what it is answered here. */
export type FindAddress = (request: EdgeRequest) => Finding;

export interface ForwardOptions {
  readonly find: FindAddress;
  readonly onError: (error: unknown) => void;
  readonly connectTimeoutMs: number;
  /** From the connection to the first byte of the answer. */
  readonly answerTimeoutMs: number;
}

export interface ForwarderOptions extends ForwardOptions {
  /** Lets a request in that goes to a service, until it is answered; false where as many are in hand as may be. */
  readonly enter: (request: EdgeRequest, response: EdgeResponse, destination: URL) => boolean;
}

export interface Forwarder {
  /** It throws nothing. */
  forward(incoming: EdgeRequest, response: EdgeResponse): void;
  close(): void;
}

const UNREACHABLE: EdgeError = {
  status: 502,
  title: 'The service does not answer',
  advice: 'Its container may be starting again. See fairlead status and fairlead logs.',
};
const TOO_SLOW: EdgeError = {
  status: 504,
  title: 'The service took too long to answer',
  advice: 'It accepted the request and sent nothing back. See fairlead logs.',
};

const BUSY: EdgeError = {
  status: 503,
  title: 'The router has as many requests in hand as it can',
  advice: 'Try again in a moment.',
};

/** For a request that Node's parser takes and its client refuses to send. */
const UNFIT: EdgeError = {
  status: 400,
  title: 'The request cannot be passed on',
  advice: 'A header or the path holds characters that none may have.',
};
const BROKEN: EdgeError = {
  status: 503,
  title: 'The request could not be passed on',
  advice: 'Try again; the router’s log says why.',
};

/** Methods that mean the same when they arrive twice (RFC 9110, section 9.2.2). */
const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);
const LOST_CONNECTION: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

/**
 * Passes requests on, streaming both ways.
 *
 * A kept-alive connection may be closed by the service in the very moment it is used, as happens when an old workload
 * ends. So only requests that may safely be sent twice go over kept-alive connections; each of those that is lost before
 * an answer began is sent once more, over a new connection to where the route leads by then. All others get a connection
 * of their own, and are sent once more only when that could not be made: their body is not touched before it is.
 */
export function createForwarder(options: ForwarderOptions): Forwarder {
  const reusing = new Agent({ keepAlive: true, maxFreeSockets: 64 });
  const single = new Agent({ keepAlive: false });

  const send = (incoming: EdgeRequest, response: EdgeResponse, isRepeat: boolean): void => {
    const found = options.find(incoming);
    const strictTransport = 'address' in found && found.strictTransport === true;
    const exchange = { incoming, response, onError: options.onError, strictTransport };
    if (!('address' in found)) {
      answerHere(found, incoming, response);
      return;
    }
    // What is answered here, as challenges of certificate authorities are, waits for nobody.
    if (!isRepeat && !options.enter(incoming, response, found.address)) {
      answerError(incoming, response, BUSY);
      return;
    }
    const withBody = hasBody(incoming);
    const safe = !withBody && IDEMPOTENT.has(incoming.method ?? '');
    const outgoing = open(incoming, found, safe && !isRepeat ? reusing : single);
    const { answerTimeoutMs = options.answerTimeoutMs } = found;
    const watch = watchConnection(outgoing, { ...options, answerTimeoutMs });
    const onClientGone = (): void => {
      if (!response.writableFinished) outgoing.destroy();
    };
    response.once('close', onClientGone);
    // A request that breaks off must not look whole to the service, though a stream of HTTP/2 ends after this.
    incoming.once('aborted', () => outgoing.destroy());

    outgoing.once('response', (answer) => {
      watch.answered();
      if (!guarded(exchange, () => relayAnswer(answer, exchange))) answer.destroy();
    });
    // Nobody asked for another protocol, so whatever would follow is not HTTP.
    outgoing.once('upgrade', (_answer, upstream) => {
      watch.answered();
      upstream.destroy();
      refuseAnswer('a switch of protocols that nobody asked for', exchange);
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (watch.hasAnswer() || response.destroyed) return;
      const lost = safe && LOST_CONNECTION.has(error.code ?? '');
      if (!isRepeat && (lost || !watch.wasConnected())) {
        response.off('close', onClientGone);
        guarded(exchange, () => send(incoming, response, true));
        return;
      }
      options.onError(error);
      incoming.unpipe(outgoing);
      answerInstead(found, incoming, response, watch.wasTooSlow() ? TOO_SLOW : UNREACHABLE);
    });
    watch.onConnected(() => {
      if (withBody) incoming.pipe(outgoing);
      else outgoing.end();
    });
  };

  return {
    forward(incoming, response) {
      guarded({ incoming, response, onError: options.onError }, () => send(incoming, response, false));
    },
    close() {
      reusing.destroy();
      single.destroy();
    },
  };
}

/**
 * Does work in an event of a socket, where what is thrown would end this process, and every request with it.
 * @returns false where it threw: then the client was told
 */
function guarded({ incoming, response, onError }: Exchange, work: () => void): boolean {
  try {
    work();
    return true;
  } catch (error) {
    onError(error);
    answerError(incoming, response, isRefusedByNode(error) ? UNFIT : BROKEN);
    return false;
  }
}

function isRefusedByNode(error: unknown): boolean {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_');
}

/** What is said when nobody answered there. */
function answerInstead(
  { instead }: Destination,
  incoming: EdgeRequest,
  response: EdgeResponse,
  error: EdgeError,
): void {
  const answer = instead?.(incoming) ?? null;
  if (answer !== null) answerPlainly(incoming, response, answer);
  else answerError(incoming, response, error);
}

/** What is said without asking a service. */
export function answerHere(found: Exclude<Finding, Destination>, incoming: EdgeRequest, response: EdgeResponse): void {
  if ('error' in found) answerError(incoming, response, found.error);
  else answerPlainly(incoming, response, found.answer);
}

function open(incoming: EdgeRequest, destination: Destination, agent: Agent): ClientRequest {
  return request({
    ...connectionTo(destination),
    method: incoming.method,
    path: incoming.url,
    headers: requestHeaders(incoming),
    setHost: false,
    agent,
  });
}

/** Options of a connection to there. */
export function connectionTo({ address, localAddress }: Destination) {
  return {
    host: address.hostname.replace(/^\[|\]$/g, ''),
    port: address.port,
    ...(localAddress === undefined ? {} : { localAddress, family: 4 }),
  };
}

interface ConnectionWatch {
  onConnected(action: () => void): void;
  wasConnected(): boolean;
  answered(): void;
  hasAnswer(): boolean;
  wasTooSlow(): boolean;
}

/** Knows how far a request got, and ends it when a stage takes too long. */
export function watchConnection(
  outgoing: ClientRequest,
  limits: Pick<ForwardOptions, 'connectTimeoutMs' | 'answerTimeoutMs'>,
): ConnectionWatch {
  const state = { connected: false, answered: false, tooSlow: false };
  const actions: (() => void)[] = [];
  const giveUp = (): void => {
    state.tooSlow = state.connected;
    outgoing.destroy(Object.assign(new Error('the service did not answer in time'), { code: 'ETIMEDOUT' }));
  };
  let timer = setTimeout(giveUp, limits.connectTimeoutMs);
  const connected = (): void => {
    state.connected = true;
    clearTimeout(timer);
    timer = setTimeout(giveUp, limits.answerTimeoutMs);
    for (const action of actions) action();
  };
  outgoing.once('socket', (socket) => {
    if (socket.connecting) socket.once('connect', connected);
    else connected();
  });
  outgoing.once('close', () => clearTimeout(timer));
  return {
    onConnected: (action) => actions.push(action),
    wasConnected: () => state.connected,
    answered() {
      state.answered = true;
      clearTimeout(timer);
    },
    hasAnswer: () => state.answered,
    wasTooSlow: () => state.tooSlow,
  };
}

export interface Exchange {
  readonly incoming: EdgeRequest;
  readonly response: EdgeResponse;
  readonly onError: (error: unknown) => void;
  readonly strictTransport?: boolean;
}

/** Half a year, for this host alone. */
const STRICT_TRANSPORT = ['strict-transport-security', 'max-age=15552000'] as const;

/**
 * Sends an answer on, without its trailers. One that breaks off breaks off for the client too: it must not look whole. One
 * that is not valid HTTP becomes a 502.
 */
export function relayAnswer(answer: IncomingMessage, exchange: Exchange): void {
  const { response } = exchange;
  const fault = faultOf(answer);
  if (fault !== null) {
    answer.destroy();
    refuseAnswer(fault, exchange);
    return;
  }
  const headers = responseHeaders(answer);
  const isSaid = answer.headers['strict-transport-security'] !== undefined;
  if (exchange.strictTransport === true && !isSaid) headers.push(...STRICT_TRANSPORT);
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, headers);
  // Of an answer without a body, HTTP/2 has ended with its headers.
  if (response.writableEnded) {
    answer.resume();
    return;
  }
  // Without a length this may be a stream of events: its headers do not wait for the first of them.
  if (answer.headers['content-length'] === undefined) response.flushHeaders();
  pipeline(answer, response, () => {
    // A failure on either side has destroyed both, which is all that can be told to anybody at this point.
  });
}

/** Tells the client that the service's answer is unfit, and the operator why. */
export function refuseAnswer(fault: string, { incoming, response, onError }: Exchange): void {
  onError(new Error(`${incoming.headers.host}: an answer was refused: ${fault}`));
  answerError(incoming, response, BAD_ANSWER);
}
