import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** So many wait on a connection; no client that is used sends more ahead. */
const MOST_WAITING = 32;

type Handle = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Has each connection of HTTP/1.1 answered one request after the other, in the order in which they came (RFC 9112, section
 * 9.3.2): a client that sends many ahead keeps one service connection, and not one for each. Whoever sends more ahead than
 * may wait is cut off.
 */
export function oneAtATime(handle: Handle): Handle {
  const lines = new WeakMap<
    Socket,
    { isBusy: boolean; readonly waiting: (readonly [IncomingMessage, ServerResponse])[] }
  >();
  return (request, response) => {
    const { socket } = request;
    const line = lines.get(socket) ?? { isBusy: false, waiting: [] };
    lines.set(socket, line);
    const begin = (one: IncomingMessage, answer: ServerResponse): void => {
      line.isBusy = true;
      answer.once('close', () => {
        line.isBusy = false;
        const next = line.waiting.shift();
        if (next !== undefined && !socket.destroyed) begin(...next);
      });
      handle(one, answer);
    };
    if (!line.isBusy) begin(request, response);
    else if (line.waiting.length < MOST_WAITING) line.waiting.push([request, response]);
    else socket.destroy();
  };
}
