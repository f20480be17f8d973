import { z } from 'zod';
import { type Html, html } from '../../api/http/pages/html.ts';
import { reencryptionSchema } from '../../domain/config/reencryption-schema.ts';
import { SERVICE_ROWS } from '../../domain/services.ts';
import { badge } from '../look/badge.ts';
import { card, externalLink, facts, notice, partCard, table } from '../look/components.ts';
import { duration } from '../look/time.ts';
import { definePage, type PageContext, type WebModule } from '../page.ts';
import { type Part, part } from '../platform/part.ts';
import type { PlatformService } from '../platform/platform.ts';

/** Reply of GET /health of every service. */
const healthReply = z.object({
  version: z.string(),
  commit: z.string(),
  uptimeSeconds: z.number(),
  checks: z.record(z.string(), z.string()),
});

type Health = z.output<typeof healthReply>;

interface ServiceState {
  readonly name: PlatformService;
  readonly title: string;
  readonly purpose: string;
  readonly health: Part<Health>;
}

const ASKED = SERVICE_ROWS.flatMap(({ name, title, purpose }) =>
  name === 'console' ? [] : [{ name, title, purpose }],
);

const COLUMNS = [
  { label: 'Service', kind: 'main' },
  { label: 'State' },
  { label: 'What it needs' },
  { label: 'Version' },
  { label: 'Up for', kind: 'number' },
] as const;

const installationPage = definePage({
  module: 'installation',
  path: '/installation',
  summary: 'Whether each part of the platform answers, and in which version',
  nav: { label: 'Installation', icon: 'gauge', group: 'platform', order: 0 },
  callers: { 'platform-admin': true },
  load: async ({ platform }) => {
    const [states, secrets] = await Promise.all([
      Promise.all(
        ASKED.map(
          async (row): Promise<ServiceState> => ({
            ...row,
            health: await part(platform.get(row.name, '/health', healthReply)),
          }),
        ),
      ),
      part(platform.get('builder', '/config/reencryption', reencryptionSchema)),
    ]);
    return { states, secrets };
  },
  view: ({ states, secrets }, context) => {
    const failing = states.filter(({ health }) => !health.ok);
    return {
      title: 'Installation',
      lead: 'The parts of this platform, as they answer now.',
      beside: failing.length === 0 ? badge('good', 'All answer') : badge('bad', `${failing.length} not healthy`),
      body: html`${mixedVersions(states)}${card(
        { flush: true },
        table(
          'Services of the platform',
          COLUMNS,
          states.map((state) => row(state, context)),
        ),
      )}
${partCard({ title: 'Stored secrets' }, secrets, secretFacts)}
${card(
  { title: 'The machine' },
  html`<p>Tools, container engine and disk are looked at where the platform runs:</p><pre class="code" tabindex="0" aria-label="Command"><code>npm run doctor</code></pre>`,
)}`,
    };
  },
});

type Reencryption = z.output<typeof reencryptionSchema>;

const RUNS: Readonly<Record<Reencryption['status'], Html>> = {
  none: badge('quiet', 'Never ran'),
  running: badge('busy', 'Runs'),
  completed: badge('good', 'Completed'),
  failed: badge('bad', 'Failed'),
};

/** Whether every secret is sealed with the current key. */
function secretFacts({ status, checked, resealed, unreadable, earlierKeyInUse, problem }: Reencryption): Html {
  return html`${unreadable > 0 && notice('bad', html`<p>${unreadable} secrets open with no key of the installation: set them anew.</p>`)}
${earlierKeyInUse && notice('warn', html`<p>A process still seals with an earlier key: start it again with the current key in front.</p>`)}
${facts([
  ['Last re-encryption', RUNS[status]],
  ['Looked at', checked],
  ['Sealed anew', resealed],
  ...(problem === null ? [] : [['Why it does not go on', problem] as const]),
])}`;
}

/** Parts of several versions work together during an upgrade; longer, one was forgotten. */
function mixedVersions(states: readonly ServiceState[]): Html | false {
  const versions = new Set(
    states.flatMap(({ health }) => (health.ok ? [`${health.value.version} ${health.value.commit}`] : [])),
  );
  return (
    versions.size > 1 &&
    notice('warn', html`<p>Not all parts run the same version. After an upgrade, start the older ones again.</p>`)
  );
}

function row({ name, title, purpose, health }: ServiceState, { addresses }: PageContext) {
  const address = addresses[name];
  const named = html`${title}<span class="sub">${purpose}</span>${address !== undefined && html`<span class="sub">${externalLink(address)}</span>`}`;
  if (!health.ok)
    return [
      named,
      badge('bad', 'Not healthy'),
      html`<span>${failedChecks(health.error.details) ?? health.error.message}</span>`,
      '–',
      '–',
    ];
  const { checks, version, commit, uptimeSeconds } = health.value;
  return [
    named,
    badge('good', 'Healthy'),
    Object.keys(checks).length === 0 ? html`<span class="quiet">nothing</span>` : Object.keys(checks).join(', '),
    html`<span>${version}<span class="sub"><code>${commit.slice(0, 7)}</code></span></span>`,
    duration(uptimeSeconds * 1_000),
  ];
}

const failedSchema = z.object({ checks: z.record(z.string(), z.string()) });

/** Such as `temporal: no answer`. */
function failedChecks(details: unknown): string | null {
  const parsed = failedSchema.safeParse(details);
  if (!parsed.success) return null;
  const failed = Object.entries(parsed.data.checks).filter(([, state]) => state !== 'ok');
  return failed.map(([name, state]) => `${name}: ${state}`).join(', ');
}

export const installation: WebModule = { pages: [installationPage], actions: [] };
