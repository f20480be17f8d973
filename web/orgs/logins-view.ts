import type { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import type { loginsViewSchema } from '../../domain/identity/schema.ts';
import { table } from '../look/components.ts';
import { confirmForm, form } from '../look/forms.ts';
import { ago, exact } from '../look/time.ts';
import type { PageContext } from '../page.ts';
import { segmentOf } from '../platform/platform.ts';

export type LoginsView = z.output<typeof loginsViewSchema>;

/** Where a person is signed in, with forms that end one session or all. @param path of the person's page */
export function loginsView({ sessions, applications }: LoginsView, path: string, context: PageContext): Html {
  if (sessions.length + applications.length === 0) {
    return html`<p class="quiet inset">Not signed in anywhere.</p>`;
  }
  return html`${sessions.length > 0 && sessionsTable(sessions, path, context)}
${applications.length > 0 && applicationsTable(applications, context)}
<div class="inset">${confirmForm(context, {
    ...{ action: `${path}/sessions/end`, label: 'Sign out everywhere', button: 'End all of them' },
    question: 'This ends all sessions, and all logins of applications and command lines.',
  })}</div>`;
}

function sessionsTable(sessions: LoginsView['sessions'], path: string, context: PageContext): Html {
  const columns = [
    { label: 'Browser', kind: 'main' },
    { label: 'Address' },
    { label: 'Seen' },
    { label: 'Ends' },
    { label: 'End it', kind: 'actions' },
  ] as const;
  const rows = sessions.map(({ id, userAgent, methods, address, lastSeenAt, expiresAt }) => [
    html`${userAgent === '' ? 'Unknown browser' : userAgent.slice(0, 80)}<span class="sub">by ${methods.join(', ')}</span>`,
    address,
    ago(lastSeenAt, context.now()),
    exact(expiresAt).slice(0, 16),
    form(context, { action: `${path}/sessions/${segmentOf(id)}/end`, button: 'End', tone: 'plain' }),
  ]);
  return table('Sessions', columns, rows);
}

function applicationsTable(applications: LoginsView['applications'], { now }: PageContext): Html {
  const columns = [
    { label: 'Application', kind: 'main' },
    { label: 'Scopes' },
    { label: 'Address' },
    { label: 'Used' },
  ] as const;
  const rows = applications.map(({ clientId, scopes, address, lastUsedAt }) => [
    clientId,
    scopes.join(' '),
    address,
    ago(lastUsedAt, now()),
  ]);
  return table('Applications', columns, rows);
}
