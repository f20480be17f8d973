import { Agent } from 'node:https';
import { rootCertificates } from 'node:tls';
import type { Client } from 'acme-client';
import { problemOf } from './acme-problem.ts';

export type AcmeLibrary = typeof import('acme-client');

export interface AcmeClientSettings {
  /** Certificates (PEM) that the authority's own address is trusted by besides the usual ones; null for none. */
  readonly ca: string | null;
  readonly now: () => Date;
}

/** One request, its body included. */
const TIMEOUT_MS = 30_000;
const MOST_BYTES = 1024 * 1024;

let loaded: Promise<AcmeLibrary> | null = null;
const trusted = new Set<string>();

/**
 * Loads the library with the first order: it takes 27 MB. It has one HTTP client for the process, which is told here what it
 * trusts, that waiting is not its work, and to throw what an authority says as an error of ours.
 */
export async function loadAcme({ ca, now }: AcmeClientSettings): Promise<AcmeLibrary> {
  loaded ??= load(now);
  const acme = await loaded;
  if (ca !== null && !trusted.has(ca)) {
    trusted.add(ca);
    acme.axios.defaults.httpsAgent = new Agent({ ca: [...rootCertificates, ...trusted], keepAlive: true });
  }
  return acme;
}

async function load(now: () => Date): Promise<AcmeLibrary> {
  const { default: acme } = (await import('acme-client')) as unknown as { readonly default: AcmeLibrary };
  const { defaults, interceptors } = acme.axios;
  // Its own retry calls again what a workflow calls again, and throws a TypeError in place of a connection that was refused.
  for (const kind of [interceptors.request, interceptors.response]) kind.clear();
  Object.assign(defaults, { timeout: TIMEOUT_MS, maxRedirects: 0, maxContentLength: MOST_BYTES, validateStatus: null });
  interceptors.response.use((response) => {
    const problem = problemOf({ status: response.status, headers: response.headers, data: response.data }, now);
    if (problem !== null) throw problem;
    return response;
  });
  return acme;
}

/** What the directory of an authority says (RFC 8555, section 7.1.1; RFC 9773, section 4.1). */
export interface AcmeDirectory {
  readonly renewalInfo?: string;
  readonly meta?: { readonly caaIdentities?: readonly string[]; readonly profiles?: Readonly<Record<string, string>> };
}

export type AcmeClient = Client;
