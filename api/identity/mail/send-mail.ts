import { isPersonaAddress } from '../../../domain/identity/email-address.ts';
import { isNoticeKind, type MailKind } from '../../../domain/identity/mail.ts';
import { addressProblem, foreignAddresses, withoutAddresses } from '../../../domain/identity/mail-addresses.ts';
import type { UserRecord } from '../../../domain/identity/user.ts';
import type { ClientRecord } from '../../../domain/oauth-clients/client.ts';
import type { OrgRecord } from '../../../domain/orgs/org.ts';
import { audit } from '../audit.ts';
import type { IdentityDeps } from '../deps.ts';
import { brandOf, platformBrand } from '../pages/brand.ts';
import { readableTime } from '../pages/readable-time.ts';
import { composeMail } from './compose-mail.ts';
import { isOwnPerson } from './own-person.ts';
import { readRegisteredHosts } from './registered-hosts.ts';

export interface MailOrder {
  readonly kind: MailKind;
  readonly to: string;
  /** Client on whose behalf it is sent; null for the provider itself. */
  readonly client: ClientRecord | null;
  /** Org it is about; null takes the client's. */
  readonly org: OrgRecord | null;
  /** The account it goes to; null where there is none yet. */
  readonly user: Pick<UserRecord, 'id' | 'platformRoles'> | null;
  readonly data: {
    /** Who it is for; empty for someone not known yet. */
    readonly name: string;
    readonly link: string;
    readonly expiresAt: Date;
    /** For notices. */
    readonly what?: string;
    readonly device?: string;
  };
}

/**
 * Writes a mail and hands it to the mail server, waiting for it: call it in a job of `deps.mailQueue`, see
 * {@link queueMail}. It is in the words and the look of the client and the org for their own people alone, and names no
 * address but the registered ones of the org. Personas have no mailbox, so nothing is sent to them.
 * @throws UNAVAILABLE (retryable)
 */
export async function sendMail(deps: IdentityDeps, order: MailOrder): Promise<void> {
  if (isPersonaAddress(order.to)) return;
  const { client, data } = order;
  const org = order.org ?? (client === null ? null : await deps.orgs.find(client.orgSlug));
  const { platformName } = deps.settings;
  const own = order.user !== null && (await isOwnPerson(deps, order.user, { client, org }));
  const brand = await brandOf(deps, client?.clientId ?? null);
  const hosts = org === null ? new Set<string>() : await readRegisteredHosts(deps, org.slug);
  const said = (text: string) => (foreignAddresses(text, hosts).length === 0 ? text : withoutAddresses(text));
  const mail = composeMail({
    id: deps.newId('mail'),
    kind: order.kind,
    to: order.to,
    client: own ? withinHosts(client, order.kind, hosts) : null,
    org: own ? withinHosts(org, order.kind, hosts) : null,
    brand: own ? { ...brand, name: said(brand.name) } : platformBrand(deps),
    platformName,
    values: {
      name: said(data.name),
      link: data.link,
      org: org === null ? platformName : said(org.name),
      product: brand.name === platformName ? platformName : said(brand.name),
      expires: readableTime(data.expiresAt),
      what: said(data.what ?? ''),
      device: said(data.device ?? ''),
    },
  });
  await deps.mail.send(mail);
}

/** An owner of templates and of a sender's name, without what names an address that is not registered. */
function withinHosts<T extends Pick<OrgRecord, 'mailTemplates' | 'whiteLabel'>>(
  owner: T | null,
  kind: MailKind,
  hosts: ReadonlySet<string>,
): Pick<OrgRecord, 'mailTemplates' | 'whiteLabel'> | null {
  if (owner === null) return null;
  const { emailFromName } = owner.whiteLabel;
  const foreign = emailFromName !== null && foreignAddresses(emailFromName, hosts).length > 0;
  const template = Object.hasOwn(owner.mailTemplates, kind) ? owner.mailTemplates[kind] : undefined;
  const usable = template !== undefined && addressProblem(template, hosts) === null;
  return {
    mailTemplates: usable ? { [kind]: template } : {},
    whiteLabel: { ...owner.whiteLabel, emailFromName: foreign ? null : emailFromName },
  };
}

/** Mails of one kind to one address: a stranger must not fill somebody's mailbox by asking again and again. */
const MAILS_PER_ADDRESS = { count: 5, windowSeconds: 15 * 60 } as const;

export type PreparedMail = Omit<MailOrder, 'kind' | 'to'> & {
  /** Who or what it is about, for the audit trail. */
  readonly subject: string;
};

/**
 * Sends after the reply: `prepare` looks up who gets what, and null sends nothing. Neither what it finds nor how long it
 * takes is seen by whoever asked. Mail above the limit is dropped before `prepare` makes a link, which would void the
 * one sent before. A mail that cannot be sent is logged and audited without its content.
 */
export function queueMail(
  deps: IdentityDeps,
  { kind, to }: Pick<MailOrder, 'kind' | 'to'>,
  prepare: () => Promise<PreparedMail | null>,
): void {
  let prepared: PreparedMail | null = null;
  const noteFailure = (reason: string): Promise<void> => {
    const orgSlug = prepared?.org?.slug ?? prepared?.client?.orgSlug ?? null;
    return noteUnsentMail(deps, kind, { subject: prepared?.subject ?? 'unknown', orgSlug, reason });
  };
  const run = async (): Promise<void> => {
    if (prepared === null && !(await withinLimit(deps, kind, to))) return;
    prepared ??= await prepare();
    if (prepared !== null) await sendMail(deps, { kind, to, ...prepared });
  };
  const job = { name: `mail ${kind}`, to, notice: isNoticeKind(kind), run, onFailure: () => noteFailure('not_sent') };
  if (deps.mailQueue.add(job)) return;
  noteFailure('queue_full').catch((error: unknown) => deps.log.error({ err: error }, 'an event was not stored'));
}

/** Keeps an audit event about a mail that was not sent. @throws UNAVAILABLE */
export function noteUnsentMail(
  deps: IdentityDeps,
  kind: MailKind,
  { subject, orgSlug, reason }: { readonly subject: string; readonly orgSlug: string | null; readonly reason: string },
): Promise<void> {
  return audit(deps, null, { type: 'mail.failed', actor: 'internal', subject, orgSlug, data: { kind, reason } });
}

async function withinLimit(deps: IdentityDeps, kind: MailKind, to: string): Promise<boolean> {
  const key = `mail:${kind}:${deps.tokens.hash(to)}`;
  const count = await deps.attempts.count(key, MAILS_PER_ADDRESS.windowSeconds, deps.now());
  if (count > MAILS_PER_ADDRESS.count) deps.log.warn({ kind, count }, 'too many mails to one address: not sent');
  return count <= MAILS_PER_ADDRESS.count;
}
