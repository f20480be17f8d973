/**
 * What of a person's passport a client is given. A catalog declares it (`spec.auth.passport`), the client's record keeps
 * it (spec 1, "OAuth client record").
 */
export interface PassportConfig {
  readonly includeBranding: boolean;
  readonly includeEntityHash: boolean;
  readonly headless: boolean;
  /** Origins such as `https://shop.example` whose pages may reach the embed API. */
  readonly allowedEmbedOrigins: readonly string[];
}

export const NO_PASSPORT: PassportConfig = {
  includeBranding: false,
  includeEntityHash: false,
  headless: false,
  allowedEmbedOrigins: [],
};
