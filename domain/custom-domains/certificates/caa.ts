/** Who may issue for a name, as its CAA records say (RFC 8659, RFC 8657). */

export interface CaaRecord {
  readonly critical: boolean;
  /** Such as `issue`, in lower case. */
  readonly tag: string;
  readonly value: string;
}

export interface CaaQuestion {
  readonly host: string;
  readonly isWildcard: boolean;
  /** By which the authority is named in records, such as `letsencrypt.org`; it tells them in its directory. */
  readonly identities: readonly string[];
  readonly accountUrl: string;
  readonly method: 'http-01' | 'dns-01';
}

const KNOWN_TAGS: ReadonlySet<string> = new Set([
  'issue',
  'issuewild',
  'iodef',
  'contactemail',
  'contactphone',
  'issuemail',
  'issuevmc',
]);

/** The names that are asked for records: the host's own, then each parent. The first that has any decides. */
export function caaNames(host: string): readonly string[] {
  const labels = host.split('.');
  return labels.map((_, index) => labels.slice(index).join('.'));
}

/**
 * Why the authority would refuse, null where it may issue. An authority that names itself nowhere is not held to records by
 * us: it is by itself.
 * @param records of the first name that has any; none allow everybody
 * @param at the name that they are of
 */
export function caaRefusal(records: readonly CaaRecord[], at: string, question: CaaQuestion): string | null {
  if (records.length === 0 || question.identities.length === 0) return null;
  const unknown = records.find(({ critical, tag }) => critical && !KNOWN_TAGS.has(tag));
  if (unknown !== undefined) return `the CAA record ${unknown.tag} of ${at} is critical and not known`;
  const wild = records.filter(({ tag }) => tag === 'issuewild');
  const deciding = question.isWildcard && wild.length > 0 ? wild : records.filter(({ tag }) => tag === 'issue');
  if (deciding.length === 0 || deciding.some(({ value }) => allows(value, question))) return null;
  const [identity = ''] = question.identities;
  return `the CAA records of ${at} do not let ${identity} issue: add the record 0 issue "${identity}" there`;
}

function allows(value: string, { identities, accountUrl, method }: CaaQuestion): boolean {
  // By the letters of RFC 8659, section 4.2, as authorities read it: one that is spelled otherwise would cost a failed order.
  const [issuer = '', ...parts] = value.split(';').map((part) => part.trim());
  if (!identities.some((identity) => identity.toLowerCase() === issuer.toLowerCase())) return false;
  return parts.every((part) => {
    const [name = '', given = ''] = part.split(/=(.*)/s).map((text) => text.trim());
    if (name === 'accounturi') return given === accountUrl;
    if (name === 'validationmethods') return given.split(',').some((one) => one.trim() === method);
    return true;
  });
}
