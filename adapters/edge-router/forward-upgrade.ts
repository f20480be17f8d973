import { type IncomingMessage, request, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { faultOfUpgrade } from './bad-answer.ts';
import { answerError, type EdgeError } from './error-page.ts';
import { requestHeaders } from './forward-headers.ts';
import {
  answerHere,
  connectionTo,
  type ForwardOptions,
  refuseAnswer,
  relayAnswer,
  watchConnection,
} from './forward-request.ts';

const UNREACHABLE: EdgeError = {
  status: 502,
  title: 'The service does not answer',
  advice: 'The WebSocket could not be opened. See fairlead status and fairlead logs.',
};

/** Once one side has ended, the other has so long to do the same: a WebSocket has no use for half a connection (RFC 6455, 7.1.1). */
const HALF_CLOSED_MS = 10_000;

const FULL: EdgeError = {
  status: 503,
  title: 'Too many WebSockets are open',
  advice: 'Try again in a moment.',
};

export interface UpgradeOptions extends ForwardOptions {
  /** Lets a WebSocket in until its connection ends; false where as many are open as may be. */
  readonly enter: (request: IncomingMessage, until: Socket, destination: URL) => boolean;
}

/** Passes a WebSocket handshake on and, once the service agreed, joins both connections. */
export function forwardUpgrade(incoming: IncomingMessage, socket: Socket, head: Buffer, options: UpgradeOptions): void {
  socket.on('error', () => socket.destroy());
  const found = options.find(incoming);
  if (!('address' in found)) {
    answerHere(found, incoming, plainResponse(incoming, socket));
    return;
  }
  if (!options.enter(incoming, socket, found.address)) {
    answerError(incoming, plainResponse(incoming, socket), FULL);
    return;
  }
  const outgoing = request({
    ...connectionTo(found),
    method: incoming.method,
    path: incoming.url,
    headers: { ...requestHeaders(incoming), connection: 'Upgrade', upgrade: 'websocket' },
    setHost: false,
    agent: false,
  });
  const watch = watchConnection(outgoing, options);
  const onClientGone = (): void => void outgoing.destroy();
  socket.once('close', onClientGone);

  const exchange = () => ({ incoming, response: plainResponse(incoming, socket), onError: options.onError });
  outgoing.once('upgrade', (answer, upstream: Socket, upstreamHead) => {
    watch.answered();
    socket.off('close', onClientGone);
    const fault = faultOfUpgrade(answer);
    if (fault !== null) {
      upstream.destroy();
      refuseAnswer(fault, exchange());
      return;
    }
    join(answer, [socket, head], [upstream, upstreamHead]);
  });
  outgoing.once('response', (answer) => {
    watch.answered();
    relayAnswer(answer, exchange());
  });
  outgoing.on('error', (error) => {
    if (watch.hasAnswer() || socket.destroyed) return;
    options.onError(error);
    answerError(incoming, plainResponse(incoming, socket), UNREACHABLE);
  });
  outgoing.end();
}

type Side = readonly [socket: Socket, head: Buffer];

function join(answer: IncomingMessage, [client, clientHead]: Side, [upstream, upstreamHead]: Side): void {
  const lines = [`HTTP/1.1 101 ${answer.statusMessage ?? 'Switching Protocols'}`];
  for (let index = 0; index < answer.rawHeaders.length; index += 2) {
    lines.push(`${answer.rawHeaders[index]}: ${answer.rawHeaders[index + 1]}`);
  }
  client.write(`${lines.join('\r\n')}\r\n\r\n`);
  if (upstreamHead.length > 0) client.write(upstreamHead);
  if (clientHead.length > 0) upstream.write(clientHead);
  const cut = (): void => {
    client.destroy();
    upstream.destroy();
  };
  for (const socket of [client, upstream]) {
    socket.setTimeout(0);
    socket.setNoDelay(true);
    // A peer that vanished without a word is noticed, however long the silence may last.
    socket.setKeepAlive(true, 30_000);
    socket.once('end', () => setTimeout(cut, HALF_CLOSED_MS).unref());
    // Two pipelines and a server over TLS listen to it, each for its own end.
    socket.setMaxListeners(30);
  }
  const ended = (): void => {
    // A failure on either side has destroyed both.
  };
  pipeline(client, upstream, ended);
  pipeline(upstream, client, ended);
}

/** An ordinary answer on a connection that asked for an upgrade; the connection ends with it. */
function plainResponse(incoming: IncomingMessage, socket: Socket): ServerResponse {
  const response = new ServerResponse(incoming);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  // With its other half: nothing reads this connection any more, and no timer of the server ends it.
  response.once('finish', () => socket.destroySoon());
  return response;
}
