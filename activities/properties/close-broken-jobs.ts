import { eachItem } from '../../domain/each-item.ts';
import { verifyManyWorkflowId, verifyWorkflowId } from '../../domain/properties/messages.ts';
import { isUnderWay, PROPAGATION_BUDGET_MS } from '../../domain/properties/verification.ts';
import type { PropertiesActivityDeps } from './deps.ts';

type Deps = Pick<PropertiesActivityDeps, 'jobs' | 'commands' | 'properties' | 'now'>;

/**
 * Ends jobs whose workflows are gone, as after somebody terminated them: what they have no outcome of counts as an error, so
 * that nobody waits for it. Idempotent.
 */
export async function closeBrokenJobs({ jobs, commands, properties, now }: Deps, signal: AbortSignal): Promise<void> {
  const begunBefore = new Date(now().getTime() - 2 * PROPAGATION_BUDGET_MS);
  for await (const { id, domains, outcomes } of eachItem((page) => jobs.listRunning(begunBefore, page), signal)) {
    if (await commands.isUnderWay(verifyManyWorkflowId(id))) continue;
    const open = domains.filter((domain) => !outcomes.some((one) => one.domain === domain));
    for (const domain of open) {
      const property = await properties.find(domain);
      const isOwn = property !== null && property.verification.jobId === id;
      // Its run is resumed once it is quiet for long enough, and then has an outcome; one that is queued names no job yet.
      if ((isOwn && isUnderWay(property)) || (await commands.isUnderWay(verifyWorkflowId(domain)))) continue;
      const message = 'The run was broken off; verify again';
      await jobs.recordOutcome(id, { domain, outcome: 'error', message, at: now() });
    }
  }
}
