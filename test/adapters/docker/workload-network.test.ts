import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { engineStatus } from '../../../adapters/docker/docker-client.ts';
import { LABELS, labelFilter } from '../../../adapters/docker/labels.ts';
import { networkName } from '../../../adapters/docker/workload-names.ts';
import { ensureNetwork, removeNetworks, saysNetworkAmbiguous } from '../../../adapters/docker/workload-network.ts';
import { createWorkloadRuntime } from '../../../adapters/docker/workload-runtime.ts';
import type { WorkloadRuntime } from '../../../domain/deploys/workload-runtime.ts';
import { FairleadError } from '../../../domain/errors.ts';
import { recordingContext, WORKLOAD_PROGRAM, workloadSpec } from '../../ports/workload-runtime.ts';
import { createTestStack, docker, type TestStack } from './engine-fixture.ts';

const stacks: string[] = [];

const newStack = () => {
  const stackId = `t${randomBytes(5).toString('hex')}`;
  stacks.push(stackId);
  return stackId;
};

const networksOf = async (stackId: string) => await docker.listNetworks({ filters: labelFilter(stackId) });

const createTwin = async (stackId: string): Promise<boolean> => {
  try {
    await docker.createNetwork({ Name: networkName(stackId), Labels: { [LABELS.stack]: stackId } });
    return true;
  } catch (error) {
    if (engineStatus(error) === 409) return false;
    throw error;
  }
};

describe('the network of a stack', () => {
  after(async () => {
    await stack.dispose();
    for (const stackId of stacks) await removeNetworks(docker, stackId);
  });

  let stack: TestStack;
  let image: string;
  let runtime: WorkloadRuntime;

  before(async () => {
    stack = await createTestStack();
    const files = {
      'server.cjs': WORKLOAD_PROGRAM,
      Dockerfile: 'FROM node:24-alpine\nWORKDIR /app\nCOPY server.cjs .\nUSER 1001\nCMD ["node", "server.cjs"]\n',
    };
    image = await stack.pushed('network', files);
    const { stackId, registry } = stack;
    runtime = createWorkloadRuntime({ docker, stackId, registry, now: () => new Date() });
  });

  it('the first workloads of a stack, started at once, run on one network', async () => {
    const specs = Array.from({ length: 4 }, () => workloadSpec(image));
    const started = await Promise.all(specs.map((spec) => runtime.start(spec, recordingContext())));
    assert.ok(started.every(({ running }) => running));
    assert.equal((await networksOf(stack.stackId)).length, 1);
    await Promise.all(started.map((workload) => runtime.remove(workload, 0)));
  });

  it('of two networks of one name the one that containers are on stays, even the newer one', async (t) => {
    const { stackId } = stack;
    await ensureNetwork(docker, stackId);
    if (!(await createTwin(stackId))) return t.skip('this engine refuses a second network of one name');
    const newer = (await networksOf(stackId)).toSorted((a, b) => a.Created.localeCompare(b.Created)).at(-1)?.Id ?? '';
    const container = await docker.createContainer({ Image: image });
    await container.start();
    t.after(() => container.remove({ force: true }));
    await docker.getNetwork(newer).connect({ Container: container.id });
    await ensureNetwork(docker, stackId);
    assert.deepEqual(
      (await networksOf(stackId)).map(({ Id }) => Id),
      [newer],
    );
    const workload = await runtime.start(workloadSpec(image), recordingContext());
    assert.equal(workload.running, true);
    await runtime.remove(workload, 0);
  });

  it('of two networks of one name the older one stays, whoever looks', async (t) => {
    const stackId = newStack();
    await ensureNetwork(docker, stackId);
    const [oldest] = await networksOf(stackId);
    if (!(await createTwin(stackId))) return t.skip('this engine refuses a second network of one name');
    assert.equal((await networksOf(stackId)).length, 2);
    const asked = Array.from({ length: 3 }, () => ensureNetwork(docker, stackId));
    assert.deepEqual(await Promise.all(asked), Array(3).fill(networkName(stackId)));
    assert.deepEqual(
      (await networksOf(stackId)).map(({ Id }) => Id),
      [oldest?.Id],
    );
  });

  it('makers who do not know of each other end with one network', async () => {
    const stackId = newStack();
    await Promise.all(Array.from({ length: 4 }, () => ensureNetwork(docker, stackId)));
    assert.equal((await networksOf(stackId)).length, 1);
  });

  it('all networks of a stack are removed, twins as well, and twice is no error', async () => {
    const stackId = newStack();
    await ensureNetwork(docker, stackId);
    await createTwin(stackId);
    await removeNetworks(docker, stackId);
    await removeNetworks(docker, stackId);
    assert.deepEqual(await networksOf(stackId), []);
  });

  it('one that the engine refuses is an error with the remedy, and no other network takes its place', async () => {
    // The engine has one network of this kind, and makes no other.
    const createNetwork = () => docker.createNetwork({ Name: 'second', Driver: 'host' });
    const refusing: typeof docker = Object.create(docker, { createNetwork: { value: createNetwork } });
    await assert.rejects(ensureNetwork(refusing, newStack()), (error) => {
      assert.ok(error instanceof FairleadError);
      assert.match(error.message, /^The network fl-\w+ .*docker network prune.*only one instance/);
      return error.code === 'UNAVAILABLE';
    });
  });

  it("the engine's words about two networks of one name are known", () => {
    assert.ok(saysNetworkAmbiguous('3 matches found based on name: network fl-bf992c10 is ambiguous'));
    assert.ok(!saysNetworkAmbiguous('network fl-bf992c10 not found'));
  });
});
