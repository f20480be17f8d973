import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import type { Authorization as AcmeAuthorization, Order } from 'acme-client';
import { z } from 'zod';
import type { SecretCipher } from '../../domain/config/ports.ts';
import {
  type AuthorityOrder,
  type Authorization,
  type CertificateAuthority,
  CHALLENGE_METHODS,
  type Challenge,
} from '../../domain/custom-domains/certificates/authority.ts';
import {
  ACCOUNT_KEY_CONTEXT,
  type AcmeAccount,
  type AcmeAccounts,
} from '../../domain/custom-domains/certificates/stores.ts';
import { FairleadError } from '../../domain/errors.ts';
import { type AcmeClient, type AcmeDirectory, type AcmeLibrary, loadAcme } from './acme-client.ts';
import { detailsOf, namesOf, secondsOf } from './acme-problem.ts';

export interface CertificateAuthorityOptions {
  readonly directoryUrl: string;
  readonly accounts: AcmeAccounts;
  readonly cipher: SecretCipher;
  /** Where the authority writes of what goes wrong; null for nowhere. */
  readonly email: string | null;
  /** Of an account at the authority that ours is bound to (RFC 8555, section 7.3.4); null where it asks for none. */
  readonly externalAccount: { readonly keyId: string; readonly hmacKey: string } | null;
  /** Such as `shortlived`, of those that the authority offers; null for its usual one. */
  readonly profile: string | null;
  /** Certificates (PEM) that the authority's own address is trusted by, besides the usual ones; null for none. */
  readonly ca: string | null;
  readonly now: () => Date;
}

/** How often a call is made again whose nonce was refused each of the five times that the library tries. */
const MORE_NONCES = 3;
/** How often an authority is asked when to renew that does not say so itself. */
const RENEWAL_INFO_SECONDS = 6 * 3_600;

const renewalInfoSchema = z.object({
  suggestedWindow: z.object({ start: z.iso.datetime({ offset: true }), end: z.iso.datetime({ offset: true }) }),
});

interface Session {
  readonly acme: AcmeLibrary;
  readonly client: AcmeClient;
  readonly directory: AcmeDirectory;
  readonly accountUrl: string;
}

/** A certificate authority by ACME. Its account is opened with the first call, and is the same in every worker. */
export function createCertificateAuthority(options: CertificateAuthorityOptions): CertificateAuthority {
  const { directoryUrl, profile, now } = options;
  let opened: Promise<Session> | null = null;
  const session = async (): Promise<Session> => {
    opened ??= openSession(options);
    const opening = opened;
    try {
      return await opening;
    } catch (error) {
      // The next one opens it anew, unless another caller does so already.
      if (opened === opening) opened = null;
      throw error;
    }
  };
  const call = async <T>(
    signal: AbortSignal,
    work: (session: Session) => Promise<T>,
    more = MORE_NONCES,
  ): Promise<T> => {
    signal.throwIfAborted();
    try {
      return await work(await session());
    } catch (error) {
      // Nothing was done of what had a nonce that is refused.
      if (more > 0 && error instanceof Error && /anti-replay nonce/i.test(error.message))
        return await call(signal, work, more - 1);
      // Whatever it was, the next call looks anew: at the account, and at what the directory says.
      if (detailsOf(error)?.type !== 'orderNotReady') opened = null;
      throw asOurs(error, directoryUrl);
    }
  };
  return {
    directoryUrl,
    describe: (signal) =>
      call(signal, async ({ directory, accountUrl }) => {
        const { meta, renewalInfo } = directory;
        return { caaIdentities: meta?.caaIdentities ?? [], accountUrl, hasRenewalInfo: renewalInfo !== undefined };
      }),
    placeOrder: ({ names, replaces }, signal) =>
      call(signal, async ({ client, directory }) => {
        const order = {
          identifiers: names.map((value) => ({ type: 'dns', value })),
          ...(profile === null ? {} : { profile }),
          // An authority that knows nothing of it may refuse the field.
          ...(replaces === null || directory.renewalInfo === undefined ? {} : { replaces }),
        };
        return readOrder(await client.createOrder(order));
      }),
    readOrder: (url, signal) =>
      call(signal, async ({ client }) => await orNull(async () => readOrder(await get(client, url)), isMalformed)),
    readAuthorizations: (url, signal) =>
      call(signal, async ({ client }) => {
        const authorizations = await client.getAuthorizations(await get(client, url));
        return await Promise.all(authorizations.map((one) => readAuthorization(client, one)));
      }),
    completeChallenge: (url, signal) =>
      call(signal, async ({ client }) => {
        // One that is no longer pending is as good: the next look says what became of it.
        await orIgnored(['malformed'], () => client.completeChallenge({ url } as never));
      }),
    finalize: (url, { names, key }, signal) =>
      call(signal, async ({ acme, client }) => {
        const [, csr] = await acme.crypto.createCsr({ altNames: [...names] }, key);
        await orIgnored(['orderNotReady'], async () => await client.finalizeOrder(await get(client, url), csr));
      }),
    download: (url, signal) => call(signal, async ({ client }) => await client.getCertificate(await get(client, url))),
    renewalInfo: (renewalId, signal) =>
      call(signal, async ({ acme, directory }) => {
        if (directory.renewalInfo === undefined) return null;
        const answer = await orNull(() => acme.axios.get(`${directory.renewalInfo}/${renewalId}`));
        if (answer === null) return null;
        const { suggestedWindow } = renewalInfoSchema.parse(answer.data);
        const window = { start: new Date(suggestedWindow.start), end: new Date(suggestedWindow.end) };
        return { window, lookAgainSeconds: secondsOf(answer.headers['retry-after'], now()) ?? RENEWAL_INFO_SECONDS };
      }),
  };
}

async function openSession(options: CertificateAuthorityOptions): Promise<Session> {
  const { directoryUrl, accounts, cipher, externalAccount } = options;
  const acme = await loadAcme(options);
  const directory = ((await acme.axios.get(directoryUrl)) as { readonly data: AcmeDirectory }).data;
  const account = (await accounts.find(directoryUrl)) ?? (await newAccount(options));
  const { keyId: kid, hmacKey } = externalAccount ?? {};
  const binding = kid === undefined || hmacKey === undefined ? {} : { externalAccountBinding: { kid, hmacKey } };
  const client = new acme.Client({
    directoryUrl,
    accountKey: cipher.open(account.key, ACCOUNT_KEY_CONTEXT),
    ...binding,
  });
  // Asked each time: the answer for one that exists is that one, and an authority may have lost it.
  await client.createAccount({
    termsOfServiceAgreed: true,
    ...(options.email === null ? {} : { contact: [`mailto:${options.email}`] }),
  });
  const accountUrl = client.getAccountUrl();
  if (account.url !== accountUrl) await accounts.noteUrl(directoryUrl, accountUrl);
  return { acme, client, directory, accountUrl };
}

async function newAccount({ directoryUrl, accounts, cipher }: CertificateAuthorityOptions): Promise<AcmeAccount> {
  const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
  const key = cipher.seal(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), ACCOUNT_KEY_CONTEXT);
  return await accounts.keep({ directoryUrl, key, url: null });
}

async function get(client: AcmeClient, url: string): Promise<Order> {
  return await client.getOrder({ url } as Order);
}

function readOrder({ url, status, error }: Order & { readonly error?: unknown }): AuthorityOrder {
  return { url, status, problem: problemText(error), problemNames: namesOf(error) };
}

async function readAuthorization(client: AcmeClient, authorization: AcmeAuthorization): Promise<Authorization> {
  const { identifier, status, challenges } = authorization;
  const known = challenges.flatMap((challenge) => {
    const method = CHALLENGE_METHODS.find((one) => one === challenge.type);
    return method === undefined ? [] : [{ challenge, method }];
  });
  const read = known.map(async ({ challenge, method }): Promise<Challenge> => {
    const { url, token, status: is } = challenge;
    const answer = await client.getChallengeKeyAuthorization(challenge);
    return { method, url, token, status: is, answer, problem: problemText(challenge.error) };
  });
  const isWildcard = 'wildcard' in authorization && authorization.wildcard === true;
  return { host: identifier.value, isWildcard, status, challenges: await Promise.all(read) };
}

function problemText(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null;
  return 'detail' in error && typeof error.detail === 'string' ? error.detail.slice(0, 500) : 'it gives no reason';
}

/** Null for what the authority does not know, or does not know of this account. @param isUnknown what else says so */
async function orNull<T>(
  work: () => Promise<T>,
  isUnknown: (details: ReturnType<typeof detailsOf>) => boolean = () => false,
): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    const details = detailsOf(error);
    if (details?.status === 404 || details?.status === 403 || isUnknown(details)) return null;
    throw error;
  }
}

/** By which step-ca answers who asks for an order that it does not have: of such a request nothing else can be malformed. */
const isMalformed = (details: ReturnType<typeof detailsOf>): boolean => details?.type === 'malformed';

async function orIgnored(types: readonly string[], work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!types.includes(detailsOf(error)?.type ?? '')) throw error;
  }
}

function asOurs(error: unknown, directoryUrl: string): unknown {
  if (error instanceof FairleadError) return error;
  const { host } = new URL(directoryUrl);
  const message = `The certificate authority at ${host} gave no usable answer: ${reasonOf(error)}`;
  return new FairleadError('UNAVAILABLE', message, { retryable: true, cause: error });
}

const MOST_REASON = 300;

/** What is thrown for several addresses that refuse has a code and no text. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  const { message, code } = error as NodeJS.ErrnoException;
  return (message || code || error.name).slice(0, MOST_REASON);
}
