import type { BuildFacts } from '../../../domain/deploys/facts.ts';
import type { DeploysDeps } from '../deps.ts';
import { requireFacts, type StepContext } from '../step.ts';
import { PEOPLE, setSignInRule, signInRuleOf } from '../user-access.ts';

/**
 * Keeps out of the service whom its catalog keeps out, before the workload starts that relies on it. It lets nobody in:
 * the release that serves may have been written for fewer. Idempotent.
 * @throws UNAVAILABLE of `identity-provider`; CLIENT_NOT_FOUND, CLIENT_EXISTS
 */
export async function provisionUserAccess(
  deps: Pick<DeploysDeps, 'clients' | 'services'>,
  context: StepContext,
): Promise<BuildFacts> {
  const { catalog } = requireFacts(context.facts, ['catalog']);
  const rule = signInRuleOf(catalog);
  if (rule === 'members') await setSignInRule(deps, context, rule);
  if (rule !== null)
    context.onLine(`Sign-in is for ${PEOPLE[rule]}${rule === 'members' ? '' : ' once the release serves'}`);
  return {};
}
