import { FairleadError } from '../errors.ts';
import type { DomainName, PlatformNames } from './domain-name.ts';
import { type AddressRecord, DOMAIN_MODES, type DomainMode, recordTo } from './mode.ts';

/** What the operator decides about custom domains. */
export interface DomainSettings extends PlatformNames {
  readonly platformOrg: string;
  /** INGRESS_TARGET: where requests to services come in; null where it is not set. For direct mode it is an address. */
  readonly ingressTarget: string | null;
  /** Whether certificates are issued here, which the direct mode needs. */
  readonly issuesCertificates: boolean;
  /** SAAS_ENABLED: whether the edge provider is to be told of each name. This version does not: only records alone work. */
  readonly usesHostnames: boolean;
  /** SAAS_CNAME_TARGET: the shared customers target; null where it is not set. */
  readonly customersTarget: string | null;
  /** DNS_REPLACEABLE_TARGETS. */
  readonly replaceableTargets: readonly string[];
}

/** Of the settings, those by which there are modes. */
export type ModeSettings = Pick<
  DomainSettings,
  'ingressTarget' | 'customersTarget' | 'issuesCertificates' | 'usesHostnames'
>;

/** How the installation offers a mode. */
export interface ModeOffer {
  readonly mode: DomainMode;
  /** What the record of a name has to lead to; null where that is not set up. */
  readonly target: string | null;
  /** Why no name can be added in it; null where one can. */
  readonly unavailable: string | null;
}

/** Which modes the installation offers, and why it does not offer the others. */
export function modeOffers(settings: ModeSettings): readonly ModeOffer[] {
  return DOMAIN_MODES.map((mode) => {
    try {
      return { mode, target: recordOfMode(mode, settings).content, unavailable: null };
    } catch (error) {
      if (!(error instanceof FairleadError)) throw error;
      return { mode, target: null, unavailable: error.message };
    }
  });
}

/**
 * The record that a name has to have in a mode (spec 2, "Custom domains").
 * @throws EXTERNAL_APEX_UNSUPPORTED, and as {@link recordOfMode}
 */
export function expectedRecord(mode: DomainMode, { domain, apex }: DomainName, settings: ModeSettings): AddressRecord {
  if (mode === 'external' && domain === apex) {
    const message = `${domain} is the apex of its zone, where no CNAME may stand: add www.${domain}, or use the direct mode`;
    throw new FairleadError('EXTERNAL_APEX_UNSUPPORTED', message);
  }
  return recordOfMode(mode, settings);
}

/**
 * The record that names in a mode have here.
 * @throws DIRECT_MODE_UNAVAILABLE, SAAS_UNAVAILABLE, UNAVAILABLE, with what the operator sets
 */
export function recordOfMode(mode: DomainMode, settings: ModeSettings): AddressRecord {
  const { ingressTarget, customersTarget, issuesCertificates } = settings;
  if (mode === 'external') {
    if (settings.usesHostnames) {
      const message =
        'Custom hostnames are not made by this version: the operator sets SAAS_ENABLED=false, for records alone';
      throw new FairleadError('SAAS_UNAVAILABLE', message);
    }
    if (customersTarget !== null) return recordTo(customersTarget);
    throw new FairleadError(
      'SAAS_UNAVAILABLE',
      'The external mode is not set up here: the operator sets SAAS_CNAME_TARGET',
    );
  }
  const record = ingressTarget === null ? null : recordTo(ingressTarget);
  if (mode === 'direct' && (record === null || record.type === 'CNAME')) {
    const message = 'The direct mode needs an address: the operator sets INGRESS_TARGET to the IP of the ingress';
    throw new FairleadError('DIRECT_MODE_UNAVAILABLE', message);
  }
  if (mode === 'direct' && !issuesCertificates) {
    const message = 'The direct mode needs certificates: the operator sets ACME_DIRECTORY_URL';
    throw new FairleadError('DIRECT_MODE_UNAVAILABLE', message);
  }
  if (record !== null) return record;
  throw new FairleadError('UNAVAILABLE', 'Names cannot be led here yet: the operator sets INGRESS_TARGET');
}
