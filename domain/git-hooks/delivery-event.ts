import { z } from 'zod';
import type { GitProvider } from '../git-provider.ts';
import { parseJson } from '../parse-json.ts';
import type { DeliveryHeaders } from './delivery-proof.ts';
import { formatRef, parseRef } from './rule.ts';

/** `push`: look at what was pushed. `ping`: the hook was set up. `other`: nothing to look at, such as a pull request. */
export type EventKind = 'push' | 'ping' | 'other';

/** What a genuine delivery says, as far as it is of use. The commit is not believed: git is asked for the head. */
export interface DeliveryEvent {
  readonly kind: EventKind;
  /** As the provider names it, such as `pull_request`; short and printable. */
  readonly name: string;
  /** The provider's id of the delivery; null where it gives none. */
  readonly providerId: string | null;
  /**
   * Full name of the branch or tag to look at. `all`: the delivery does not say. `none`: it is about something that no
   * rule can match.
   */
  readonly ref: { readonly one: string } | 'all' | 'none';
  /** Commit that the delivery names; null where it names none. */
  readonly claimedHead: string | null;
  /** Login of who pushed, at the provider; null where it is not told. */
  readonly login: string | null;
  /** The provider's id of that account; null where it is not told. */
  readonly accountId: string | null;
}

interface EventHeaders {
  readonly event: readonly string[];
  readonly delivery: readonly string[];
  readonly kinds: Readonly<Record<string, EventKind>>;
}

const PUSH_AND_PING = { push: 'push', ping: 'ping' } as const;

const HEADERS: Readonly<Record<GitProvider, EventHeaders>> = {
  github: { event: ['x-github-event'], delivery: ['x-github-delivery'], kinds: PUSH_AND_PING },
  gitea: { event: ['x-gitea-event'], delivery: ['x-gitea-delivery'], kinds: PUSH_AND_PING },
  forgejo: {
    event: ['x-forgejo-event', 'x-gitea-event'],
    delivery: ['x-forgejo-delivery', 'x-gitea-delivery'],
    kinds: PUSH_AND_PING,
  },
  gitlab: {
    event: ['x-gitlab-event'],
    delivery: ['webhook-id', 'x-gitlab-event-uuid'],
    kinds: { 'Push Hook': 'push', 'Tag Push Hook': 'push' },
  },
};

const text = z.string().max(1_000).optional().catch(undefined);
const id = z.int().positive().optional().catch(undefined);
const person = z.object({ id, login: text, username: text }).optional().catch(undefined);

/** Fields of pushes by all providers; whatever has another shape counts as absent. */
const bodySchema = z.object({
  ref: text,
  after: text,
  user_username: text,
  user_id: id,
  sender: person,
  pusher: person,
  pull_request: z.unknown().optional(),
  object_attributes: z.unknown().optional(),
});

/**
 * Reads a delivery that was proved genuine.
 * @param body null where it was too long to be kept: then all branches and tags are looked at
 */
export function readEvent(
  { provider }: { readonly provider: GitProvider },
  headers: DeliveryHeaders,
  body: string | null,
): DeliveryEvent {
  const { event, delivery, kinds } = HEADERS[provider];
  const name = shortText(firstHeader(headers, event)) ?? 'unknown';
  const parsed = bodySchema.safeParse(body === null ? {} : parseJson(body));
  const { data = undefined } = parsed;
  // No header is signed: what the body shows to be about a pull request is no push, whatever its header says.
  const isOther = data !== undefined && (data.pull_request !== undefined || data.object_attributes !== undefined);
  const kind = isOther ? 'other' : (ownValue(kinds, name) ?? 'other');
  return {
    kind,
    name,
    providerId: shortText(firstHeader(headers, delivery)),
    ref: kind === 'push' ? refOf(data?.ref) : 'none',
    claimedHead: /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(data?.after ?? '') ? (data?.after ?? null) : null,
    ...pusherOf(data),
  };
}

function refOf(ref: string | undefined): DeliveryEvent['ref'] {
  if (ref === undefined) return 'all';
  const parsed = parseRef(ref);
  return parsed === null ? 'none' : { one: formatRef(parsed) };
}

/** At GitHub `sender` acts; Gitea fills in both; GitLab has fields of its own. */
function pusherOf(body: z.output<typeof bodySchema> | undefined): Pick<DeliveryEvent, 'login' | 'accountId'> {
  const { user_username, user_id, sender, pusher } = body ?? {};
  const login = user_username ?? pusher?.login ?? pusher?.username ?? sender?.login ?? sender?.username;
  if (login === undefined || !/^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/.test(login)) return { login: null, accountId: null };
  const account = [pusher, sender].find((one) => one !== undefined && (one.login ?? one.username) === login)?.id;
  const known = user_username === undefined ? account : user_id;
  return { login, accountId: known === undefined ? null : String(known) };
}

function firstHeader(headers: DeliveryHeaders, names: readonly string[]): string | null {
  for (const name of names) {
    const value = headers[name];
    if (typeof value === 'string') return value;
  }
  return null;
}

function shortText(value: string | null): string | null {
  return value !== null && /^[\x20-\x7e]{1,100}$/.test(value) ? value : null;
}

function ownValue<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
