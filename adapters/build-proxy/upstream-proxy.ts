import * as http from 'node:http';
import * as https from 'node:https';
import type { Socket } from 'node:net';
import { FairleadError } from '../../domain/errors.ts';
import type { ProcessEnv } from '../process/base-env.ts';
import type { Destination } from './egress-rules.ts';

/** The operator's own proxy for a destination, by the variables that curl and others read; null for none. */
export function upstreamFor(scheme: 'http' | 'https', destination: Destination, env: ProcessEnv): URL | null {
  const address = env[`${scheme}_proxy`] || env[`${scheme.toUpperCase()}_PROXY`];
  if (!address || isExempt(destination, env.no_proxy || env.NO_PROXY || '')) return null;
  return new URL(address.includes('://') ? address : `http://${address}`);
}

/** Entries of NO_PROXY: `*`, a name with all below it, either with a port. */
function isExempt({ host, port }: Destination, list: string): boolean {
  const entries = list.toLowerCase().split(/[\s,]+/);
  return entries.some((entry) => {
    const [, name = '', wanted] = /^\*?\.?(.*?)(?::(\d+))?$/.exec(entry) ?? [];
    if (entry === '*') return true;
    if (name === '' || (wanted !== undefined && Number(wanted) !== port)) return false;
    return host === name || host.endsWith(`.${name}`);
  });
}

/** What the upstream proxy is asked with. */
export function upstreamOptions(upstream: URL): http.RequestOptions {
  const { hostname, port, protocol, username, password } = upstream;
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port || (protocol === 'https:' ? 443 : 80),
    agent: false,
    headers: username === '' ? {} : { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` },
  };
}

export const requestUpstream = ({ protocol }: URL): typeof http.request =>
  protocol === 'https:' ? https.request : http.request;

/** A connection to the destination by the upstream proxy. @throws UNAVAILABLE */
export async function tunnelThrough(upstream: URL, { host, port }: Destination, timeoutMs: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  const path = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const { headers, ...options } = upstreamOptions(upstream);
  const request = requestUpstream(upstream)({
    ...options,
    method: 'CONNECT',
    path,
    headers: { ...headers, host: path },
    signal: AbortSignal.timeout(timeoutMs),
  });
  request.once('connect', (answer, socket: Socket, head) => {
    if (answer.statusCode !== 200) {
      socket.destroy();
      reject(failed(`it answered ${answer.statusCode}`));
      return;
    }
    if (head.length > 0) socket.unshift(head);
    resolve(socket);
  });
  request.on('error', (error) => reject(failed(error.message, error)));
  request.end();
  return promise;

  function failed(reason: string, cause?: unknown): FairleadError {
    return new FairleadError('UNAVAILABLE', `${path} was not reached by the operator's proxy: ${reason}`, { cause });
  }
}
