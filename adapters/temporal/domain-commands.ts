import type { Client } from '@temporalio/client';
import {
  type AddDomain,
  DOMAIN_UPDATES,
  DOMAIN_WORKFLOWS,
  type DomainCommands,
  domainWorkflowId,
  type KeepDomainInput,
  type OfHolder,
} from '../../domain/custom-domains/messages.ts';
import { TASK_QUEUE } from '../../domain/task-queue.ts';
import { answered } from './answered.ts';
import { type EntityUpdate, updateWithStart } from './update-with-start.ts';
import { withinReach } from './within-reach.ts';

/** The API's way to the workflow of a name. Every failure becomes a domain error. */
export function createDomainCommands(client: Client): DomainCommands {
  const send = <Result, Arg extends AddDomain | OfHolder>(
    update: string,
    arg: Arg,
    updateId: string,
  ): Promise<Result> =>
    answered(client, () =>
      updateWithStart<Result, Arg>(client, { start: startKeeper(arg.domain), update, updateId, arg }),
    );
  return {
    add: (request) => send<void, AddDomain>(DOMAIN_UPDATES.add, request, request.id),
    verify: async (of) => void (await send<unknown, OfHolder>(DOMAIN_UPDATES.verify, of, `verify-${of.requestId}`)),
    look: async (of) => void (await send<unknown, OfHolder>(DOMAIN_UPDATES.look, of, `look-${of.requestId}`)),
    remove: (of) => send<'removed' | 'removing', OfHolder>(DOMAIN_UPDATES.remove, of, `remove-${of.requestId}`),
  };
}

/** Starts the workflow of a name, unless it runs. @returns what @throws UNAVAILABLE (retryable) */
export function createKeeperWaker(client: Client): (domain: string) => Promise<void> {
  return async (domain) => {
    const [type, options] = startKeeper(domain);
    await withinReach(client, `The workflow of ${domain}`, () => client.workflow.start(type, options));
  };
}

function startKeeper(domain: string): EntityUpdate<never>['start'] {
  const input: KeepDomainInput = { domain };
  return [
    DOMAIN_WORKFLOWS.keepDomain,
    {
      workflowId: domainWorkflowId(domain),
      workflowIdConflictPolicy: 'USE_EXISTING',
      taskQueue: TASK_QUEUE,
      args: [input],
      staticSummary: `the name ${domain}`,
    },
  ];
}
