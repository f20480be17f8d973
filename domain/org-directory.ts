/** Which orgs there are: the identity provider knows. */
export interface OrgDirectory {
  /** @throws ORG_NOT_FOUND; UNAVAILABLE when the provider does not answer */
  requireOrg(slug: string): Promise<void>;
}
