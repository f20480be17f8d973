import { type Html, html } from '../../api/http/pages/html.ts';
import type { PropertyView } from '../../domain/properties/schema.ts';
import { isUnderWay } from '../../domain/properties/verification.ts';
import { badge } from '../look/badge.ts';
import { pathOf } from '../platform/platform.ts';

export const PATH = '/properties';
export const LIST_PATH = `${PATH}/list`;

/** The site registry lets in nobody else of all people (spec 3, "Authentication"). */
export const CALLERS = { 'platform-admin': true } as const;

/** The page of a Property, or a form below it. */
export const propertyPath = (domain: string, ...rest: readonly string[]): string =>
  pathOf('properties', domain, ...rest);
/** The route of a Property at the site registry. */
export const propertyApi = (domain: string, ...rest: readonly string[]): string =>
  pathOf('api', 'properties', domain, ...rest);
export const jobPath = (id: string): string => pathOf('properties', 'jobs', id);

export const STATUS_WORDS: Readonly<Record<PropertyView['status'], string>> = {
  verified: 'Verified',
  unverified: 'Not verified',
  error: 'Failed',
  ignored: 'Ignored',
};

export const SOURCE_WORDS: Readonly<Record<NonNullable<PropertyView['source']>['kind'], string>> = {
  legacy: 'Legacy site',
  none: 'Nothing',
  'platform-service': 'A service of the platform',
  'generated-site': 'A generated site',
  'other-generator': 'A site of the other generator',
};

type Stated = Pick<PropertyView, 'status' | 'verification' | 'ignored'>;

/** How far a domain is, for lists and titles. */
export function stateBadge(property: Stated): Html {
  const { status } = property;
  if (status !== 'unverified') {
    const tone = { verified: 'good', error: 'bad', ignored: 'quiet' } as const;
    return badge(tone[status], STATUS_WORDS[status]);
  }
  if (waitsForRecord(property)) return badge('warn', 'Waits for the record', 'clock');
  return isUnderWay(property) ? badge('busy', 'Is being verified') : badge('quiet', STATUS_WORDS.unverified);
}

/** Whether a person has to set the record before anything goes on. */
export function waitsForRecord({ status, verification: { path, token } }: Stated): boolean {
  return status === 'unverified' && path === 'manual' && token !== null;
}

/** Who writes the DNS of the domain. */
export function wayOf({ automatable }: Pick<PropertyView, 'automatable'>): Html {
  return automatable ? html`Written by the platform` : html`<span class="quiet">Set by hand</span>`;
}

/** A field that was left empty is none. */
export const emptyIsNone = (value: unknown): unknown => (value === '' ? undefined : value);
