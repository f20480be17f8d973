import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { createSharingActivities, type SharingActivities } from '../../../activities/authorized-orgs/index.ts';
import { createSharingCommands } from '../../../adapters/temporal/sharing-commands.ts';
import { memberWorkflowId, SHARING_WORKFLOWS, sharingWorkflowId } from '../../../domain/authorized-orgs/messages.ts';
import type { SharingCommands } from '../../../domain/authorized-orgs/ports.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { TASK_QUEUE } from '../../../domain/task-queue.ts';
import { clientRecord } from '../../ports/identity/records.ts';
import { buildRecord } from '../../ports/records.ts';
import { createInMemoryDeploys, GIT_HOST, type InMemoryDeploys } from '../../support/in-memory/deploys-deps.ts';
import { type ModuleWorker, startModuleWorker } from '../../support/start-module-worker.ts';
import { startTimeSkipping } from '../../support/start-time-skipping.ts';
import { waitUntil } from '../../support/wait-until.ts';

const FIRST = { cursor: null, limit: 200 };

describe('changeSharing', { timeout: 300_000 }, () => {
  let env: TestWorkflowEnvironment;
  let worker: ModuleWorker;
  let commands: SharingCommands;
  let parts: InMemoryDeploys;
  /** What fails in place of the real activity, by its name. */
  let failing: Partial<Record<keyof SharingActivities, (input: { org?: string; takenOut?: number }) => void>> = {};
  let services = 0;
  let requests = 0;

  before(async () => {
    env = await startTimeSkipping();
    commands = createSharingCommands(env.client);
    parts = createInMemoryDeploys();
    const real = createSharingActivities({ ...parts, repositories: parts.repositoryAccess, gitHost: GIT_HOST });
    const activities = Object.fromEntries(
      Object.entries(real).map(([name, activity]) => [
        name,
        async (input: never) => {
          failing[name as keyof SharingActivities]?.(input);
          return await (activity as (input: never) => Promise<unknown>)(input);
        },
      ]),
    );
    worker = await startModuleWorker(env.nativeConnection, { module: 'authorized-orgs', activities });
  });
  beforeEach(() => {
    failing = {};
  });
  after(async () => {
    await worker.stop();
    await env.teardown();
  });

  /** A service of `acme` of its own, and the client of a service of `helpers` that has a scope of it. */
  async function newService() {
    services += 1;
    const name = `notes${services}`;
    const service = { id: `svc_${name}`, name };
    const holder = `shop${services}`;
    parts.repositoryAccess.repositories.add(`acme/${name}`);
    await parts.services.upsert({ ...service, org: 'acme' }, { gitUrl: `${GIT_HOST}/acme/${name}` });
    await parts.services.upsert({ id: `svc_${holder}`, name: holder, org: 'helpers' }, {});
    const record = { clientId: `${holder}-prod`, orgSlug: 'helpers', service: holder, environment: 'prod' as const };
    await parts.clientStore.insert(clientRecord({ ...record, allowedScopes: [`${name}:read`] }));
    const hasScope = async () => (await parts.clientStore.find(record.clientId))?.allowedScopes.length === 1;
    const roles = () => parts.repositoryAccess.roles().filter((role) => role.startsWith(`acme/${name} `));
    return { service, hasScope, roles };
  }
  type Service = Awaited<ReturnType<typeof newService>>['service'];
  const idOf = (): string => {
    requests += 1;
    return `soc_${requests}`;
  };
  const authorize = (service: Service, org: string) => {
    const request = { id: idOf(), want: 'authorized', org, repoRole: null, by: 'usr_ada' } as const;
    return commands.change({ service, request, requestId: null });
  };
  const deauthorize = (service: Service, org: string) => {
    const request = { id: idOf(), want: 'deauthorized', org, by: 'usr_ada' } as const;
    return commands.change({ service, request, requestId: null });
  };
  const ended = (service: Service) => env.client.workflow.getHandle(sharingWorkflowId(service.id)).result();
  const orgs = async ({ id }: Service) => (await parts.services.find(id))?.authorizedOrgs;

  it('answers when the list is written, then makes the clients and the git host agree, and ends', async () => {
    const { service, hasScope, roles } = await newService();
    assert.equal((await authorize(service, 'helpers')).added, true);
    await ended(service);
    assert.deepEqual([await hasScope(), roles()], [true, [`acme/${service.name} helpers write`]]);
    assert.deepEqual((await deauthorize(service, 'helpers')).view.authorizedOrgs, []);
    await ended(service);
    assert.deepEqual([await hasScope(), roles()], [false, []]);
  });

  it('tells the builds of an org that is let in, and of none that is taken out', async () => {
    const { service } = await newService();
    const shop = `shop${services}`;
    await parts.builds.create(buildRecord({ id: `bld_${shop}`, service: shop, serviceId: `svc_${shop}` }));
    const told = () => parts.workflows.decisions().filter((target) => target === `${shop}/prod`).length;
    await authorize(service, 'helpers');
    await ended(service);
    assert.equal(told(), 1);
    await deauthorize(service, 'helpers');
    await ended(service);
    assert.equal(told(), 1);
  });

  it('makes changes that come at once one after the other, and loses none', async () => {
    const { service } = await newService();
    const names = Array.from({ length: 8 }, (_, index) => `org-${index}`);
    const added = await Promise.all([...names, ...names].map((name) => authorize(service, name)));
    assert.equal(added.filter((each) => each.added).length, names.length, 'of two that ask the same, one adds');
    assert.deepEqual(await orgs(service), names);
    await ended(service);
    assert.equal((await parts.sharingHistory.list(service.id, FIRST)).items.length, names.length);
  });

  it('a refusal is answered as the rules say, and the workflow ends', async () => {
    const { service } = await newService();
    await assert.rejects(deauthorize(service, 'helpers'), { code: 'NOT_FOUND' });
    await assert.rejects(authorize(service, 'acme'), { code: 'VALIDATION_FAILED' });
    const gone = { id: 'svc_gone', name: 'gone' };
    await assert.rejects(authorize(gone, 'helpers'), { code: 'SERVICE_NOT_FOUND' });
    await ended(service);
    await ended(gone);
  });

  it('a git host that is away keeps nobody in: the list and the scopes follow, and the roles when it is back', async () => {
    const { service, hasScope, roles } = await newService();
    await authorize(service, 'helpers');
    await ended(service);
    let attempts = 0;
    failing.setRepositoryRole = () => {
      attempts += 1;
      if (attempts < 4) throw new FairleadError('UNAVAILABLE', 'away', { system: 'git-host', retryable: true });
    };
    await deauthorize(service, 'helpers');
    await waitUntil('the scope to be taken', async () => !(await hasScope()));
    assert.deepEqual(await orgs(service), []);
    await ended(service);
    assert.deepEqual([attempts, roles()], [4, []]);
  });

  it('what is refused for good for one org does not keep another one waiting', async () => {
    const { service, roles } = await newService();
    failing.setRepositoryRole = ({ org }) => {
      if (org === 'helpers') throw new FairleadError('FORBIDDEN', 'the token of the platform may not do that');
    };
    await Promise.all([authorize(service, 'helpers'), authorize(service, 'agency')]);
    await assert.rejects(ended(service), 'an operator finds it in the UI');
    assert.deepEqual(roles(), [`acme/${service.name} agency write`]);
    failing = {};
    await authorize(service, 'helpers');
    await ended(service);
    assert.equal(roles().length, 2, 'asked once more, it is made to agree');
  });

  it('a service that is removed takes its repository from all who shared it', async () => {
    const { service, roles } = await newService();
    await authorize(service, 'helpers');
    await ended(service);
    await parts.services.setRemoving(service.id, true);
    await commands.withdraw(service.id);
    assert.deepEqual(roles(), []);
  });

  it('a member is brought up to date by one run at a time, and a git host that stays away ends it without a failure', async () => {
    const member = { userId: 'usr_eve', email: 'eve@helpers.example', org: 'helpers' };
    const result = () => env.client.workflow.getHandle(memberWorkflowId(member)).result();
    await Promise.all([commands.reconcileMember(member), commands.reconcileMember(member)]);
    await result();
    assert.deepEqual(parts.repositoryAccess.members(), ['usr_eve of helpers']);
    let attempts = 0;
    failing.reconcileRepositories = () => {
      attempts += 1;
      throw new FairleadError('UNAVAILABLE', 'away', { system: 'git-host', retryable: true });
    };
    await commands.reconcileMember(member);
    await result();
    assert.equal(attempts, 8);
  });

  // The last one: the server skips no time any more, or more than it should, once a workflow was terminated at work.
  it('what a workflow leaves that somebody terminated is taken within the hour, and from nobody who was let in since', async () => {
    const out = await newService();
    const back = await newService();
    // Until the end: an attempt that the server has handed out outlives its workflow.
    failing.takeScopes = ({ takenOut }) => {
      if (takenOut === undefined) return;
      throw new FairleadError('UNAVAILABLE', 'away', { system: 'identity-provider', retryable: true });
    };
    for (const { service } of [out, back]) {
      await authorize(service, 'helpers');
      await ended(service);
      await deauthorize(service, 'helpers');
      await env.client.workflow.getHandle(sharingWorkflowId(service.id)).terminate('operator');
    }
    await authorize(back.service, 'helpers');
    assert.deepEqual([await out.hasScope(), await back.hasScope()], [true, true]);
    const hourly = { taskQueue: TASK_QUEUE, workflowId: 'reconcile-git-access', args: [] };
    await env.client.workflow.execute(SHARING_WORKFLOWS.reconcileGitAccess, hourly);
    assert.deepEqual([await out.hasScope(), await back.hasScope()], [false, true]);
    assert.deepEqual((await parts.sharingHistory.listUnfinished(FIRST)).items, []);
  });
});
