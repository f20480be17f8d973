/** How pages and mail of a client or org look (spec 1, D 3). */
export interface WhiteLabel {
  readonly emailFromName: string | null;
  /** https URL of an SVG or PNG. */
  readonly logoUrl: string | null;
  /** `#rrggbb`. */
  readonly primaryColor: string | null;
}

export const NO_WHITE_LABEL: WhiteLabel = { emailFromName: null, logoUrl: null, primaryColor: null };
