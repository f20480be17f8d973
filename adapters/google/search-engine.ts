import { z } from 'zod';
import { FairleadError } from '../../domain/errors.ts';
import type { SearchEngine } from '../../domain/properties/ports.ts';
import { scopeOf } from '../../domain/properties/quota.ts';
import type { Counted, GoogleClient } from './google-client.ts';

const BASE = 'https://www.googleapis.com/siteVerification/v1';
const METHOD = 'DNS_TXT';

const perMinute = (key: string, calls: number) => scopeOf({ key, vendor: 'Google', calls, windowMs: 60_000 });

/** Below what a project has: Site Verification is not made for many calls, and Search Console takes 20 a second. */
const VERIFICATION = perMinute('google/site-verification', 240);
const SITES = perMinute('google/search-console-sites', 600);
/** Of those for what people ask: whoever asks again and again takes a quarter of them from runs and nightly checks, and no more. */
const QUESTIONS = perMinute('google/site-verification/questions', 60);
/** A person does not wait for the next minute. */
const QUESTION_WAIT_MS = 5_000;

const tokenSchema = z.object({ token: z.string().min(1).max(255) });
const resourceSchema = z.object({ id: z.string(), owners: z.array(z.string()).default([]) });

type Resource = z.output<typeof resourceSchema>;

const siteOf = (domain: string) => ({ type: 'INET_DOMAIN', identifier: domain });
const resourceUrl = (domain: string): string => `${BASE}/webResource/${encodeURIComponent(`dns://${domain}`)}`;

/**
 * Google as search engine: Site Verification by its auth and request library, and the properties of Search Console by
 * its client library, which is loaded with the first call of it.
 * @param asks whose questions these are: those of people have a smaller budget, and wait less for it
 */
export function createGoogleSearchEngine(client: GoogleClient, asks: 'runs' | 'people' = 'runs'): SearchEngine {
  const counted: Counted =
    asks === 'runs' ? { scopes: [VERIFICATION] } : { scopes: [QUESTIONS, VERIFICATION], waitMs: QUESTION_WAIT_MS };
  const read = (domain: string): Promise<Resource> =>
    client.request(resourceSchema, { method: 'GET', url: resourceUrl(domain) }, counted);
  return {
    async requestToken(domain) {
      const body = { verificationMethod: METHOD, site: siteOf(domain) };
      return (await client.request(tokenSchema, { method: 'POST', url: `${BASE}/token`, body }, counted)).token;
    },
    async confirm(domain) {
      const url = `${BASE}/webResource?verificationMethod=${METHOD}`;
      try {
        await client.request(resourceSchema, { method: 'POST', url, body: { site: siteOf(domain) } }, counted);
        return { confirmed: true };
      } catch (error) {
        const reason = reasonOfMiss(error);
        if (reason === null) throw error;
        return { confirmed: false, reason };
      }
    },
    async isVerified(domain) {
      try {
        await read(domain);
        return true;
      } catch (error) {
        if (isNoOwner(error)) return false;
        throw error;
      }
    },
    async addOwners(domain, emails) {
      const { id, owners } = await read(domain).catch((error: unknown) => {
        throw isNoOwner(error) ? noOwner(domain, error) : error;
      });
      const missing = emails.filter((email) => !owners.some((known) => known.toLowerCase() === email.toLowerCase()));
      if (missing.length === 0) return owners;
      const body = { id, site: siteOf(domain), owners: [...owners, ...missing] };
      return (await client.request(resourceSchema, { method: 'PUT', url: resourceUrl(domain), body }, counted)).owners;
    },
    async addProperty(domain) {
      await client.withAuth({ scopes: [SITES] }, async (auth) => {
        const { searchconsole } = await import('@googleapis/searchconsole');
        await searchconsole({ version: 'v1', auth, retry: false }).sites.add({ siteUrl: `sc-domain:${domain}` });
      });
    },
  };
}

interface GoogleDetails {
  readonly status?: number;
  readonly reason?: string;
}

function detailsOf(error: unknown): GoogleDetails {
  return error instanceof FairleadError && error.system === 'google' ? ((error.details ?? {}) as GoogleDetails) : {};
}

/** Google says with a 400 that it looked and found no record; null for every other error. */
function reasonOfMiss(error: unknown): string | null {
  const { status } = detailsOf(error);
  if (status !== 400 || !(error instanceof FairleadError)) return null;
  return /verification token/i.test(error.message) ? error.message : null;
}

/** It knows no such resource, or none of ours. */
function isNoOwner(error: unknown): boolean {
  const { status, reason } = detailsOf(error);
  return status === 404 || (status === 403 && reason === 'forbidden');
}

function noOwner(domain: string, cause: unknown): FairleadError {
  const message = `Google does not hold the platform for an owner of ${domain}: verify it first`;
  return new FairleadError('GOOGLE_PERMISSION', message, { system: 'google', details: detailsOf(cause) });
}
