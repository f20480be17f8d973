import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import type Docker from 'dockerode';
import { buildsGroup } from '../../../adapters/docker/build-bounds/build-groups.ts';
import { type ContainerFacts, containerOptions } from '../../../adapters/docker/container-options.ts';
import type { MachineShell } from '../../../adapters/docker/machine-shell.ts';
import { relayOptions } from '../../../adapters/docker/relay/relay-container.ts';
import { volatileFolder } from '../../../adapters/docker/volatile-folder.ts';
import { createWorkloadFirewall } from '../../../adapters/docker/workload-firewall.ts';
import { workloadGroup, workloadGroups } from '../../../adapters/docker/workload-groups.ts';
import { buildEngineName, buildRelayName, networkName } from '../../../adapters/docker/workload-names.ts';
import { stackId } from '../../../adapters/env/stack-id.ts';
import { workloadSpec } from '../../ports/workload-runtime.ts';

const FACTS: ContainerFacts = {
  ...{ stackId: 'test', network: 'fl-test', hostPort: 20_000, relayId: null, engineCpus: 2, imageUser: '1001' },
  ...{ imageVolumes: [], imageFolder: '', group: null, gate: null },
};
const GATE = '/run/fairlead-test/firewall-is-set';

describe('the control groups of workloads', () => {
  it('are one for each org, as the engine makes them', () => {
    const groups = ['acme', 'a-c-m-e'].map((org) => workloadGroup('test', org, 'cgroupfs'));
    assert.deepEqual(groups, ['/fairlead-test-workloads/org.acme', '/fairlead-test-workloads/org.a-c-m-e']);
    // One dash: systemd makes a level of each.
    const slices = ['acme', 'a-c-m-e'].map((org) => workloadGroup('test', org, 'systemd'));
    assert.deepEqual(slices, ['fairlead_test_workloads-acme.slice', 'fairlead_test_workloads-a_c_m_e.slice']);
    assert.equal(workloadGroup('test', 'acme', 'none'), null);
  });

  it('are those of no other installation, whose id is letters and digits alone', () => {
    for (const id of ['a-workloads', 'a-builds', 'a.b', 'a/b', 'a_b', 'A', '', 'x'.repeat(17)]) {
      assert.equal(stackId.safeParse(id).success, false, id);
    }
    const ids = ['a', 'workloads', 'aworkloads', 'default'].map((id) => stackId.parse(id));
    const namesOf = (id: string) => [
      ...[buildsGroup(id), workloadGroups(id)],
      ...[networkName(id), buildRelayName(id), buildEngineName(id)],
    ];
    const names = ids.flatMap(namesOf);
    assert.equal(new Set(names).size, names.length);
    assert.ok(ids.every((id) => namesOf(id).every((name) => name.split('-').includes(id))));
  });

  it('hold a workload and the relay beside it', async () => {
    const facts = { ...FACTS, group: '/fairlead-test-workloads/org.acme' };
    const spec = workloadSpec('image');
    const access = { socket: '/tmp/http.sock', ports: [], image: async () => 'image' };
    const relay = await relayOptions(spec, facts, {
      access,
      ports: [],
      dependencies: { hosts: [], routes: [] },
      image: 'image',
    });
    for (const { HostConfig } of [containerOptions(spec, facts), relay]) {
      assert.equal(HostConfig?.CgroupParent, facts.group);
    }
    assert.equal(containerOptions(spec, FACTS).HostConfig?.CgroupParent, undefined);
  });
});

describe('a restart of the machine', () => {
  it('starts no workload, and no relay, whose engine does not find the gate', async () => {
    const facts = { ...FACTS, gate: GATE };
    const spec = workloadSpec('image');
    const access = { socket: '/tmp/http.sock', ports: [], image: async () => 'image' };
    const relay = await relayOptions(spec, facts, {
      access,
      ports: [],
      dependencies: { hosts: [], routes: [] },
      image: 'image',
    });
    for (const { HostConfig } of [containerOptions(spec, facts), relay]) {
      // `Binds` would have the engine make what is missing.
      assert.deepEqual(HostConfig?.Mounts, [{ Type: 'bind', Source: GATE, Target: '/.firewall', ReadOnly: true }]);
      assert.equal(HostConfig?.RestartPolicy?.Name, 'unless-stopped');
    }
  });

  it('takes the gate away: it is in memory', async () => {
    assert.ok(['/run', '/dev'].includes((await volatileFolder()) ?? ''));
    assert.equal(await volatileFolder(['/etc', '/missing']), null);
    assert.equal(await volatileFolder(['/proc', '/dev']), '/dev');
  });
});

describe('the gate of the firewall', () => {
  let folder: string;
  const programs = () => join(folder, 'programs');
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fairlead-gate-'));
    await mkdir(programs());
  });
  after(() => rm(folder, { recursive: true, force: true }));
  beforeEach(() => rm(join(folder, 'volatile'), { recursive: true, force: true }));

  /** Programs that set no rules, and note whether the gate was there when they were called. */
  async function putPrograms(restore: string): Promise<void> {
    const note = `[ ! -e "${gate()}" ] || echo open >> ${folder}/seen`;
    for (const [name, script] of Object.entries({ iptables: 'exit 0', 'iptables-restore': restore })) {
      await writeFile(join(programs(), name), `#!/bin/sh\n${note}\n${script}\n`);
      await chmod(join(programs(), name), 0o755);
    }
    await writeFile(join(folder, 'seen'), '');
  }
  const shell: MachineShell = async (script) => {
    const { status, stderr } = spawnSync('sh', ['-c', script], { env: { PATH: `${programs()}:${process.env.PATH}` } });
    if (status !== 0) throw new Error(String(stderr));
  };
  const docker = {
    listNetworks: async () => [{ Id: 'a'.repeat(64), Name: 'fl-test', Created: '2026-01-01T00:00:00Z' }],
    getNetwork: () => ({ inspect: async () => ({ Options: {} }) }),
  } as unknown as Docker;
  const firewall = () =>
    createWorkloadFirewall({
      ...{ docker, stackId: 'test', shell, open: [], routerPort: null },
      volatileFolder: join(folder, 'volatile'),
    });
  const gate = () => firewall().gate ?? '';
  const signal = AbortSignal.timeout(60_000);

  it('opens after the rules are set, and not before', async () => {
    await putPrograms('exit 0');
    await firewall().renew(signal);
    assert.ok(existsSync(gate()));
    assert.equal(await readFile(join(folder, 'seen'), 'utf8'), '');
    await firewall().renew(signal);
    assert.ok(existsSync(gate()), 'set anew, it stays open');
  });

  it('stays closed where they cannot be set', async () => {
    await putPrograms('exit 1');
    await assert.rejects(firewall().renew(signal));
    assert.equal(existsSync(gate()), false);
  });

  it('closes before they are removed, and leaves nothing', async () => {
    await putPrograms('exit 0');
    await firewall().renew(signal);
    await writeFile(join(folder, 'seen'), '');
    await firewall().remove(signal);
    assert.equal(await readFile(join(folder, 'seen'), 'utf8'), '');
    assert.equal(existsSync(join(folder, 'volatile', 'fairlead-test')), false);
  });
});
