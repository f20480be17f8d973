import type { IncomingMessage } from 'node:http';
import type { Express, Request } from 'express';

/** The address of a request that never reaches a handler, as Express tells it to handlers: behind the trusted proxies. */
export function clientAddress(app: Express, request: IncomingMessage): string {
  const { headers, socket } = request;
  const seen: Request = Object.create(app.request, { headers: { value: headers }, socket: { value: socket } });
  return seen.ip ?? '';
}
