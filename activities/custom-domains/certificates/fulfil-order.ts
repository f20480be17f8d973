import { setTimeout as delay } from 'node:timers/promises';
import type {
  AuthorityOrder,
  Authorization,
  Challenge,
} from '../../../domain/custom-domains/certificates/authority.ts';
import {
  type CertificateOwner,
  type CertificateRecord,
  certificateKeyContext,
  type StoredCertificate,
  type StoredOrder,
} from '../../../domain/custom-domains/certificates/certificate.ts';
import { FairleadError } from '../../../domain/errors.ts';
import type { CertificatesDeps } from './deps.ts';
import type { NameFailure } from './placement.ts';
import { failuresOf, type Refusal, refusalOf } from './refusal.ts';

/** What the workflow is told of a certificate; no key. */
export interface IssuedCertificate {
  readonly names: readonly string[];
  readonly fingerprint: string;
  /** ISO time. */
  readonly notAfter: string;
}

export type Fulfilment =
  | { readonly kind: 'issued'; readonly certificate: IssuedCertificate }
  | { readonly kind: 'failed'; readonly failures: readonly NameFailure[] };

export interface OrderToFulfil extends CertificateOwner {
  /** Of the order that was placed; absent in what an earlier version asks for. */
  readonly url?: string | undefined;
}

/** How often the authority is asked how far it is: its first answers come at once, the last may take a minute. */
const LOOK_AFTER_MS = [250, 500, 1_000, 2_000];
const LOOK_EVERY_MS = 5_000;
/**
 * After so many looks, some 25 seconds, what the authority says of a name that is pending counts as its failure. An authority
 * may look again at each request and never give a name up, as step-ca does: the others would wait for it.
 */
const LOOKS_AT_PROBLEM = 8;

/**
 * Brings the order that is stored to its end: answers its challenges, finalizes it, and stores the certificate. Each look
 * goes by what the authority says of the order, so that an attempt of another worker, killed at any point, is gone on with.
 * @throws UNAVAILABLE, RATE_LIMITED (retryable), CERTIFICATE_REFUSED
 */
export async function fulfilCertificateOrder(
  deps: CertificatesDeps,
  { url, ...owner }: OrderToFulfil,
  signal: AbortSignal,
): Promise<Fulfilment> {
  const record = await deps.records.find(owner);
  const order = record?.order ?? null;
  // Ended by an attempt that could not say so any more.
  if (order === null) return outcomeOf(record, { ...owner, url });
  for (let looks = 0; ; looks += 1) {
    const known = await deps.authority.readOrder(order.url, signal);
    const ended = await advance(deps, owner, order, { known, looks, signal });
    if (ended !== null) return ended;
    await delay(LOOK_AFTER_MS[looks] ?? LOOK_EVERY_MS, undefined, { signal });
  }
}

/** @throws CONFLICT where the order came to no certificate: it is placed anew */
function outcomeOf(record: CertificateRecord | null, { url, service, environment }: OrderToFulfil): Fulfilment {
  const current = record?.current ?? null;
  const isOfOrder = url === undefined || current?.orderUrl === url;
  if (current !== null && isOfOrder) return { kind: 'issued', certificate: issued(current) };
  throw new FairleadError('CONFLICT', `The order for ${service} in ${environment} has ended without a certificate`);
}

interface Look {
  readonly known: AuthorityOrder | null;
  /** Those of this attempt before this one. */
  readonly looks: number;
  readonly signal: AbortSignal;
}

interface KnownOrder extends Look {
  readonly known: AuthorityOrder;
  readonly authorizations: readonly Authorization[];
}

/** Does what is next. Null while the order is under way. */
async function advance(
  deps: CertificatesDeps,
  owner: CertificateOwner,
  order: StoredOrder,
  { known, looks, signal }: Look,
): Promise<Fulfilment | null> {
  if (known === null) {
    await deps.records.dropOrder(owner, order.url);
    return failed(order.names, 'the authority does not know the order any more');
  }
  if (known.status === 'processing') return null;
  const authorizations = await deps.authority.readAuthorizations(order.url, signal);
  try {
    return await proceed(deps, owner, order, { known, authorizations, looks, signal });
  } catch (error) {
    const refusal = refusalOf(error, { isPlaced: true });
    if (refusal === null) throw error;
    // The next one is placed without the names that are refused: this one comes to nothing more.
    return await fail(deps, owner, order, { authorizations, refusal });
  }
}

async function proceed(
  deps: CertificatesDeps,
  owner: CertificateOwner,
  order: StoredOrder,
  { known, authorizations, looks, signal }: KnownOrder,
): Promise<Fulfilment | null> {
  const { authority } = deps;
  if (known.status === 'invalid') {
    const reason = known.problem ?? 'the authority ended the order without a reason';
    return await fail(deps, owner, order, { authorizations, refusal: { reason, names: known.problemNames } });
  }
  if (known.status === 'pending') {
    const without = authorizations.filter((one) => one.status === 'pending' && challengeOf(deps, one) === null);
    const isGivenUp = looks >= LOOKS_AT_PROBLEM && authorizations.some((one) => problemOf(one) !== null);
    if (without.length > 0 || isGivenUp) return await fail(deps, owner, order, { authorizations, refusal: null });
    for (const one of authorizations) await answer(deps, one, signal);
    return null;
  }
  const key = deps.cipher.open(order.key, certificateKeyContext(owner));
  if (known.status === 'ready') {
    await authority.finalize(order.url, { names: order.names, key }, signal);
    return null;
  }
  const chain = await authority.download(order.url, signal);
  const { url: orderUrl, names, directoryUrl } = order;
  const certificate: StoredCertificate = {
    ...(await deps.keys.readChain(chain, { key, names })),
    // With the key of today, whatever sealed it when it was ordered.
    key: deps.cipher.seal(key, certificateKeyContext(owner)),
    ...{ chain, names, directoryUrl, orderUrl, issuedAt: deps.now() },
  };
  await removeAnswers(deps, authorizations);
  await deps.records.keepCertificate(owner, certificate, orderUrl);
  // Another attempt may have ended the order: then what counts is what that one stored.
  return outcomeOf(await deps.records.find(owner), { ...owner, url: orderUrl });
}

function challengeOf({ challengeRecords }: CertificatesDeps, authorization: Authorization): Challenge | null {
  const { isWildcard, challenges } = authorization;
  const method = isWildcard ? 'dns-01' : 'http-01';
  if (method === 'dns-01' && challengeRecords === null) return null;
  return challenges.find((challenge) => challenge.method === method) ?? null;
}

/** Puts the answer to its place, every time: another attempt may have been killed before it did. */
async function answer(deps: CertificatesDeps, authorization: Authorization, signal: AbortSignal): Promise<void> {
  const challenge = challengeOf(deps, authorization);
  if (authorization.status !== 'pending' || challenge === null) return;
  const { host } = authorization;
  if (challenge.method === 'http-01') await deps.answers.put(host, challenge.token, challenge.answer);
  else await deps.challengeRecords?.put(`_acme-challenge.${host}`, challenge.answer);
  if (challenge.status === 'pending') await deps.authority.completeChallenge(challenge.url, signal);
}

async function removeAnswers(deps: CertificatesDeps, authorizations: readonly Authorization[]): Promise<void> {
  for (const { host, challenges } of authorizations) {
    for (const { method, token, answer: value } of challenges) {
      if (method === 'http-01') await deps.answers.remove(host, token);
      else await deps.challengeRecords?.remove(`_acme-challenge.${host}`, value);
    }
  }
}

/** Says of each name why it failed; those that did not are ordered again without them. */
async function fail(
  deps: CertificatesDeps,
  owner: CertificateOwner,
  order: StoredOrder,
  why: { readonly authorizations: readonly Authorization[]; readonly refusal: Refusal | null },
): Promise<Fulfilment> {
  await removeAnswers(deps, why.authorizations);
  const found = why.authorizations.flatMap((one) => failureOf(deps, one));
  const refused =
    why.refusal === null || found.length > 0 ? [] : await failuresOf(deps, { owner, ...order }, why.refusal);
  const failures = [...found, ...refused];
  await deps.orders.noteFailure(
    order.url,
    failures.map(({ host }) => host),
  );
  await deps.records.dropOrder(owner, order.url);
  return { kind: 'failed', failures };
}

function failureOf(deps: CertificatesDeps, authorization: Authorization): readonly NameFailure[] {
  const { host, isWildcard, status } = authorization;
  const name = isWildcard ? `*.${host}` : host;
  if (status === 'pending' && challengeOf(deps, authorization) === null) {
    return [{ host: name, reason: 'a certificate with *. needs DNS that the platform manages' }];
  }
  const problem = problemOf(authorization);
  if (status === 'valid' || (status === 'pending' && problem === null)) return [];
  return [{ host: name, reason: problem ?? `the authority has its authorization as ${status}` }];
}

/** What the authority saw where it looked for an answer; null where it saw one, or did not look yet. */
function problemOf({ challenges }: Authorization): string | null {
  return challenges.find(({ problem }) => problem !== null)?.problem ?? null;
}

function failed(names: readonly string[], reason: string): Fulfilment {
  return { kind: 'failed', failures: names.map((host) => ({ host, reason })) };
}

export function issued({ names, fingerprint, notAfter }: StoredCertificate): IssuedCertificate {
  return { names, fingerprint, notAfter: notAfter.toISOString() };
}
