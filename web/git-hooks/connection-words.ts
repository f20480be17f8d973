import { admits } from '../../api/http/allowed-callers.ts';
import { type Html, html } from '../../api/http/pages/html.ts';
import type { ConnectionView } from '../../domain/git-hooks/git-hook-schema.ts';
import { badge } from '../look/badge.ts';
import { ago } from '../look/time.ts';
import type { PageContext } from '../page.ts';
import { pathOf } from '../platform/platform.ts';

export const PATH = '/git';

/** Who sees connections, and who changes them; the builder decides again. */
export const READERS = { 'platform-admin': true, user: 'member' } as const;
export const WRITERS = { 'platform-admin': true, user: 'admin' } as const;

export function changesConnections({ person }: Pick<PageContext, 'person'>): boolean {
  return admits(WRITERS, person);
}

/** Path of a connection's page, or of a form below it. */
export function connectionPath(id: string, ...rest: readonly string[]): string {
  return pathOf('git', id, ...rest);
}

/** Path of a connection at the builder, which decides whose it is. */
export function connectionApi(id: string, ...rest: readonly string[]): string {
  return pathOf('git', 'connections', id, ...rest);
}

export const PROVIDER_WORDS: Readonly<Record<ConnectionView['provider'], string>> = {
  github: 'GitHub',
  gitea: 'Gitea',
  forgejo: 'Forgejo',
  gitlab: 'GitLab',
};

export type RuleView = ConnectionView['services'][number]['rules'][number];

export function ruleText({ kind, pattern, environment, paths }: RuleView): Html {
  return html`${kind} <code class="word">${pattern}</code> to ${environment}${paths.length > 0 && html` when changed: ${paths.map((path) => html`<code class="word">${path}</code> `)}`}`;
}

/** Somebody else's message as a sentence: with one full stop at its end. */
export function sentence(message: string): string {
  return `${message.replace(/[.\s]+$/, '')}.`;
}

/** What the connection does now: whether deliveries arrive, and what is wrong with it. */
export function stateBadges(connection: ConnectionView): Html {
  const { paused, pollMinutes, tokenProblem, proof, refusedDeliveries } = connection;
  const arrives = arrivalBadge(connection);
  const refused = refusedDeliveries > 0 && badge('warn', `${refusedDeliveries} refused`, 'x-circle');
  return html`<span class="badges">${paused && badge('warn', 'Paused', 'pause')} ${pollMinutes === null ? arrives : badge('busy', `Polled every ${pollMinutes} min`, 'clock')} ${refused} ${tokenProblem !== null && badge('bad', 'Token problem')} ${proof === 'token' && badge('warn', 'Weaker proof', 'shield')}</span>`;
}

function arrivalBadge({ verifiedAt, silentDays }: ConnectionView): Html {
  if (silentDays !== null) return badge('warn', `No delivery for ${silentDays} days`, 'clock');
  return verifiedAt === null ? badge('quiet', 'No delivery yet', 'clock') : badge('good', 'Deliveries arrive');
}

/** When the last genuine delivery came. */
export function lastDelivery({ lastDeliveryAt, verifiedAt }: ConnectionView, now: Date): Html {
  const at = lastDeliveryAt ?? verifiedAt;
  return at === null ? html`<span class="quiet">none yet</span>` : ago(at, now);
}
