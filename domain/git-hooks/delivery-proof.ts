import { createHmac, type Hmac, hash, timingSafeEqual } from 'node:crypto';
import type { GitProvider } from '../git-provider.ts';
import type { DeliveryProof } from './connection.ts';
import { hookKey } from './hook-secret.ts';

/** Headers of a request as Node gives them: names in lower case; several of one name are one text with commas. */
export type DeliveryHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** What a delivery shows to prove where it comes from; nothing of it is believed yet. */
export type PresentedProof =
  | {
      readonly kind: 'signature';
      /** What was signed in front of the body. */
      readonly prefix: string;
      /** HMAC-SHA256 in bytes. */
      readonly signatures: readonly Buffer[];
      /** `all`: each must be genuine. `any`: a sender that changes its key signs with both. */
      readonly needed: 'all' | 'any';
    }
  | { readonly kind: 'token'; readonly token: string };

/** Providers' clocks may differ from ours by this much (Standard Webhooks, "Webhook timestamp"). */
export const SIGNED_TIME_TOLERANCE_MS = 5 * 60_000;

/** Every header that proves anything; a request without one of them is nobody's. */
export const PROOF_HEADERS = [
  'x-hub-signature-256',
  'x-gitea-signature',
  'x-forgejo-signature',
  'webhook-signature',
  'x-gitlab-token',
] as const;

type ReadProof = (headers: DeliveryHeaders, now: Date) => PresentedProof | null;

/**
 * What each provider shows. Only the spelling that the provider writes is read: 64 hexadecimal digits in lower case, one
 * header of a name.
 *
 * - GitHub: `X-Hub-Signature-256: sha256=<hex>` over the body.
 * - Gitea: `X-Gitea-Signature: <hex>` over the body. The header of GitHub that it sends too is not read.
 * - Forgejo: `X-Forgejo-Signature`, `X-Gitea-Signature` or both; where both are there, both must be genuine.
 * - GitLab, signed: `webhook-signature: v1,<base64> …` over `<webhook-id>.<webhook-timestamp>.<body>`, at most five minutes
 *   old or early. One genuine signature of several is enough.
 * - GitLab, plain token: `X-Gitlab-Token`. It proves nothing about the body.
 */
const READERS: Readonly<Record<GitProvider, Readonly<Partial<Record<DeliveryProof, ReadProof>>>>> = {
  github: { signature: (headers) => hexSignatures(headers, { 'x-hub-signature-256': 'sha256=' }) },
  gitea: { signature: (headers) => hexSignatures(headers, { 'x-gitea-signature': '' }) },
  forgejo: {
    signature: (headers) => hexSignatures(headers, { 'x-forgejo-signature': '', 'x-gitea-signature': '' }),
  },
  gitlab: { signature: standardWebhook, token: plainToken },
};

/** The ways in which deliveries of a provider can prove where they come from, the strongest first. */
export function proofsOf(provider: GitProvider): readonly DeliveryProof[] {
  return (['signature', 'token'] as const).filter((proof) => READERS[provider][proof] !== undefined);
}

/** What a delivery shows, read as its connection says; null when nothing of it is there or well formed. */
export function readProof(
  { provider, proof }: { readonly provider: GitProvider; readonly proof: DeliveryProof },
  headers: DeliveryHeaders,
  now: Date,
): PresentedProof | null {
  return READERS[provider][proof]?.(headers, now) ?? null;
}

export interface ProofCheck {
  /** Takes the next bytes of the body, as they came. */
  update(chunk: Uint8Array): void;
  /** Which of the secrets proves the delivery genuine; null for none. */
  end(): number | null;
}

/**
 * Checks a delivery while its body arrives. Every signature is compared with every secret in constant time. Without
 * secrets, or with nothing shown, it does the same work and finds nothing.
 */
export function checkProof(presented: PresentedProof | null, secrets: readonly string[]): ProofCheck {
  const proof = presented ?? NOTHING;
  if (proof.kind === 'token') {
    const found = secrets.map((secret) => equalTexts(proof.token, secret));
    return { update: () => undefined, end: () => firstTrue(presented === null ? [] : found) };
  }
  const keys = secrets.length === 0 ? [UNKNOWN_KEY] : secrets.map(hookKey);
  const macs = keys.map((key) => createHmac('sha256', key).update(proof.prefix, 'utf8'));
  return {
    update: (chunk) => {
      for (const mac of macs) mac.update(chunk);
    },
    end: () => {
      const genuine = macs.map((mac) => isGenuine(proof, mac));
      return firstTrue(presented === null || secrets.length === 0 ? [] : genuine);
    },
  };
}

const UNKNOWN_KEY = Buffer.alloc(32, 1);
const NOTHING: PresentedProof = { kind: 'signature', prefix: '', signatures: [Buffer.alloc(32)], needed: 'all' };

function isGenuine({ signatures, needed }: Extract<PresentedProof, { kind: 'signature' }>, mac: Hmac): boolean {
  const expected = mac.digest();
  const equal = signatures.map((signature) => timingSafeEqual(signature, expected));
  return needed === 'all' ? !equal.includes(false) : equal.includes(true);
}

function firstTrue(found: readonly boolean[]): number | null {
  const index = found.indexOf(true);
  return index === -1 ? null : index;
}

/** Hashed first, so that the length of the secret is hidden as well. */
function equalTexts(a: string, b: string): boolean {
  return timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));
}

/** Headers by name, with what stands in front of the digits. Those that are there must all be well formed. */
function hexSignatures(
  headers: DeliveryHeaders,
  prefixes: Readonly<Record<string, string>>,
): Extract<PresentedProof, { kind: 'signature' }> | null {
  const signatures: Buffer[] = [];
  for (const [name, prefix] of Object.entries(prefixes)) {
    const header = headers[name];
    if (header === undefined) continue;
    if (typeof header !== 'string' || !header.startsWith(prefix)) return null;
    const digits = header.slice(prefix.length);
    if (!/^[0-9a-f]{64}$/.test(digits)) return null;
    signatures.push(Buffer.from(digits, 'hex'));
  }
  return signatures.length === 0 ? null : { kind: 'signature', prefix: '', signatures, needed: 'all' };
}

const MOST_SIGNATURES = 10;

/** Standard Webhooks 1.0: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
function standardWebhook(headers: DeliveryHeaders, now: Date): PresentedProof | null {
  const [id, timestamp, list] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => headers[name]);
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof list !== 'string') return null;
  // A dot in the id could stand for the one between id and time.
  if (!/^[\w:/+=-]{1,256}$/.test(id) || !/^[1-9]\d{0,11}$/.test(timestamp)) return null;
  if (Math.abs(now.getTime() - Number(timestamp) * 1000) > SIGNED_TIME_TOLERANCE_MS) return null;
  const parts = list.split(' ');
  if (parts.length > MOST_SIGNATURES) return null;
  // Other versions, such as the asymmetric `v1a`, prove nothing here.
  const signatures = parts.flatMap((part) => (part.startsWith('v1,') ? (readBase64(part.slice(3)) ?? []) : []));
  return signatures.length === 0
    ? null
    : { kind: 'signature', prefix: `${id}.${timestamp}.`, signatures, needed: 'any' };
}

function readBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  // Base64 decoders are lenient: only the one spelling that encoders write is read.
  return bytes.length === 32 && bytes.toString('base64') === text ? bytes : null;
}

function plainToken(headers: DeliveryHeaders): PresentedProof | null {
  const token = headers['x-gitlab-token'];
  return typeof token === 'string' && token !== '' && token.length <= 1_000 ? { kind: 'token', token } : null;
}
