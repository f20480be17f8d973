/**
 * The module `branding`: how pages and mail look. The fields are those of one record, at an org or at a client.
 *
 * Keying: none of its own. The record is a part of the org's or the client's; a field that is null falls back to the
 * next one: client, org, platform.
 * Retries, compensation: none. It is written with the record that holds it.
 */

/** How pages and mail of a client or org look (spec 1, D 3). */
export interface WhiteLabel {
  readonly emailFromName: string | null;
  /** https URL of an SVG or PNG. */
  readonly logoUrl: string | null;
  /** `#rrggbb`. */
  readonly primaryColor: string | null;
}

export const NO_WHITE_LABEL: WhiteLabel = { emailFromName: null, logoUrl: null, primaryColor: null };
