import type { DerivedScopes, ScopeRefusal } from '../../domain/oauth-clients/derive-client.ts';
import type { StepContext } from './step.ts';

const REMEDIES: Readonly<Record<Exclude<ScopeRefusal, 'other_org'>, string>> = {
  malformed: 'a scope has printable characters without blanks, quotes and backslashes',
  platform:
    'a platform admin can add it to the client, or, for a service of the platform’s org, deploy its folder, or its commit by the whole id',
  unknown_service: 'no service has that name; deploy that one first',
};

/**
 * Warns of scopes that a catalog declares and its client does not have. What a platform admin gave it earlier is no reason to
 * warn; where the provider said nothing, nothing is known of what it has.
 * @param kept scopes of the client besides those that were derived; null where the provider was away
 */
export function warnOfRefusedScopes(
  { warn }: Pick<StepContext, 'warn'>,
  refused: DerivedScopes['refused'],
  kept: readonly string[] | null,
): void {
  for (const { scope, because } of refused) {
    // Of these the step of scope grants decides.
    if (because === 'other_org') continue;
    if (because === 'platform' && (kept === null || kept.includes(scope))) continue;
    warn(`The scope ${scope} was not granted: ${REMEDIES[because]}.`);
  }
}
