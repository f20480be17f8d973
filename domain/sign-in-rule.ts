export const SIGN_IN_RULES = ['anyone', 'members'] as const;

/** Who may sign in to a service: anyone with an account, or members of the org that owns it. */
export type SignInRule = (typeof SIGN_IN_RULES)[number];
