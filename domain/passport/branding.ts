import type { OrgRecord } from '../orgs/org.ts';

/** The branding claim (spec 1, "Branding record"): what tokens and passports show of a brand. */
export interface Branding {
  readonly displayName: string;
  /** https URL. */
  readonly logoUrl?: string;
  readonly logoMarkUrl?: string;
  /** `#rrggbb`. */
  readonly primaryColor: string;
  readonly secondaryColor?: string;
  readonly verified: boolean;
  readonly whiteLabelApproved: boolean;
}

const DEFAULT_PRIMARY_COLOR = '#0F172A';

/** The branding of an org as the provider itself knows it. Only the platform's own record can say that it was verified. */
export function brandingOf({ name, whiteLabel }: Pick<OrgRecord, 'name' | 'whiteLabel'>): Branding {
  const { logoUrl, primaryColor } = whiteLabel;
  return {
    displayName: name,
    ...(logoUrl === null ? {} : { logoUrl }),
    primaryColor: primaryColor ?? DEFAULT_PRIMARY_COLOR,
    verified: false,
    whiteLabelApproved: false,
  };
}
