/** What an org asks of the logins of its people. It binds them in this org, and nowhere else. */
export interface OrgPolicy {
  /** True: only logins that were made with a second factor count. */
  readonly secondFactorRequired: boolean;
  /** Hours a login counts, from the moment at which the person signed in; null for as long as it lives. */
  readonly sessionHours: number | null;
}

export const NO_POLICY: OrgPolicy = { secondFactorRequired: false, sessionHours: null };

/** How and when somebody signed in. */
export interface LoginFacts {
  /** Values of the claim `amr`. */
  readonly methods: readonly string[];
  readonly authenticatedAt: Date;
}

const HOUR_MS = 3_600_000;

/** When a login stops to count; null for never. */
export function loginEnd({ sessionHours }: OrgPolicy, { authenticatedAt }: LoginFacts): Date | null {
  return sessionHours === null ? null : new Date(authenticatedAt.getTime() + sessionHours * HOUR_MS);
}

/** Whether a login counts in an org: whoever is not known to have signed in as it asks has not. */
export function admitsLogin(policy: OrgPolicy, login: LoginFacts | undefined, now: Date): boolean {
  if (!asksFor(policy)) return true;
  if (login === undefined) return false;
  if (policy.secondFactorRequired && !login.methods.includes('mfa')) return false;
  const end = loginEnd(policy, login);
  return end === null || end > now;
}

/** True for a policy that some login does not meet. */
export function asksFor({ secondFactorRequired, sessionHours }: OrgPolicy): boolean {
  return secondFactorRequired || sessionHours !== null;
}
