import type { Html } from '../../api/http/pages/html.ts';
import type { DomainModesView, DomainView } from '../../domain/custom-domains/domain-schema.ts';
import type { DomainMode } from '../../domain/custom-domains/mode.ts';
import { badge, type Tone } from '../look/badge.ts';
import type { IconName } from '../look/icons.ts';
import { pathOf } from '../platform/platform.ts';

type Look = readonly [tone: Tone, label: string, icon?: IconName];
type State = DomainView['state'];

const STATES: Readonly<Record<State, Look>> = {
  'pending-proof': ['warn', 'Waits for a proof', 'clock'],
  'pending-delegation': ['warn', 'Waits for the registrar', 'clock'],
  'pending-dns': ['warn', 'Waits for DNS', 'clock'],
  'pending-cname': ['warn', 'Waits for the CNAME', 'clock'],
  'pending-validation': ['busy', 'Being validated'],
  'pending-certificate': ['busy', 'Waits for its certificate'],
  active: ['good', 'Served'],
  failed: ['bad', 'Failed'],
  removing: ['busy', 'Being removed'],
};

/** One that is served while its record is gone is served still, and says so. */
export function stateBadge({ state, reason }: Pick<DomainView, 'state' | 'reason'>): Html {
  return state === 'active' && reason !== null ? badge('warn', 'Served, record lost') : badge(...STATES[state]);
}

/** What a state asks for, as a step on the way to a name that is served. */
export const STEPS: Readonly<Record<Exclude<State, 'failed' | 'removing'>, string>> = {
  'pending-proof': 'Ownership',
  'pending-delegation': 'Name servers',
  'pending-dns': 'DNS record',
  'pending-cname': 'CNAME record',
  'pending-validation': 'Validation',
  'pending-certificate': 'Certificate',
  active: 'Served',
};

/** A mode as a choice. The mode in which the platform writes records shows them where it writes none. */
export function modeLabel(mode: DomainMode, { writesRecords }: Pick<DomainModesView, 'writesRecords'>): string {
  if (mode === 'direct') return 'Direct: you set an address record, TLS at the platform';
  if (mode === 'external') return 'External: you set one CNAME, TLS at the edge';
  return writesRecords
    ? 'Managed: the platform writes the record, TLS at its edge'
    : 'Managed: you set the record that is shown, TLS at the edge';
}

export const MODE_NAMES: Readonly<Record<DomainMode, string>> = {
  direct: 'Direct',
  cloudflare: 'Managed',
  external: 'External',
};

export interface Reason {
  /** What to do, or what is waited for. */
  readonly what: string;
  /** What each DNS server said, or what stands in the way. */
  readonly said: readonly string[];
}

/** The reason of a name in its parts: `30 days have passed: set A … to …: ns1 has A …; ns2 did not answer (…)`. */
export function partsOf(reason: string): Reason {
  const [, passed = '', rest = reason] = /^(\d+ days have passed: )?(.*)$/s.exec(reason) ?? [];
  const at = rest.indexOf(': ');
  if (at === -1) return { what: reason, said: [] };
  return { what: `${passed}${rest.slice(0, at)}`, said: rest.slice(at + 2).split('; ') };
}

/** Of a text with the value of a proof, which stands to be copied beside it: it is long, and read by nobody. */
export function withoutProofs(text: string, { records }: Pick<DomainView, 'records'>): string {
  const proofs = records.filter(({ type }) => type === 'TXT');
  return proofs.reduce((said, { value }) => said.replaceAll(value, 'its value'), text);
}

/** A reason as a sentence of its own. */
export const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** Pages of a service; its tab is the first. */
export const domainsPath = (service: string): string => pathOf('services', service, 'domains');
export const domainPath = (service: string, domain: string): string => pathOf('services', service, 'domains', domain);
/** In the API. */
export const domainApi = (domain: string, ...more: readonly string[]): string => pathOf('domains', domain, ...more);
