/** The balances of an account, in the order in which tokens are spent (spec 2, "Pod tiers"). */
export const BALANCES = ['intro', 'purchased', 'earned'] as const;

export type BalanceName = (typeof BALANCES)[number];

/** Whole gas tokens, none below 0. One token is 0.01 USD. */
export type Balances = Readonly<Record<BalanceName, number>>;

/** What a new account begins with (spec 2, "Pod tiers"). */
export const INTRO_TOKENS = 50_000;

/** All that an org can spend. */
export function totalOf(balances: Balances): number {
  return BALANCES.reduce((sum, name) => sum + balances[name], 0);
}
