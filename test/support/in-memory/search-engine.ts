import { createHash } from 'node:crypto';
import { FairleadError } from '../../../domain/errors.ts';
import type { SearchEngine } from '../../../domain/properties/ports.ts';

export interface InMemorySearchEngineOptions {
  /** What the search engine reads in the DNS. */
  readonly readTexts: (domain: string) => Promise<readonly string[]>;
}

const SELF = 'fairlead@project.iam.gserviceaccount.com';

/** A search engine in this process. */
export function createInMemorySearchEngine({ readTexts }: InMemorySearchEngineOptions) {
  const owners = new Map<string, readonly string[]>();
  const sites = new Set<string>();
  /** By domain: thrown by every call for it. */
  const faults = new Map<string, FairleadError>();
  const calls: string[] = [];

  const tokenOf = (domain: string): string =>
    `google-site-verification=${createHash('sha256').update(domain).digest('base64url')}`;
  const called = (what: string, domain: string): void => {
    calls.push(`${what} ${domain}`);
    const fault = faults.get(domain);
    if (fault !== undefined) throw fault;
  };
  const engine: SearchEngine = {
    async requestToken(domain) {
      called('token', domain);
      return tokenOf(domain);
    },
    async confirm(domain) {
      called('confirm', domain);
      if (!(await readTexts(domain)).includes(tokenOf(domain))) {
        const reason = 'The necessary verification token could not be found on your site.';
        return { confirmed: false, reason };
      }
      if (!owners.has(domain)) owners.set(domain, [SELF]);
      return { confirmed: true };
    },
    async isVerified(domain) {
      called('get', domain);
      return owners.has(domain);
    },
    async addOwners(domain, emails) {
      called('owners', domain);
      const known = owners.get(domain);
      if (known === undefined) {
        throw new FairleadError('GOOGLE_PERMISSION', 'You are not an owner of this site.', { system: 'google' });
      }
      const all = [...new Set([...known, ...emails])];
      owners.set(domain, all);
      return all;
    },
    async addProperty(domain) {
      called('site', domain);
      sites.add(`sc-domain:${domain}`);
    },
  };
  return { engine, owners, sites, faults, calls, tokenOf };
}

export type InMemorySearchEngine = ReturnType<typeof createInMemorySearchEngine>;
