import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { decodeProtectedHeader } from 'jose';
import { type WebSocket, WebSocketServer } from 'ws';
import type { AccessTokenClaims } from '../../domain/identity/claims.ts';
import type { Passport } from '../../domain/passport/passport.ts';
import type { IdentityDeps } from '../identity/deps.ts';
import { findOwnToken } from '../identity/oauth/own-token.ts';
import { createConnectionLimits, DEFAULT_LIMITS, type LimitSettings } from './connection-limits.ts';
import { createPassportSubscriptions, type PassportSubscriptions } from './passport-subscriptions.ts';
import { readConnectedServices, readPassports } from './read-passports.ts';
import { CLOSE, type PassportEvent, type Subscriber } from './subscriber.ts';

export const PASSPORT_PATH = '/passport';

/** Codes of RFC 6455, 7.4.1, and of the registry it made. */
const GOING_AWAY = 1001;
const POLICY_VIOLATION = 1008;
const TRY_AGAIN_LATER = 1013;

/** Clients have nothing to say here. */
const MAX_MESSAGE_BYTES = 1_024;
const MAX_MESSAGES_PER_BEAT = 20;
const HEARTBEAT_MS = 30_000;
/** One who does not read is let go. */
const MAX_UNSENT_BYTES = 65_536;

export interface PassportSocketOptions {
  readonly stopping: AbortSignal;
  /** Network address of the client, behind whatever proxies are trusted. */
  readonly addressOf: (request: IncomingMessage) => string;
  readonly limits?: LimitSettings;
  /** Shortened in tests. */
  readonly heartbeatMs?: number;
}

/** Listens to `upgrade` of the provider's HTTP server. */
export type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/**
 * The passport socket, `GET /passport?token=…` (spec 1, "Passport socket"): the passport on connect, again when roles,
 * orgs or branding change, and `revoked` within a second of a log-out or revocation. The token alone says who somebody
 * is: no cookie is read, so the origin of a page means nothing. The address, which holds it, is never logged.
 */
export function createPassportSocket(deps: IdentityDeps, options: PassportSocketOptions): UpgradeListener {
  const limits = createConnectionLimits(options.limits ?? DEFAULT_LIMITS);
  const log = deps.log.child({ part: 'passport-socket' });
  const subscriptions = createPassportSubscriptions(deps, log);
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: MAX_MESSAGE_BYTES });
  options.stopping.addEventListener('abort', () => {
    subscriptions.stop();
    for (const socket of sockets.clients) endAndCut(socket, GOING_AWAY, 'the server stops');
  });
  return (request, socket, head) => {
    // Until the handshake is over nobody else listens, and an unheard error ends the process.
    socket.on('error', () => socket.destroy());
    if (socket.destroyed) return;
    const url = URL.parse(request.url ?? '/', 'http://localhost');
    if (url?.pathname !== PASSPORT_PATH) return refuse(socket, '404 Not Found');
    if (options.stopping.aborted) return refuse(socket, '503 Service Unavailable');
    const address = options.addressOf(request);
    if (!limits.takeAddress(address)) return refuse(socket, '429 Too Many Requests');
    socket.once('close', () => limits.releaseAddress(address));
    sockets.handleUpgrade(request, socket, head, (opened) => {
      keepAlive(opened, options.heartbeatMs ?? HEARTBEAT_MS);
      welcome({ deps, subscriptions, limits }, opened, url.searchParams.getAll('token')).catch((error: unknown) => {
        log.error({ err: error }, 'a passport cannot be shown');
        opened.close(TRY_AGAIN_LATER, 'try again later');
      });
    });
  };
}

interface Parts {
  readonly deps: IdentityDeps;
  readonly subscriptions: PassportSubscriptions;
  readonly limits: ReturnType<typeof createConnectionLimits>;
}

async function welcome(
  { deps, subscriptions, limits }: Parts,
  socket: WebSocket,
  tokens: readonly string[],
): Promise<void> {
  const [token = '', ...others] = tokens;
  if (token === '') return socket.close(CLOSE.missingToken, 'there is no token');
  const claims = others.length > 0 ? null : await findOwnToken(deps, token);
  if (claims === null) return socket.close(CLOSE.invalidToken, 'the token is not valid');
  const passport = await readPassport(deps, claims);
  if (passport === null) return socket.close(CLOSE.noUser, 'there is no such user, or it is suspended');
  if (socket.readyState !== socket.OPEN) return;
  if (!limits.takeHolder(claims.sub)) return socket.close(TRY_AGAIN_LATER, 'too many connections');
  const subscriber: Subscriber = {
    claims,
    keyId: decodeProtectedHeader(token).kid ?? '',
    passport,
    send: (event) => send(socket, event),
    close: (code, reason) => socket.close(code, reason),
  };
  socket.once('close', () => {
    subscriptions.remove(subscriber);
    limits.releaseHolder(claims.sub);
  });
  send(socket, { type: 'identity', passport });
  subscriptions.add(subscriber);
}

async function readPassport(deps: IdentityDeps, claims: AccessTokenClaims): Promise<Passport | null> {
  const connectedServices = await readConnectedServices(deps, claims);
  const [passport = null] = await readPassports(deps, [{ claims, connectedServices }]);
  return passport;
}

/** Finds out who is gone without a word, and lets nobody talk all the time. */
function keepAlive(socket: WebSocket, heartbeatMs: number): void {
  let alive = true;
  let messages = 0;
  const beat = setInterval(() => {
    if (!alive) return socket.terminate();
    alive = false;
    messages = 0;
    socket.ping();
  }, heartbeatMs).unref();
  socket.on('pong', () => {
    alive = true;
  });
  socket.on('message', () => {
    messages += 1;
    if (messages > MAX_MESSAGES_PER_BEAT) socket.close(POLICY_VIOLATION, 'clients send no messages here');
  });
  // Too large a message, or broken frames: ws closes by itself.
  socket.on('error', () => {});
  socket.once('close', () => clearInterval(beat));
}

function send(socket: WebSocket, event: PassportEvent): void {
  if (socket.readyState !== socket.OPEN) return;
  if (socket.bufferedAmount > MAX_UNSENT_BYTES) socket.terminate();
  else socket.send(JSON.stringify(event));
}

const CLOSE_LIMIT_MS = 2_000;

/** A server that stops does not wait for clients that do not answer. */
function endAndCut(socket: WebSocket, code: number, reason: string): void {
  socket.close(code, reason);
  setTimeout(() => socket.terminate(), CLOSE_LIMIT_MS).unref();
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
