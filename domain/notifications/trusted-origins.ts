/** An origin on the own network to which webhooks may be sent. `org`: a slug; `*` for every org; null for the platform's. */
export interface TrustedOrigin {
  readonly org: string | null;
  readonly origin: string;
}

/** Which of them the channels of an org may lead to. @param org null: the operators */
export function originsTrustedFor(
  listed: readonly TrustedOrigin[],
  org: string | null,
  platformOrg: string,
): readonly string[] {
  const isOf = (entry: TrustedOrigin): boolean =>
    entry.org === '*' || (entry.org === null ? org === null || org === platformOrg : entry.org === org);
  return listed.filter(isOf).map(({ origin }) => origin);
}
