import { createHmac } from 'node:crypto';
import type { GitProvider } from '../../domain/git-provider.ts';

export interface SignedDelivery {
  readonly body: string;
  readonly headers: Record<string, string>;
}

const hex = (secret: string, body: string): string => createHmac('sha256', secret).update(body).digest('hex');

/** The HMAC of Standard Webhooks over id, time and body, in base64. */
export function standardSignature(secret: string, id: string, seconds: number, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64');
}

let sent = 0;

/** Headers that a provider sends with a body, as its documentation shows them; Gitea sends those of GitHub beside its own. */
const SIGNED: Readonly<Record<GitProvider, (secret: string, body: string, event: string) => Record<string, string>>> = {
  github: (secret, body, event) => ({
    'x-github-event': event,
    'x-github-delivery': `72d3162e-cc78-11e3-81ab-${sent}`,
    'x-hub-signature-256': `sha256=${hex(secret, body)}`,
  }),
  gitea: (secret, body, event) => ({
    'x-gitea-event': event,
    'x-gitea-delivery': `f6266f16-1bf3-46a5-9ea4-${sent}`,
    'x-gitea-signature': hex(secret, body),
    'x-github-event': event,
    'x-github-delivery': `f6266f16-1bf3-46a5-9ea4-${sent}`,
    'x-hub-signature-256': `sha256=${hex(secret, body)}`,
    'x-gogs-signature': hex(secret, body),
  }),
  forgejo: (secret, body, event) => ({
    'x-forgejo-event': event,
    'x-forgejo-delivery': `f6266f16-1bf3-46a5-9ea4-${sent}`,
    'x-forgejo-signature': hex(secret, body),
    'x-gitea-event': event,
    'x-gitea-signature': hex(secret, body),
  }),
  gitlab(secret, body, event) {
    const seconds = Math.floor(Date.now() / 1000);
    const id = `f5e5f430-f57b-4e6e-9fac-${sent}`;
    return {
      'x-gitlab-event': event === 'push' ? 'Push Hook' : event,
      'webhook-id': id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': `v1,${standardSignature(secret, id, seconds, body)}`,
    };
  },
};

/** A delivery as the provider signs it. */
export function signDelivery(
  provider: GitProvider,
  secret: string,
  { body, event = 'push' }: { readonly body: string; readonly event?: string },
): SignedDelivery {
  sent += 1;
  return { body, headers: { 'content-type': 'application/json', ...SIGNED[provider](secret, body, event) } };
}

/** Body of a push, with the fields of all providers that are read. */
export function pushBody(changes: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({
    ref: 'refs/heads/main',
    before: '1'.repeat(40),
    after: '2'.repeat(40),
    pusher: { login: 'ada' },
    sender: { login: 'ada' },
    ...changes,
  });
}
