import { Agent, type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { BAD_ANSWER, faultOf } from './bad-answer.ts';
import { answerError, type EdgeError } from './error-page.ts';
import { hasBody, requestHeaders, responseHeaders } from './forward-headers.ts';

/** Where a request goes. */
export interface Destination {
  readonly address: URL;
  /** The IPv4 address of this machine that the service sees it come from; without it, the system chooses. */
  readonly localAddress?: string;
}

/** Says where a request goes at this moment, or why it goes nowhere. */
export type FindAddress = (request: IncomingMessage) => Destination | { readonly error: EdgeError };

export interface ForwardOptions {
  readonly find: FindAddress;
  readonly onError: (error: unknown) => void;
  readonly connectTimeoutMs: number;
  /** From the connection to the first byte of the answer. */
  readonly answerTimeoutMs: number;
}

export interface Forwarder {
  forward(incoming: IncomingMessage, response: ServerResponse): void;
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
export function createForwarder(options: ForwardOptions): Forwarder {
  const reusing = new Agent({ keepAlive: true, maxFreeSockets: 64 });
  const single = new Agent({ keepAlive: false });

  const send = (incoming: IncomingMessage, response: ServerResponse, isRepeat: boolean): void => {
    const found = options.find(incoming);
    if ('error' in found) {
      answerError(incoming, response, found.error);
      return;
    }
    const withBody = hasBody(incoming);
    const safe = !withBody && IDEMPOTENT.has(incoming.method ?? '');
    const outgoing = open(incoming, found, safe && !isRepeat ? reusing : single);
    const watch = watchConnection(outgoing, options);
    const onClientGone = (): void => {
      if (!response.writableFinished) outgoing.destroy();
    };
    response.once('close', onClientGone);

    outgoing.once('response', (answer) => {
      watch.answered();
      relayAnswer(answer, { incoming, response, onError: options.onError });
    });
    // Nobody asked for another protocol, so whatever would follow is not HTTP.
    outgoing.once('upgrade', (_answer, upstream) => {
      watch.answered();
      upstream.destroy();
      refuseAnswer('a switch of protocols that nobody asked for', { incoming, response, onError: options.onError });
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (watch.hasAnswer() || response.destroyed) return;
      const lost = safe && LOST_CONNECTION.has(error.code ?? '');
      if (!isRepeat && (lost || !watch.wasConnected())) {
        response.off('close', onClientGone);
        send(incoming, response, true);
        return;
      }
      options.onError(error);
      incoming.unpipe(outgoing);
      answerError(incoming, response, watch.wasTooSlow() ? TOO_SLOW : UNREACHABLE);
    });
    watch.onConnected(() => {
      if (withBody) incoming.pipe(outgoing);
      else outgoing.end();
    });
  };

  return {
    forward: (incoming, response) => send(incoming, response, false),
    close() {
      reusing.destroy();
      single.destroy();
    },
  };
}

function open(incoming: IncomingMessage, destination: Destination, agent: Agent): ClientRequest {
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
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly onError: (error: unknown) => void;
}

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
  response.writeHead(answer.statusCode ?? 502, answer.statusMessage, responseHeaders(answer));
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
