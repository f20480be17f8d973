import { readFileSync } from 'node:fs';
import { ROUTER_ADDRESS } from '../../domain/status-page/router-address.ts';
import { snapshotPath } from '../status-page/snapshot-files.ts';
import type { EdgeRequest } from './edge-message.ts';
import type { EdgeError, PlainAnswer } from './error-page.ts';
import type { Destination, Finding } from './forward-request.ts';
import { hostOf } from './host-name.ts';

export interface StatusPageHostOptions {
  /** Public address of the status page: its host is led to the uptime monitor. */
  readonly statusUrl: string;
  readonly monitorUrl: string;
  /** Where copies of the pages are. */
  readonly folder: string;
  /** Whose page it is at `/`. */
  readonly platformOrg: string;
  readonly onError: (error: unknown) => void;
}

/** What the public reads; the rest of the monitor has an address of its own. */
const PUBLIC =
  /^\/(?:$|\?|status\/|changelog\/|api\/v2\/|badges\/|assets\/|(?:feed\.atom|maintenance\.ics|subscribe)(?:$|\?)|(?:alerts|subscribers)\/(?:confirm|stop)\?)/;
const NOT_HERE: EdgeError = {
  status: 404,
  title: 'This is not a part of the status page',
  advice: 'The uptime monitor has an address of its own.',
};
/** Whoever asks how things are does not wait for what is down. */
const ANSWER_MS = 3_000;

const COPY_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

/**
 * Leads the host of the status page to the uptime monitor, and answers with the last copy of the page, which says of when it
 * is, while the monitor does not. Null for every other host.
 */
export function createStatusPageHost(
  options: StatusPageHostOptions,
): (host: string, request: EdgeRequest) => Finding | null {
  const own = hostOf(new URL(options.statusUrl).host);
  const address = new URL(options.monitorUrl);
  const destination: Destination = {
    address,
    ...(isOnThisLinux(address) && { localAddress: ROUTER_ADDRESS }),
    answerTimeoutMs: ANSWER_MS,
    instead: (request) => copyOf(options, request),
  };
  return (host, { url = '' }) => {
    if (host !== own) return null;
    return PUBLIC.test(url) ? destination : { error: NOT_HERE };
  };
}

function isOnThisLinux({ hostname }: URL): boolean {
  return process.platform === 'linux' && (hostname === '127.0.0.1' || hostname === 'localhost');
}

function copyOf(
  { folder, platformOrg, onError }: StatusPageHostOptions,
  { method, url = '' }: EdgeRequest,
): PlainAnswer | null {
  const [, org] = /^\/status\/([^/?]+)(?:\?|$)/.exec(url) ?? [];
  const isPage = (method === 'GET' || method === 'HEAD') && (org !== undefined || /^\/(?:\?|$)/.test(url));
  const path = isPage ? snapshotPath(folder, org ?? platformOrg) : null;
  if (path === null) return null;
  try {
    return { status: 200, headers: COPY_HEADERS, body: readFileSync(path, 'utf8') };
  } catch (error) {
    // Without a copy, the visitor is told that nobody answers.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') onError(error);
    return null;
  }
}
